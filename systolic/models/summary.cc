// summary: Keras's table of layers.
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <string>
#include <vector>

#include "systolic/base/message.h"
#include "systolic/base/out.h"
#include "systolic/models/model_base.h"
#include "systolic/optimizers/optimizer_base.h"

namespace systolic::models {

namespace {

// Columns of a text that is seen nowhere.
constexpr int kDefaultColumns = 80;
// The longest line that is not asked for.
constexpr int kMaxLength = 88;
constexpr int kMaxConnectedLength = 108;

std::string with_commas(int64_t value) {
  std::string digits = std::to_string(value);
  for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3) {
    digits.insert(i, ",");
  }
  return digits;
}

std::string readable_size(int64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB", "PB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1024 && unit < 5) {
    value /= 1024;
    ++unit;
  }
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.2f %s", value, kUnits[unit]);
  return buffer;
}

struct Count {
  int64_t elements = 0;
  int64_t bytes = 0;
  void add(const std::vector<Variable>& variables) {
    for (const Variable& variable : variables) {
      elements += variable.shape().elements();
      bytes += static_cast<int64_t>(variable.spec().nbytes());
    }
  }
  std::string text() const {
    return with_commas(elements) + " (" + readable_size(bytes) + ")";
  }
};

std::string repeated(const char* what, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += what;
  return text;
}

// A rule of the table: left end, crossings, right end, and what is between.
std::string rule(const std::vector<int>& widths, const char* left,
                 const char* cross, const char* right, const char* line) {
  std::string text = left;
  for (size_t i = 0; i < widths.size(); ++i) {
    text += repeated(line, widths[i] + 2);
    text += i + 1 < widths.size() ? cross : right;
  }
  return text + "\n";
}

// Characters of UTF-8 text.
int width_of(const std::string& text) {
  int count = 0;
  for (unsigned char c : text) count += (c & 0xC0) != 0x80;
  return count;
}

// The text in lines of at most `width`: broken at spaces, else cut short.
std::vector<std::string> wrap(const std::string& text, int width) {
  std::vector<std::string> lines;
  std::string line;
  size_t start = 0;
  while (start <= text.size()) {
    const size_t end = std::min(text.find(' ', start), text.size());
    std::string word = text.substr(start, end - start);
    start = end + 1;
    if (static_cast<int>(word.size()) > width) {
      word = word.substr(0, static_cast<size_t>(width - 1)) + "\u2026";
    }
    if (line.empty()) {
      line = word;
    } else if (width_of(line) + 1 + width_of(word) <= width) {
      line += " " + word;
    } else {
      lines.push_back(line);
      line = word;
    }
  }
  lines.push_back(line);
  return lines;
}

std::string row(const std::vector<std::string>& cells,
                const std::vector<int>& widths, const char* bar) {
  // The numbers of weights stand to the right.
  std::vector<std::vector<std::string>> parts;
  size_t height = 1;
  for (size_t i = 0; i < cells.size(); ++i) {
    parts.push_back(wrap(cells[i], widths[i]));
    height = std::max(height, parts.back().size());
  }
  std::string text;
  for (size_t l = 0; l < height; ++l) {
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string cell = l < parts[i].size() ? parts[i][l] : "";
      const std::string gap(widths[i] - width_of(cell), ' ');
      text += std::string(bar) + " " + (i == 2 ? gap + cell : cell + gap) + " ";
    }
    text += std::string(bar) + "\n";
  }
  return text;
}

// Layers without weights that Keras counts as built from the start.
bool is_born_built(const layers::Layer& layer) {
  static constexpr std::string_view kNames[] = {"Activation",
                                                "ActivityRegularization",
                                                "AlphaDropout",
                                                "Dropout",
                                                "ELU",
                                                "GaussianDropout",
                                                "GaussianNoise",
                                                "Identity",
                                                "LeakyReLU",
                                                "Masking",
                                                "ReLU",
                                                "Softmax",
                                                "UnitNormalization"};
  const std::string_view kind = layer.class_name();
  return kind.find("Pooling") != std::string_view::npos ||
         std::ranges::find(kNames, kind) != std::end(kNames);
}

