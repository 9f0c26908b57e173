// The parameters of a step's function: those that it has written down, or what
// the arguments of a generic lambda are to it. Included by replica_run.h.
//
//   using Parameters = ParametersOf<F, PerReplica>::Type;   // tuple<Tensor>
#pragma once

#include <concepts>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "systolic/data/function.h"
#include "systolic/distribute/distributed_values.h"

namespace systolic::distribute::detail {

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

}  // namespace systolic::distribute::detail
