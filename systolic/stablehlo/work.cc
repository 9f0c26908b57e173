#include "systolic/stablehlo/work.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "systolic/stablehlo/statement_text.h"

namespace systolic::internal::stablehlo {

WorkAmount& WorkAmount::operator+=(const WorkAmount& other) {
  flops += other.flops;
  exchanged_bytes += other.exchanged_bytes;
  return *this;
}

WorkAmount WorkAmount::operator*(double times) const {
  return {.flops = flops * times, .exchanged_bytes = exchanged_bytes * times};
}

void Work::add(const Work& other, double times) {
  amount += other.amount * times;
  flops_once += other.flops_once;
  is_least = is_least || other.is_least;
  for (const Loop& loop : other.loops) {
    Work turn;
    turn.add(loop.turn, times);
    loops.push_back({loop.argument, std::move(turn)});
  }
}

WorkAmount Work::total(
    const std::function<std::optional<int64_t>(int argument)>& turns) const {
  WorkAmount all = amount;
  for (const Loop& loop : loops) {
    const auto times = static_cast<double>(turns(loop.argument).value_or(1));
    all += loop.turn.total(turns) * std::max(times, 0.0);
  }
  return all;
}

namespace {

int64_t value_or(const std::vector<int64_t>& values, size_t i,
                 int64_t otherwise) {
  return i < values.size() ? values[i] : otherwise;
}

double product(const TypeText& type, const std::vector<int64_t>& axes) {
  double count = 1;
  for (const int64_t axis : axes) {
    count *=
        static_cast<double>(value_or(type.dims, static_cast<size_t>(axis), 1));
  }
  return count;
}

// One spatial axis of a convolution.
struct Axis {
  int64_t input, window, stride, low, high;
  int64_t window_dilation = 1;
  int64_t base_dilation = 1;