std::string parameters_text(const layers::Layer& layer) {
  if (!layer.is_defined()) return "0";
  if (!layer.built()) return is_born_built(layer) ? "0" : "0 (unbuilt)";
  Count count;
  count.add(layer.weights());
  return with_commas(count.elements);
}

int columns_of_output() {
  winsize size{};
  if (!output_is_terminal() || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 ||
      size.ws_col == 0) {
    return kDefaultColumns;
  }
  return size.ws_col;
}

// The widths without borders and blanks, which are taken off evenly, as the
// tables do that Keras prints.
std::vector<int> without_borders(std::vector<int> widths) {
  auto columns = static_cast<int>(widths.size());
  int excess = 3 * columns + 1;
  for (int& width : widths) {
    // Halves go to the even number.
    const int share =
        static_cast<int>(std::nearbyint(static_cast<double>(excess) / columns));
    width -= share;
    excess -= share;
    --columns;
  }
  return widths;
}

// The columns as Keras has them, without borders and blanks.
std::vector<int> column_widths(const SummaryOptions& options,
                               bool is_connected) {
  const std::vector<double> ends = is_connected
                                       ? std::vector{0.3, 0.56, 0.74, 1.0}
                                       : std::vector{0.45, 0.80, 1.0};
  const int length = options.line_length.value_or(
      std::min(is_connected ? kMaxConnectedLength : kMaxLength,
               columns_of_output() - 4));
  std::vector<int> widths;
  int current = 0;
  for (const double end : ends) {
    widths.push_back(static_cast<int>(end * length) - current);
    current += widths.back();
  }
  if (*std::ranges::min_element(widths) < 4) {
    internal::Message("summary")
        .expected("line_length of at least ", is_connected ? 25 : 20)
        .got(length)
        .raise<ValueError>();
  }
  return without_borders(std::move(widths));
}

}  // namespace

std::string Model::summary_text(const SummaryOptions& options) const {
  const std::vector<SummaryRow> rows = base().summary_rows();
  const bool is_connected = !rows.empty() && rows.front().connections;
  const std::vector<int> widths = column_widths(options, is_connected);
  std::string text = "Model: \"" + name() + "\"\n";
  text += rule(widths, "\u250f", "\u2533", "\u2513", "\u2501");
  std::vector<std::string> head{"Layer (type)", "Output Shape", "Param #"};
  if (is_connected) head.emplace_back("Connected to");
  text += row(head, widths, "\u2503");
  text += rule(widths, "\u2521", "\u2547", "\u2529", "\u2501");
  bool first = true;
  for (const SummaryRow& one : rows) {
    if (!first) text += rule(widths, "\u251c", "\u253c", "\u2524", "\u2500");
    first = false;
    std::vector<std::string> cells{one.name + " (" + one.class_name + ")",
                                   one.shape.empty() ? "?" : one.shape,
                                   parameters_text(one.layer)};
    if (is_connected) cells.push_back(one.connections.value_or("-"));
    text += row(cells, widths, "\u2502");
  }
  text += rule(widths, "\u2514", "\u2534", "\u2518", "\u2500");
  Count trainable, fixed, state;
  trainable.add(trainable_weights());
  fixed.add(non_trainable_weights());
  const bool has_state = base().compiled() && base().optimizer().base().built();
  if (has_state) state.add(base().optimizer().variables());
  const Count total{trainable.elements + fixed.elements + state.elements,
                    trainable.bytes + fixed.bytes + state.bytes};
  text += " Total params: " + total.text() + "\n";
  text += " Trainable params: " + trainable.text() + "\n";
  text += " Non-trainable params: " + fixed.text() + "\n";
  if (has_state) text += " Optimizer params: " + state.text() + "\n";
  return text;
}

void Model::summary(const SummaryOptions& options) const {
  systolic::output() << summary_text(options) << std::flush;
}

}  // namespace systolic::models
