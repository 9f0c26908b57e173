// The chart of a sweep.
// Tested by: tools/plan_sweep_test.cc
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/plan_sweep.h"

namespace systolic::tools {
namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 440;
constexpr double kLeft = 80;
constexpr double kRight = 110;
constexpr double kTop = 50;
constexpr double kBottom = 60;
// Told apart by those who see fewer colours, too (Okabe and Ito, 2008).
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                    "#e69f00", "#56b4e9", "#000000"};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += letter;
    }
  }
  return out;
}

double rows_per_replica(const SweepRow& row) {
  return static_cast<double>(row.batch_size) / std::max(row.replicas, 1);
}

// A round number at or above `most`, in about `steps` round parts.
double round_part(double most, int steps) {
  const double part = std::max(most, 1e-9) / steps;
  const double power = std::pow(10, std::floor(std::log10(part)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    if (factor * power >= part) return factor * power;
  }
  return 10 * power;
}

// Where numbers are on the page: the horizontal axis doubles.
class Axes {
 public:
  explicit Axes(const std::vector<SweepRow>& rows) {
    for (const SweepRow& row : rows) {
      if (row.rate() == 0) continue;
      const double share = rows_per_replica(row);
      least_ = least_ == 0 ? share : std::min(least_, share);
      most_ = std::max(most_, share);
      top_ = std::max(top_, row.rate());
    }
    part_ = round_part(top_, 5);
    top_ = part_ * std::max(std::ceil(top_ / part_), 1.0);
  }

  double x(double share) const {
    const double range = most_ > least_ ? std::log2(most_ / least_) : 1;
    const double at = least_ > 0 ? std::log2(share / least_) / range : 0;
    return kLeft + at * (kWidth - kLeft - kRight);
  }
  double y(double rate) const {
    return kHeight - kBottom - rate / top_ * (kHeight - kTop - kBottom);
  }
  double top() const { return top_; }
  double part() const { return part_; }

 private:
  double least_ = 0;
  double most_ = 0;
  double top_ = 0;
  double part_ = 1;
};

std::string text_at(double x, double y, const char* anchor,
                    std::string_view text, std::string_view more = "") {
  return fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
      anchor, more, escaped(text));
}

std::string grid(const Axes& axes, const std::vector<SweepRow>& rows) {
  std::string svg;
  for (double rate = 0; rate <= axes.top() * 1.001; rate += axes.part()) {
    svg += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" "
        "stroke=\"#dddddd\"/>\n",
        kLeft, axes.y(rate), kWidth - kRight, axes.y(rate));
    svg += text_at(kLeft - 8, axes.y(rate) + 4, "end",
                   fmt::format("{:.6g}", rate));
  }
  std::vector<double> shares;
  for (const SweepRow& row : rows) shares.push_back(rows_per_replica(row));
  std::ranges::sort(shares);
  shares.erase(std::unique(shares.begin(), shares.end()), shares.end());
  for (const double share : shares) {
    svg += text_at(axes.x(share), kHeight - kBottom + 18, "middle",
                   fmt::format("{:.6g}", share));
  }
  return svg;
}

std::string line_of(const Axes& axes, const std::vector<SweepRow>& rows,
                    const std::string& topology, const char* colour) {
  std::string points;
  std::string dots;
  double last_x = 0;
  double last_y = 0;
  for (const SweepRow& row : rows) {
    if (row.topology != topology || row.rate() == 0) continue;
    last_x = axes.x(rows_per_replica(row));
    last_y = axes.y(row.rate());
    points += fmt::format("{:.1f},{:.1f} ", last_x, last_y);
    dots += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", last_x,
        last_y, colour);
  }
  if (points.empty()) return "";
  points.pop_back();
  return fmt::format(
             "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" "
             "stroke-width=\"2\"/>\n",
             points, colour) +
         dots +
         text_at(last_x + 8, last_y + 4, "start", topology,
                 fmt::format(" fill=\"{}\"", colour));
}

}  // namespace

std::string sweep_chart(const std::vector<SweepRow>& rows,
                        std::string_view title) {
  const Axes axes(rows);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      kWidth, kHeight);
  svg += text_at(kWidth / 2, 24, "middle", title, " font-size=\"15\"");
  svg += text_at(kWidth / 2, kHeight - 16, "middle",
                 "rows of a batch for each core");
  svg += text_at(kLeft, kTop - 10, "middle", "rows a second");
  svg += grid(axes, rows);
  std::vector<std::string> drawn;
  for (const SweepRow& row : rows) {
    if (std::ranges::find(drawn, row.topology) != drawn.end()) continue;
    svg += line_of(axes, rows, row.topology,
                   kColours[drawn.size() % std::size(kColours)]);
    drawn.push_back(row.topology);
  }
  return svg + "</svg>\n";
}

}  // namespace systolic::tools
