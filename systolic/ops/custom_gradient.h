// Functions with a gradient of their own, and functions that are run again.
//
//   auto log1pexp = custom_gradient([](const Tensor& x) {
//     const Tensor e = exp(x);
//     return std::pair(log(1 + e), [=](const Tensor& upstream) {
//       return upstream * (1 - 1 / (1 + e));
//     });
//   });
//   auto block = recompute_grad([&](const Tensor& x) { return layer(x); });
#pragma once

#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/graph/arg.h"
#include "systolic/graph/tape.h"

namespace systolic {

namespace internal::ops {

using GradientFunction =
    std::function<std::vector<Tensor>(const std::vector<Tensor>& upstream)>;
using TensorsFunction =
    std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

// The values, with what `grad_fn` gives as the gradients of the arguments.
std::vector<Tensor> with_gradient(const std::vector<Tensor>& arguments,
                                  const std::vector<Tensor>& values,
                                  const GradientFunction& grad_fn,
                                  const SourceLocation& where);

// Throws where a function that has a gradient of its own has read Variables.
void check_no_variables(const GradientTape& watcher,
                        const SourceLocation& where);

// f(arguments), of which the gradient keeps nothing but the arguments.
std::vector<Tensor> recompute(const TensorsFunction& f,
                              const std::vector<Tensor>& arguments,
                              const SourceLocation& where);

template <class T>
inline constexpr bool is_list_v =
    std::is_same_v<std::remove_cvref_t<T>, std::vector<Tensor>>;

// f(arguments[0], arguments[1], ...).
template <class F, size_t... I>
auto apply_to(const F& f, const std::vector<Tensor>& arguments,
              std::index_sequence<I...>) {
  return f(arguments[I]...);
}

// One Tensor or a list as a list.
template <class T>
std::vector<Tensor> as_list(T&& values) {
  if constexpr (is_list_v<T>) {
    return std::forward<T>(values);
  } else {
    return std::vector<Tensor>{std::forward<T>(values)};
  }
}

// A list as T is: a list or one Tensor.
template <class T>
auto like(std::vector<Tensor> values) {
  if constexpr (is_list_v<T>) {
    return values;
  } else {
    return std::move(values[0]);
  }
}

}  // namespace internal::ops

/// `f` with a gradient of its own. It gives a pair: the value (a Tensor or a
/// list) and grad_fn. That takes what the value's elements' gradients are
/// multiplied with (a Tensor or a list) and gives the gradient of each argument
/// (a Tensor for one, else a list; undefined: none). grad_fn is recorded when
/// the function is called while a tape records. Throws ValueError where `f`
/// reads trainable Variables: give them as arguments.
template <class F>
auto custom_gradient(F f, SourceLocation where = SourceLocation::current()) {
  return [f = std::move(f), where]<class... Args>(const Args&... args) {
    const std::vector<Tensor> arguments{Arg(args).tensor()...};
    const GradientTape watcher;
    auto given = internal::ops::apply_to(f, arguments,
                                         std::index_sequence_for<Args...>());
    internal::ops::check_no_variables(watcher, where);
    using Value = typename decltype(given)::first_type;
    const auto gradients = [&](const std::vector<Tensor>& upstream) {
      return internal::ops::as_list(
          given.second(internal::ops::like<Value>(upstream)));
    };
    return internal::ops::like<Value>(internal::ops::with_gradient(
        arguments, internal::ops::as_list(given.first), gradients, where));
  };
}

/// `f` as it is, but its gradient keeps only the arguments: what happens in
/// between is computed again when it is needed. Memory for time. The values of
/// Tensors and Variables that `f` uses are kept too: they are there anyway.
template <class F>
auto recompute_grad(F f, SourceLocation where = SourceLocation::current()) {
  return [f = std::move(f), where]<class... Args>(const Args&... args) {
    const auto call = [&](const std::vector<Tensor>& arguments) {
      return internal::ops::apply_to(f, arguments,
                                     std::index_sequence_for<Args...>());
    };
    using Value = std::invoke_result_t<decltype(call), std::vector<Tensor>>;
    return internal::ops::like<Value>(internal::ops::recompute(
        [&](const std::vector<Tensor>& arguments) {
          return internal::ops::as_list(call(arguments));
        },
        {Arg(args).tensor()...}, where));
  };
}

}  // namespace systolic
