// FunctionTraces: what a function was recorded as, by the signature of a call.
// The inside of function(): no types of the user's function are known here.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "systolic/graph/program_listing.h"
#include "systolic/graph/step.h"
#include "systolic/graph/structure.h"

namespace systolic::internal::graph {

/// The arguments of a call: Tensors, which count by spec, and plain values.
class Signature {
 public:
  /// What a plain value is compared by; a Variable is its state.
  using Plain = std::variant<int64_t, double, std::string, VariablePtr>;

  /// Begins the next argument.
  void next_argument() { ++argument_; }
  void operator()(const Tensor& tensor);
  template <PlainValue T>
  void operator()(const T& value) {
    if constexpr (std::same_as<T, std::string>) {
      add(Plain(value));
    } else if constexpr (std::same_as<T, Variable>) {
      add(Plain(value.state()));
    } else if constexpr (std::floating_point<T>) {
      add(Plain(static_cast<double>(value)));
    } else {
      add(Plain(static_cast<int64_t>(value)));
    }
  }

  const std::vector<Tensor>& inputs() const { return inputs_; }
  /// Takes the Tensors out: a signature that is kept holds no values.
  std::vector<Tensor> take_inputs() { return std::move(inputs_); }

  /// Whether one program serves both.
  bool fits(const Signature& other) const;
  /// The first argument in which they differ: "argument 2 is 4 that was 3".
  std::string difference(const Signature& before) const;
  /// Throws TypeError or ShapeError unless the Tensors are as said.
  void check(std::string_view name, std::span<const TensorSpec> wanted) const;

 private:
  struct Part {
    int argument;
    Plain value;
    bool operator==(const Part&) const = default;
  };
  struct TensorPart {
    int argument;
    TensorSpec spec;  // unset where the Tensor is undefined
    bool operator==(const TensorPart&) const = default;
  };
  void add(Plain value) { parts_.push_back({argument_, std::move(value)}); }

  int argument_ = -1;
  std::vector<Tensor> inputs_;
  std::vector<TensorPart> tensors_;
  std::vector<Part> parts_;
};

/// How a recorded function is launched, and what it gives.
struct FunctionProgram {
  StepPlan plan;
  /// What the function returned, without its Tensors.
  std::shared_ptr<void> skeleton;
  /// Which of its Tensors hold a value.
  std::vector<bool> defined;
};

/// What one signature was recorded as.
struct FunctionTrace {
  Signature signature;
  const Placement* placement = nullptr;
  /// Null where it can not be repeated, and while it is recorded.
  std::shared_ptr<const FunctionProgram> program;
  ProgramListing listing;
  /// State that its operations keep: what unseeded random numbers go on from.
  std::vector<Variable> state;
};

/// Where a function runs.
struct FunctionPlace {
  const Placement* placement = nullptr;
  /// What the call is called in messages; empty: the function's name.
  std::string_view step_name = {};
  /// Tells the step what is known of the call. The Tensors are those of
  /// `beside`, as the step sees them; null: nothing.
  std::function<void(Context&, std::span<const Tensor>)> prepare = {};
  /// Tensors of the call that are no arguments; they count by their specs.
  std::vector<Tensor> beside = {};
};

/// How a function is recorded once per signature.
struct FunctionOptions {
  /// What it is called in messages.
  std::string name = "function";
  /// What the Tensors of all arguments must be, in order; sizes may be -1.
  std::vector<TensorSpec> input_signature = {};
};

class FunctionTraces {
 public:
  /// Runs the user's function on these Tensors; gives the Tensors of what it
  /// returned, and the rest of that in `skeleton`.
  using Body = std::function<std::vector<Tensor>(
      std::span<const Tensor> inputs, std::shared_ptr<void>& skeleton)>;

  explicit FunctionTraces(FunctionOptions options)
      : options_(std::move(options)) {}

  /// Whether a call now becomes part of what is recorded around it: inside a
  /// step, and where a tape follows it.
  static bool is_inline();

  /// For an inline call: checks the signature, and counts it if it is new.
  void note(Signature signature);

  /// Records or launches, in one call at a time; gives the Tensors of the
  /// result.
  std::vector<Tensor> call(Signature signature, const Body& body,
                           std::shared_ptr<void>& skeleton);
  /// The same at a place that is not the thread's.
  std::vector<Tensor> call(Signature signature, const Body& body,
                           std::shared_ptr<void>& skeleton,
                           const FunctionPlace& place);

  /// How often the function was recorded.
  int tracing_count() const;
  const std::string& name() const { return options_.name; }

 private:
  FunctionTrace* find(const Signature& signature, const Placement* placement);
  std::shared_ptr<const FunctionProgram> program_of(
      const Signature& signature, const Placement* placement) const;
  FunctionTrace& add(Signature signature, const Placement* placement);
  void tell_reason(const Signature& signature);
  void tell_kept(const Step& step) const;
  std::vector<Tensor> record(FunctionTrace& trace,
                             const std::vector<Tensor>& inputs,
                             const Body& body, std::shared_ptr<void>& skeleton,
                             const FunctionPlace& place);
  void inspect(Step& step, FunctionTrace& trace,
               const std::vector<Tensor>& inputs) const;

  FunctionOptions options_;
  // Held while it is recorded: a second thread waits for what that gives. The
  // code itself may call the function, outside of the step, too.
  std::recursive_mutex recording_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<FunctionTrace>> traces_;
  std::vector<Signature> inline_signatures_;
  int count_ = 0;
  bool has_warned_ = false;
};

/// Whether SYSTOLIC_CHECK_FUNCTIONS asks for each call to be recorded.
bool checks_functions();

}  // namespace systolic::internal::graph
