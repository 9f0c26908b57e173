// Gradients of functions, without a tape in sight.
//
//   auto f = [](const Tensor& x) { return sum(x * x); };
//   auto [value, gradient] = value_and_grad(f)(x);
//   Tensor second = grad(grad(f))(x);         // of one number
//   auto [loss, gradients] = value_and_grad(loss_fn, {w, b})(images, labels);
//
// Arguments are whatever an op takes: Tensors, Variables, Arrays, numbers.
#pragma once

#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include "systolic/graph/arg.h"
#include "systolic/graph/tape.h"

namespace systolic {

namespace internal::graph {

/// Throws ValueError where a function's value is not one number, or the number
/// of an argument is not below `count`.
void check_value(const Tensor& value, const SourceLocation& where);
void check_argnums(const std::vector<int>& argnums, size_t count,
                   const SourceLocation& where);

}  // namespace internal::graph

/// A function of the same arguments that gives the value of `f` and its
/// gradients with respect to the arguments `argnums` (0: the first), zeros
/// where it does not depend on one. `f` gives one number, else the function
/// throws ValueError.
template <class F>
auto value_and_grad(F f, std::vector<int> argnums,
                    SourceLocation where = SourceLocation::current()) {
  return [f = std::move(f), argnums = std::move(argnums),
          where](const auto&... args) {
    internal::graph::check_argnums(argnums, sizeof...(args), where);
    const std::array<Tensor, sizeof...(args)> all{Arg(args).tensor()...};
    std::vector<Tensor> sources;
    GradientTape tape;
    for (const int i : argnums) {
      sources.push_back(all[i]);
      tape.watch(all[i]);
    }
    Tensor value = std::apply(f, all);
    internal::graph::check_value(value, where);
    std::vector<Tensor> gradients = tape.gradient(
        value, sources, {.unconnected_gradients = UnconnectedGradients::zero},
        where);
    return std::pair(std::move(value), std::move(gradients));
  };
}

/// The same with respect to the first argument: one gradient.
template <class F>
auto value_and_grad(F f, SourceLocation where = SourceLocation::current()) {
  return [all = value_and_grad(std::move(f), std::vector<int>{0}, where)](
             const auto&... args) {
    auto [value, gradients] = all(args...);
    return std::pair(std::move(value), std::move(gradients[0]));
  };
}

/// The same with respect to Variables that `f` uses.
template <class F>
auto value_and_grad(F f, std::vector<Variable> variables,
                    SourceLocation where = SourceLocation::current()) {
  return [f = std::move(f), variables = std::move(variables),
          where](const auto&... args) {
    GradientTape tape;
    for (const Variable& variable : variables) tape.watch(variable);
    Tensor value = f(args...);
    internal::graph::check_value(value, where);
    std::vector<Tensor> gradients = tape.gradient(
        value, variables, {.unconnected_gradients = UnconnectedGradients::zero},
        where);
    return std::pair(std::move(value), std::move(gradients));
  };
}

/// As value_and_grad, without the value.
template <class F>
auto grad(F f, SourceLocation where = SourceLocation::current()) {
  return [all = value_and_grad(std::move(f), where)](const auto&... args) {
    return all(args...).second;
  };
}

/// As value_and_grad with these arguments, without the value.
template <class F>
auto grad(F f, std::vector<int> argnums,
          SourceLocation where = SourceLocation::current()) {
  return [all = value_and_grad(std::move(f), std::move(argnums), where)](
             const auto&... args) { return all(args...).second; };
}

}  // namespace systolic
