// Looking into programs while they run.
//
//   debug::print("step", i, "loss", loss);     // each time it is computed
//   Tensor y = debug::check_numerics(x, "activations");
//   debug::enable_check_numerics();            // for every operation
//
// Inside a step (a function, strategy.run, fit, the body of a loop) the values
// are kept on the devices and shown once the launch has ended, in the order of
// the program; outside they are shown at once. SYSTOLIC_DUMP=<folder> writes
// the StableHLO text of each program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "systolic/graph/arg.h"
#include "systolic/graph/variable.h"

namespace systolic::debug {

/// Text, or a value that has its place in the printed line.
class Part {
 public:
  Part(const char* text) : text_(text) {}
  Part(std::string_view text) : text_(text) {}
  Part(const std::string& text) : text_(text) {}
  Part(const Tensor& tensor) : tensor_(tensor) {}
  Part(const Variable& variable) : tensor_(variable.value()) {}
  Part(const Array& array) : text_(array.to_string()) {}
  template <class T>
  requires std::integral<T> || std::floating_point<T> Part(T value)
      : text_(Array::scalar(value).to_string()) {}

  const std::string& text() const { return text_; }
  const Tensor& tensor() const { return tensor_; }
  bool is_value() const { return tensor_.is_defined(); }

 private:
  std::string text_;
  Tensor tensor_;
};

/// Prints the parts in a line, with spaces between them, to output().
void print_parts(const std::vector<Part>& parts);

/// Prints text and values in a line, as tf.print: to output(), with spaces
/// between them; in a program of several replicas a line for each, which
/// begins with `replica <n>:`. The last 1,024 lines of a loop are kept, or
/// 16 MB of them.
template <class... Parts>
void print(const Parts&... parts) {
  print_parts({Part(parts)...});
}

/// x itself. Once it is computed, a NaN or an infinity in it is a ValueError
/// that says `message`, what computed x and at which line.
Tensor check_numerics(const Arg& x, std::string_view message);

/// Checks the results of every operation that is recorded from now on, on all
/// threads: slow, for finding the first bad one. Throws as check_numerics.
void enable_check_numerics();

/// Ends enable_check_numerics.
void disable_check_numerics();

}  // namespace systolic::debug
