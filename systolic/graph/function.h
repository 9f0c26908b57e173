// function: a function that is recorded once per signature of its arguments,
// and launched without running its code from then on.
//
//   auto f = function([&](Tensor x, int n) {
//     for (int i = 0; i < n; ++i) w.assign_add(x);
//     return sum(w);
//   });
//   f(x, 3); f(y, 3);      // recorded once
//   f(x, 4);               // recorded again: a number counts by its value
//
// Tensors count by dtype and shape, numbers, text and Variables by what they
// are. Captured Variables are read and assigned at each call; other captured
// values are those of the recording. Inside a step, and where a tape follows
// it, the code runs and becomes part of what is recorded there.
#pragma once

#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/graph/function_traces.h"
#include "systolic/graph/structure.h"

namespace systolic {

using internal::graph::FunctionOptions;

template <class Signature>
class Function;

/// A recorded function; copies share what was recorded.
template <class R, class... P>
class Function<R(P...)> {
  static_assert((internal::graph::Structured<P> && ...),
                "an argument of function() is a Tensor, a number, text or a "
                "Variable, or a vector, array, pair, tuple, map or optional of "
                "those; capture other values");
  static_assert(std::is_void_v<R> || internal::graph::Structured<R>,
                "function() returns nothing, a Tensor, or a vector, array, "
                "pair, tuple, map or optional of Tensors");

 public:
  Function(std::function<R(P...)> call, FunctionOptions options)
      : call_(std::move(call)),
        traces_(std::make_shared<internal::graph::FunctionTraces>(
            std::move(options))) {}

  /// Calls it. Throws what the function throws while it is recorded, and
  /// TypeError or ShapeError for Tensors outside the input signature.
  R operator()(P... arguments) const {
    namespace graph = internal::graph;
    graph::Signature signature;
    [[maybe_unused]] const auto take = [&](const auto& argument) {
      signature.next_argument();
      graph::visit_structure(argument, signature);
    };
    (take(arguments), ...);
    if (graph::FunctionTraces::is_inline()) {
      traces_->note(std::move(signature));
      return call_(std::move(arguments)...);
    }
    std::tuple<P...> values(std::move(arguments)...);
    std::shared_ptr<void> skeleton;
    const auto results = traces_->call(
        std::move(signature),
        [&](std::span<const Tensor> inputs, std::shared_ptr<void>& rest) {
          return record(values, inputs, rest);
        },
        skeleton);
    if constexpr (!std::is_void_v<R>) {
      R result = *static_cast<const R*>(skeleton.get());
      put(result, results);
      return result;
    }
  }

  /// For the library: runs the code with these Tensors in the arguments; gives
  /// the Tensors of what it returned, and the rest of that in `rest`.
  std::vector<Tensor> record(std::tuple<P...>& values,
                             std::span<const Tensor> inputs,
                             std::shared_ptr<void>& rest) const {
    put(values, inputs);
    return run(values, rest);
  }
  /// For the library: what was recorded.
  internal::graph::FunctionTraces& traces() const { return *traces_; }

  /// How often its code was recorded: once per signature.
  int experimental_get_tracing_count() const {
    return traces_->tracing_count();
  }

 private:
  // Replaces the Tensors of `value`.
  template <class T>
  static void put(T& value, std::span<const Tensor> tensors) {
    size_t next = 0;
    const auto set = [&](auto& part) {
      using Part = std::remove_cvref_t<decltype(part)>;
      if constexpr (std::is_same_v<Part, Tensor>) part = tensors[next++];
    };
    internal::graph::visit_structure(value, set);
  }

  std::vector<Tensor> run(std::tuple<P...>& values,
                          std::shared_ptr<void>& rest) const {
    const auto call = [this](P&... items) {
      return call_(std::move(items)...);
    };
    if constexpr (std::is_void_v<R>) {
      std::apply(call, values);
      return {};
    } else {
      auto result = std::make_shared<R>(std::apply(call, values));
      std::vector<Tensor> tensors;
      const auto take = [&](auto& part) {
        using Part = std::remove_cvref_t<decltype(part)>;
        if constexpr (std::is_same_v<Part, Tensor>) {
          tensors.push_back(std::exchange(part, Tensor()));
        }
      };
      internal::graph::visit_structure(*result, take);
      rest = std::move(result);
      return tensors;
    }
  }

  std::function<R(P...)> call_;
  std::shared_ptr<internal::graph::FunctionTraces> traces_;
};

namespace internal::graph {

// R(P...) of a call operator or a function, parameters without references.
template <class F>
struct CallSignature {};
template <class R, class... P>
struct CallSignature<std::function<R(P...)>> {
  static_assert(((!std::is_lvalue_reference_v<P> ||
                  std::is_const_v<std::remove_reference_t<P>>)&&...),
                "a parameter of function() is taken by value or const&: what "
                "the code writes to would be written while it is recorded");
  using Type = std::decay_t<R>(std::decay_t<P>...);
};

/// Whether the types of F's parameters are written down: it is no template.
template <class F>
concept TypedFunction = requires(F f) {
  std::function{std::move(f)};
};

}  // namespace internal::graph

/// Makes a function of a callable whose parameters have written types.
template <class F>
auto function(F f, FunctionOptions options = {}) {
  constexpr bool kIsTyped = internal::graph::TypedFunction<F>;
  static_assert(kIsTyped,
                "the function has no typed parameters: a generic lambda (auto) "
                "has no types to go by. Write them, for example "
                "[](Tensor x, int n) {...}");
  if constexpr (kIsTyped) {
    using Call = decltype(std::function{std::move(f)});
    using Type = typename internal::graph::CallSignature<Call>::Type;
    return Function<Type>(std::move(f), std::move(options));
  }
}

}  // namespace systolic