  int64_t reach() const { return (window - 1) * window_dilation + 1; }
  int64_t outputs() const {
    const int64_t room = (input - 1) * base_dilation + 1 + low + high;
    return room < reach() ? 0 : (room - reach()) / stride + 1;
  }
  // Pairs of an output and an element of the window that meet an element of
  // the input, not the padding nor what dilation puts in between.
  double meetings() const {
    int64_t count = 0;
    for (int64_t k = 0; k < window; ++k) {
      for (int64_t o = 0, end = outputs(); o < end; ++o) {
        const int64_t at = o * stride + k * window_dilation - low;
        if (at >= 0 && at % base_dilation == 0 && at / base_dilation < input) {
          ++count;
        }
      }
    }
    return static_cast<double>(count);
  }
};

// Of NHWC `x` with HWIO `w`: images of the result, its features and those that
// each is made of, the spatial axes.
double convolution_flops(double images, const TypeText& w,
                         const std::vector<Axis>& axes) {
  const size_t rank = w.dims.size();
  if (rank < 2) return 0;
  double flops = 2 * images * static_cast<double>(w.dims[rank - 1]) *
                 static_cast<double>(w.dims[rank - 2]);
  for (const Axis& axis : axes) flops *= axis.meetings();
  return flops;
}

double flops_of_convolution(const StatementText& s) {
  const auto operands = s.operand_types();
  const auto results = s.result_types();
  if (operands.size() < 2 || results.empty() || results[0].dims.empty()) {
    return 0;
  }
  const auto strides = s.numbers("window_strides");
  const auto padding = s.numbers("padding");
  const auto base = s.numbers("lhs_dilation");
  const auto dilation = s.numbers("rhs_dilation");
  std::vector<Axis> axes;
  for (size_t i = 0; i + 2 < operands[0].dims.size(); ++i) {
    axes.push_back({.input = operands[0].dims[i + 1],
                    .window = value_or(operands[1].dims, i, 1),
                    .stride = value_or(strides, i, 1),
                    .low = value_or(padding, 2 * i, 0),
                    .high = value_or(padding, 2 * i + 1, 0),
                    .window_dilation = value_or(dilation, i, 1),
                    .base_dilation = value_or(base, i, 1)});
  }
  return convolution_flops(static_cast<double>(results[0].dims[0]), operands[1],
                           axes);
}

double flops_of_dot(const StatementText& s) {
  const auto operands = s.operand_types();
  const auto results = s.result_types();
  if (operands.empty() || results.empty()) return 0;
  return 2 * results[0].elements() *
         product(operands[0], s.numbers("lhs_contracting_dimensions"));
}

// x is [batch, m, k] or [batch, k, m], y likewise: k from the sizes.
double flops_of_matmul_kernel(const StatementText& s) {
  const auto operands = s.operand_types();
  const auto results = s.result_types();
  if (operands.size() < 2 || results.empty()) return 0;
  const double elements = results[0].elements();
  if (elements == 0) return 0;
  double batch = 1;
  for (size_t i = 0; i + 2 < results[0].dims.size(); ++i) {
    batch *= static_cast<double>(results[0].dims[i]);
  }
  return 2 * elements *
         std::round(std::sqrt(operands[0].elements() * operands[1].elements() /
                              (elements * batch)));
}

// The kernels for convolutions; a gradient is one or two of the forward's.
double flops_of_convolution_kernel(const StatementText& s, const TypeText& x,
                                   const TypeText& w) {
  const auto strides = s.numbers("strides");
  const auto low = s.numbers("padding_low");
  const auto high = s.numbers("padding_high");
  const auto dilation = s.numbers("dilation");
  std::vector<Axis> axes;
  for (size_t i = 0; i + 2 < x.dims.size(); ++i) {
    axes.push_back({.input = x.dims[i + 1],
                    .window = value_or(w.dims, i, 1),
                    .stride = value_or(strides, i, 1),
                    .low = value_or(low, i, 0),
                    .high = value_or(high, i, 0),
                    .window_dilation = value_or(dilation, i, 1)});
  }
  return x.dims.empty()
             ? 0
             : convolution_flops(static_cast<double>(x.dims[0]), w, axes);
}

double flops_of_convolution_gradient(const StatementText& s) {
  const auto operands = s.operand_types();
  const auto results = s.result_types();
  const bool of_input = s.is_true("input");
  const bool of_filter = s.is_true("filter");
  const size_t both = (of_input ? 1 : 0) + (of_filter ? 1 : 0);
  if (both == 0 || results.size() < both || operands.size() <= both) return 0;
  // The operands end with x, for the filter's, and w, for the input's.
  const TypeText& x = of_input ? results[0] : operands.back();
  const TypeText& w = of_filter ? results[both - 1] : operands.back();
  return static_cast<double>(both) * flops_of_convolution_kernel(s, x, w);
}

double flops_of_call(const StatementText& s) {
  const std::string_view target = s.text("call_target_name");
  if (target == "systolic_matmul") return flops_of_matmul_kernel(s);
  if (target == "systolic_conv2d_gradient") {
    return flops_of_convolution_gradient(s);
  }
  if (target != "systolic_conv2d_forward") return 0;
  const auto operands = s.operand_types();
  return operands.size() < 2
             ? 0
             : flops_of_convolution_kernel(s, operands[0], operands[1]);
}

double flops_of(const StatementText& s) {
  if (s.op == "dot_general") return flops_of_dot(s);
  if (s.op == "convolution") return flops_of_convolution(s);
  if (s.op == "custom_call") return flops_of_call(s);
  return 0;
}

bool is_collective(std::string_view op) {
  constexpr std::string_view kAll[] = {"all_reduce", "all_gather",
                                       "reduce_scatter", "all_to_all",
                                       "collective_permute"};
  return std::ranges::find(kAll, op) != std::end(kAll);
}

double bytes_of(const std::vector<TypeText>& types) {
  double bytes = 0;
  for (const TypeText& type : types) bytes += type.bytes();
  return bytes;
}

// Reads a module line by line; statements with regions are on a stack.
class WorkReader {
 public:
  Work read(std::string_view text) {
    open_.push_back({});
    while (!text.empty()) {
      const size_t end = text.find('\n');
      read_line(text.substr(0, end));
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + 1);
    }
    return std::move(open_.front().region);
  }

 private:
  // A statement whose regions are being read.
  struct Open {
    StatementText statement;
    Work region = {};  // the one that is being read
    std::vector<Work> done = {};
    // Of each region: its arguments and what it returns first.
    std::vector<std::vector<int>> arguments = {};
    std::vector<int> returned = {};
  };
  struct Compare {
    int left, right;
  };

  void read_line(std::string_view line) {
    if (line.starts_with("func.func")) {
      const size_t results = line.rfind("->");
      const auto numbers = parse_arguments(line.substr(0, results));
      for (size_t i = 0; i < numbers.size(); ++i) {
        arguments_[numbers[i]] = static_cast<int>(i);
      }
    } else if (line.starts_with("^bb0(")) {
      Open& open = open_.back();
      open.arguments.resize(open.done.size());
      open.arguments.push_back(parse_arguments(line));
    } else if (line.starts_with("}, {")) {
      end_region();
    } else if (line.starts_with("})") && open_.size() > 1) {
      end_region();
      close(line);
    } else {
      read_statement(parse_statement(line));
    }
  }

