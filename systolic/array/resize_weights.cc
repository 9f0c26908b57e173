#include "systolic/array/resize_weights.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "systolic/base/message.h"

namespace systolic::internal {

namespace {

double triangle(double x) { return std::max(1 - std::abs(x), 0.0); }

// Keys 1981, with a = -1/2.
double cubic(double distance) {
  const double x = std::abs(distance);
  if (x >= 2) return 0;
  if (x >= 1) return ((-0.5 * x + 2.5) * x - 4) * x + 2;
  return ((1.5 * x - 2.5) * x) * x + 1;
}

// Mitchell and Netravali 1988.
double mitchell(double distance) {
  const double x = std::abs(distance);
  if (x >= 2) return 0;
  if (x >= 1) {
    return (((-7.0 / 18) * x + 2) * x - 10.0 / 3) * x + 16.0 / 9;
  }
  return (((7.0 / 6) * x - 2) * x) * x + 8.0 / 9;
}

double lanczos(double x, double radius) {
  if (std::abs(x) > radius) return 0;
  if (std::abs(x) <= 1e-3) return 1;
  return radius * std::sin(M_PI * x) * std::sin(M_PI * x / radius) /
         (M_PI * M_PI * x * x);
}

double lanczos3(double x) { return lanczos(x, 3); }
double lanczos5(double x) { return lanczos(x, 5); }

// As TensorFlow's: cut off at three deviations of a half.
double gaussian(double x) {
  return std::abs(x) >= 1.5 ? 0 : std::exp(-2 * x * x);
}

struct Kernel {
  std::string_view name;
  double (*value)(double);
  double radius;
};
constexpr Kernel kKernels[] = {
    {"bilinear", triangle, 1},   {"bicubic", cubic, 2},
    {"lanczos3", lanczos3, 3},   {"lanczos5", lanczos5, 5},
    {"gaussian", gaussian, 1.5}, {"mitchellcubic", mitchell, 2},
    {"area", nullptr, 0}};

const Kernel& find_kernel(std::string_view name, const SourceLocation& where) {
  for (const Kernel& each : kKernels) {
    if (each.name == name) return each;
  }
  Message("resize")
      .expected(R"("nearest", "bilinear", "bicubic", "area", "lanczos3", )",
                R"("lanczos5", "gaussian" or "mitchellcubic")")
      .got("\"", name, "\"")
      .at(where)
      .raise<ValueError>();
}

// Gives each pixel of the result its first pixel and its weights, which
// `weight(i, j)` says for pixel j, and which are made to sum to one.
template <class Weight>
ResizeWeights table(int64_t from, int64_t to, int64_t taps,
                    const std::vector<int64_t>& first, const Weight& weight) {
  ResizeWeights result;
  result.taps = std::min(taps, from);
  for (int64_t i = 0; i < to; ++i) {
    const int64_t start = std::clamp<int64_t>(first[static_cast<size_t>(i)], 0,
                                              from - result.taps);
    result.starts.push_back(start);
    double total = 0;
    for (int64_t t = 0; t < result.taps; ++t) {
      result.weights.push_back(weight(i, start + t));
      total += result.weights.back();
    }
    for (int64_t t = 0; t < result.taps; ++t) {
      result.weights[result.weights.size() - 1 - static_cast<size_t>(t)] /=
          total;
    }
  }
  return result;
}

// By how much pixels of the line and of the result overlap.
ResizeWeights area_weights(int64_t from, int64_t to) {
  const double step = static_cast<double>(from) / static_cast<double>(to);
  std::vector<int64_t> first;
  for (int64_t i = 0; i < to; ++i) {
    first.push_back(static_cast<int64_t>(static_cast<double>(i) * step));
  }
  return table(from, to, static_cast<int64_t>(std::ceil(step)) + 1, first,
               [&](int64_t i, int64_t j) {
                 const double begin = static_cast<double>(i) * step;
                 const double low = std::max(begin, static_cast<double>(j));
                 const double high =
                     std::min(begin + step, static_cast<double>(j + 1));
                 return std::max(high - low, 0.0);
               });
}

// Where pixel i of the result has its centre in the line.
double centre_of(int64_t i, double step, bool rounded) {
  const double centre = (static_cast<double>(i) + 0.5) * step;
  if (!rounded) return centre;
  // TensorFlow has a table of 1024 weights between two pixels.
  const double below = std::floor(centre - 0.5);
  return below + 0.5 + std::nearbyint((centre - 0.5 - below) * 1024) / 1024;
}

}  // namespace

bool ResizeWeights::is_identity() const {
  for (size_t i = 0; i < starts.size(); ++i) {
    for (int64_t t = 0; t < taps; ++t) {
      const bool same = starts[i] + t == static_cast<int64_t>(i);
      const double weight =
          weights[i * static_cast<size_t>(taps) + static_cast<size_t>(t)];
      if (weight != (same ? 1 : 0)) return false;
    }
  }
  return true;
}

ResizeWeights resize_weights(int64_t from, int64_t to, std::string_view method,
                             bool antialias, const SourceLocation& where) {
  const Kernel& kernel = find_kernel(method, where);
  if (kernel.value == nullptr) return area_weights(from, to);
  const double step = static_cast<double>(from) / static_cast<double>(to);
  const double width = antialias ? std::max(step, 1.0) : 1;
  const bool rounded = kernel.value == cubic && !antialias;
  std::vector<double> centres;
  std::vector<int64_t> first;
  for (int64_t i = 0; i < to; ++i) {
    centres.push_back(centre_of(i, step, rounded));
    first.push_back(static_cast<int64_t>(
        std::ceil(centres.back() - kernel.radius * width - 0.5)));
  }
  const auto taps =
      static_cast<int64_t>(std::floor(2 * kernel.radius * width)) + 1;
  return table(from, to, taps, first, [&](int64_t i, int64_t j) {
    const double distance =
        static_cast<double>(j) + 0.5 - centres[static_cast<size_t>(i)];
    return kernel.value(distance / width);
  });
}

std::vector<int64_t> nearest_pixels(int64_t from, int64_t to) {
  std::vector<int64_t> places;
  const float step = static_cast<float>(from) / static_cast<float>(to);
  for (int64_t i = 0; i < to; ++i) {
    const auto place =
        static_cast<int64_t>((static_cast<float>(i) + 0.5f) * step);
    places.push_back(std::min(place, from - 1));
  }
  return places;
}

}  // namespace systolic::internal
