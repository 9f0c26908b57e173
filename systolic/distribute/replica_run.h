// One call of Strategy::run: the arguments taken to the devices, the function
// recorded once for all replicas, and launched. Included by strategy.h.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/base/rethrow.h"
#include "systolic/distribute/distributed_values.h"
#include "systolic/distribute/step_parameters.h"
#include "systolic/graph/function.h"

namespace systolic::distribute {

class Strategy;

namespace detail {

/// A type that a parameter of a step can have.
template <class T>
concept StepParameter = requires(const DistributedValues& values) {
  {StepTraits<T>::build(values)};
};

/// A type that a step can return.
template <class T>
concept StepResult = requires(const T& value, std::vector<Tensor>& out) {
  {StepTraits<T>::flatten(value, out)};
};

/// One value for each of `count` parameters: the arguments, or the items of
/// the one argument. Throws TypeError where there are more or less.
std::span<const DistributedValues> spread(
    std::span<const DistributedValues> arguments, size_t count);

template <class F, class... P, size_t... I>
decltype(auto) call_with(
    F& function, [[maybe_unused]] std::span<const DistributedValues> values,
    std::tuple<P...>*, std::index_sequence<I...>) {
  static_assert((StepParameter<P> && ...),
                "a parameter of the function is no Tensor, and no pair, tuple, "
                "vector or map of Tensors: capture other values in a lambda");
  return function(StepTraits<P>::build(values[I])...);
}

template <class... P, size_t... I>
std::tuple<P...> tuple_of(
    [[maybe_unused]] std::span<const DistributedValues> values,
    std::index_sequence<I...>) {
  return {StepTraits<P>::build(values[I])...};
}

/// Calls the function with what the arguments are inside the step.
template <class Parameters, class F>
decltype(auto) call_step(F& function,
                         std::span<const DistributedValues> arguments) {
  constexpr size_t kCount = std::tuple_size_v<Parameters>;
  return call_with(function, spread(arguments, kCount),
                   static_cast<Parameters*>(nullptr),
                   std::make_index_sequence<kCount>());
}

/// A step of all replicas: recorded from the first look at the arguments, or
/// what a function was recorded as.
class ReplicaRun {
 public:
  /// Takes the arguments to the devices. Throws ValueError inside of another
  /// step, for values of another strategy, and for parts of batches of
  /// different rows.
  ReplicaRun(const Strategy& strategy, std::string_view who,
             std::vector<DistributedValues> arguments);
  ~ReplicaRun();
  ReplicaRun(const ReplicaRun&) = delete;
  ReplicaRun& operator=(const ReplicaRun&) = delete;

  /// The arguments as the step sees them.
  const std::vector<DistributedValues>& arguments() const;
  /// Starts recording.
  void begin();
  /// Launches the step; gives the results of all replicas.
  std::vector<PerReplica> commit(std::span<const Tensor> results);
  /// Has a function recorded, or launches what it was recorded as.
  std::vector<PerReplica> call(
      internal::graph::FunctionTraces& traces,
      internal::graph::Signature signature,
      const internal::graph::FunctionTraces::Body& body,
      std::shared_ptr<void>& skeleton);

 private:
  std::vector<PerReplica> wrapped(std::span<const Tensor> results) const;

  struct State;
  std::unique_ptr<State> state_;
};

template <class R>
auto gather_results(const R& result, const std::vector<PerReplica>& all) {
  ResultReader reader(all);
  return StepTraits<R>::gather(result, reader);
}

template <class Parameters, class Result, class F>
auto record_and_launch(ReplicaRun& run, F& function) {
  run.begin();
  if constexpr (std::is_void_v<Result>) {
    call_step<Parameters>(function, run.arguments());
    run.commit({});
  } else {
    static_assert(StepResult<Result>,
                  "the function's result is no Tensor, and no pair, tuple, "
                  "vector or map of Tensors");
    const Result result = call_step<Parameters>(function, run.arguments());
    std::vector<Tensor> values;
    StepTraits<Result>::flatten(result, values);
    return gather_results(result, run.commit(values));
  }
}

/// A recorded function is launched as what it was recorded as.
template <class R, class... P>
auto call_function(ReplicaRun& run, const Function<R(P...)>& function) {
  namespace graph = internal::graph;
  static_assert((StepParameter<P> && ...),
                "a parameter of the function is no Tensor, and no pair, tuple, "
                "vector or map of Tensors: capture other values in a lambda");
  std::tuple<P...> parameters = tuple_of<P...>(
      spread(run.arguments(), sizeof...(P)), std::index_sequence_for<P...>());
  graph::Signature signature;
  [[maybe_unused]] const auto take = [&](const auto& argument) {
    signature.next_argument();
    graph::visit_structure(argument, signature);
  };
  std::apply([&](const auto&... argument) { (take(argument), ...); },
             parameters);
  std::shared_ptr<void> skeleton;
  const std::vector<PerReplica> all = run.call(
      function.traces(), std::move(signature),
      [&](std::span<const Tensor> inputs, std::shared_ptr<void>& rest) {
        return function.record(parameters, inputs, rest);
      },
      skeleton);
  if constexpr (!std::is_void_v<R>) {
    static_assert(StepResult<R>,
                  "the function's result is no Tensor, and no pair, tuple, "
                  "vector or map of Tensors");
    return gather_results(*static_cast<const R*>(skeleton.get()), all);
  }
}

template <class F>
inline constexpr bool kIsFunction = false;
template <class Signature>
inline constexpr bool kIsFunction<Function<Signature>> = true;

template <class Parameters, class F>
auto run_step(const Strategy& strategy, F& function,
              std::vector<DistributedValues> arguments) {
  using Result = std::decay_t<decltype(call_step<Parameters>(
      function, std::span<const DistributedValues>()))>;
  ReplicaRun run(strategy, "strategy.run", std::move(arguments));
  try {
    if constexpr (kIsFunction<std::remove_cv_t<F>>) {
      return call_function(run, function);
    } else {
      return record_and_launch<Parameters, Result>(run, function);
    }
  } catch (...) {
    internal::rethrow_with("  in: strategy.run");
  }
}

}  // namespace detail
}  // namespace systolic::distribute