  void read_statement(const StatementText& s) {
    if (s.op.empty()) return;
    if (s.line.ends_with("({")) {
      open_.push_back({.statement = s});
      return;
    }
    Open& open = open_.back();
    if (s.op == "return") {
      open.returned.resize(open.done.size(), -1);
      open.returned.push_back(s.operands.empty() ? -1 : s.operands[0]);
    } else if (s.op == "constant") {
      read_constant(s);
    } else if (s.operands.size() == 2 && s.op == "compare" &&
               s.line.find("comparison_direction LT>") !=
                   std::string_view::npos) {
      compares_[s.result] = {s.operands[0], s.operands[1]};
    } else if (s.operands.size() == 2 && s.op == "add") {
      adds_[s.result] = {s.operands[0], s.operands[1]};
    }
    const double flops = flops_of(s);
    open.region.amount.flops += flops;
    open.region.flops_once += flops;
    if (is_collective(s.op)) {
      open.region.amount.exchanged_bytes += bytes_of(s.operand_types());
    }
  }

  void read_constant(const StatementText& s) {
    const auto types = s.result_types();
    if (types.size() != 1 || !types[0].dims.empty()) return;
    if (s.line.ends_with("tensor<i32>)") || s.line.ends_with("tensor<i64>)")) {
      const auto numbers = s.numbers("value");
      if (numbers.size() == 1) constants_[s.result] = numbers[0];
    }
  }

  void end_region() {
    Open& open = open_.back();
    open.done.push_back(std::move(open.region));
    open.region = {};
    open.arguments.resize(open.done.size());
    open.returned.resize(open.done.size(), -1);
  }

  // `line` has the types of what is closed.
  void close(std::string_view line) {
    const Open open = std::move(open_.back());
    open_.pop_back();
    Work& outer = open_.back().region;
    if (open.statement.op == "while" && open.done.size() == 2) {
      add_loop(open, outer);
    } else if (open.statement.op == "case" || open.statement.op == "if") {
      // One of them is taken: the one with the most work, for all that is
      // known.
      const auto most = std::ranges::max_element(
          open.done, {}, [](const Work& work) { return work.amount.flops; });
      outer.add(*most);
    } else {
      for (const Work& region : open.done) outer.add(region);
    }
    if (is_collective(open.statement.op)) {
      outer.amount.exchanged_bytes +=
          bytes_of(StatementText{.line = line}.operand_types());
    }
  }

  // A loop that counts from 0 turns as often as it compares with.
  void add_loop(const Open& open, Work& outer) {
    const Work& body = open.done[1];
    if (body.is_empty()) return;
    const int limit = limit_of(open);
    const auto known = constants_.find(limit);
    const auto argument = arguments_.find(limit);
    if (limit >= 0 && known != constants_.end()) {
      outer.add(body, static_cast<double>(std::max<int64_t>(known->second, 0)));
    } else if (limit >= 0 && argument != arguments_.end()) {
      outer.flops_once += body.flops_once;
      outer.loops.push_back({argument->second, body});
    } else {
      outer.add(body);
      outer.is_least = true;
    }
  }

  // The value that a counter from 0 in steps of 1 stays below; -1 where the
  // loop is no such one.
  int limit_of(const Open& open) const {
    const auto& first = open.arguments;
    if (open.statement.operands.empty() || first[0].empty() ||
        first[1].empty()) {
      return -1;
    }
    const auto start = constants_.find(open.statement.operands[0]);
    const auto compare = compares_.find(open.returned[0]);
    const auto next = adds_.find(open.returned[1]);
    if (start == constants_.end() || start->second != 0 ||
        compare == compares_.end() || compare->second.left != first[0][0] ||
        next == adds_.end() || next->second.left != first[1][0]) {
      return -1;
    }
    const auto step = constants_.find(next->second.right);
    return step != constants_.end() && step->second == 1 ? compare->second.right
                                                         : -1;
  }

  std::vector<Open> open_;
  std::unordered_map<int, int> arguments_;  // of the program, by number
  std::unordered_map<int, int64_t> constants_;
  std::unordered_map<int, Compare> compares_;
  std::unordered_map<int, Compare> adds_;
};

}  // namespace

Work work_of(std::string_view module) { return WorkReader().read(module); }

}  // namespace systolic::internal::stablehlo
