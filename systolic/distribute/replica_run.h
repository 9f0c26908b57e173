// One call of Strategy::run: the arguments taken to the devices, the function
// recorded once for all replicas, and launched. Included by strategy.h.
#pragma once

#include <concepts>
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/data/function.h"
#include "systolic/distribute/distributed_values.h"

namespace systolic::distribute {

class Strategy;

namespace detail {

/// What an argument is to a function that takes anything (auto).
template <class T>
struct StepType {
  using Type = Tensor;
};
template <class... Ts>
struct StepType<std::tuple<Ts...>> {
  using Type = std::tuple<typename StepType<Ts>::Type...>;
};
template <class A, class B>
struct StepType<std::pair<A, B>> {
  using Type =
      std::pair<typename StepType<A>::Type, typename StepType<B>::Type>;
};
template <class T>
struct StepType<std::vector<T>> {
  using Type = std::vector<typename StepType<T>::Type>;
};
template <class T>
struct StepType<std::map<std::string, T>> {
  using Type = std::map<std::string, typename StepType<T>::Type>;
};

template <class F>
inline constexpr bool kIsTyped =
    data::detail::TypedCallable<F> || data::detail::FunctionPointer<F>;

template <class F, class... Args>
struct ParametersOf {
  static_assert(!(std::same_as<Args, DistributedValues> || ...),
                "the function has no typed parameters: a generic lambda (auto) "
                "can not be matched with a batch of a data set. Write the "
                "types, for example [](Tensor images, Tensor labels) {...}");
  using Type = std::tuple<typename StepType<Args>::Type...>;
};
template <class F, class... Args>
requires kIsTyped<F>
struct ParametersOf<F, Args...> {
  using Type = typename data::detail::FunctionSignature<F>::Parameters;
};

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

/// Calls the function with what the arguments are inside the step.
template <class Parameters, class F>
decltype(auto) call_step(F& function,
                         std::span<const DistributedValues> arguments) {
  constexpr size_t kCount = std::tuple_size_v<Parameters>;
  return call_with(function, spread(arguments, kCount),
                   static_cast<Parameters*>(nullptr),
                   std::make_index_sequence<kCount>());
}

/// A step of all replicas while it is recorded.
class ReplicaRun {
 public:
  /// Takes the arguments to the devices and starts recording. Throws
  /// ValueError inside of another step, for values of another strategy, and
  /// for parts of batches of different rows.
  ReplicaRun(const Strategy& strategy, std::string_view who,
             std::vector<DistributedValues> arguments);
  ~ReplicaRun();
  ReplicaRun(const ReplicaRun&) = delete;
  ReplicaRun& operator=(const ReplicaRun&) = delete;

  /// The arguments as the step sees them.
  const std::vector<DistributedValues>& arguments() const;
  /// Launches the step; gives the results of all replicas.
  std::vector<PerReplica> commit(std::span<const Tensor> results);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

template <class Parameters, class F>
auto run_step(const Strategy& strategy, F& function,
              std::vector<DistributedValues> arguments) {
  using Result = std::decay_t<decltype(call_step<Parameters>(
      function, std::span<const DistributedValues>()))>;
  ReplicaRun run(strategy, "strategy.run", std::move(arguments));
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
    const std::vector<PerReplica> all = run.commit(values);
    ResultReader reader(all);
    return StepTraits<Result>::gather(result, reader);
  }
}

}  // namespace detail
}  // namespace systolic::distribute
