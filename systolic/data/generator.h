// Adapts what from_generator() takes: a function that begins anew and returns
// the elements, either as a function of the next one or as a range.
#pragma once

#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "systolic/base/null.h"
#include "systolic/data/element.h"

namespace systolic::data::detail {

// Puts the next element into `*out`, or returns false at the end.
using NextFunction = std::function<bool(Element*)>;
// Begins a pass.
using GeneratorFunction = std::function<NextFunction()>;

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// A function of no arguments that returns a std::optional of an element.
template <class F>
concept NextElement = requires(F& next) {
  requires kIsOptional<std::decay_t<decltype(next())>>;
  requires ToElement<typename std::decay_t<decltype(next())>::value_type>;
};

// What a range-for over elements takes.
template <class R>
concept ElementRange = requires(R& range) {
  requires ToElement<std::decay_t<decltype(*std::begin(range))>>;
  std::begin(range) != std::end(range);
};

// The tree of what `Pass` gives, as far as its type fixes it.
template <class Pass>
ElementSpec spec_of_pass() {
  if constexpr (NextElement<Pass>) {
    using Value =
        typename std::decay_t<decltype(std::declval<Pass&>()())>::value_type;
    if constexpr (requires { ElementTraits<Value>::spec(); }) {
      return ElementTraits<Value>::spec();
    }
  } else if constexpr (ElementRange<Pass>) {
    using Value = std::decay_t<decltype(*std::begin(std::declval<Pass&>()))>;
    if constexpr (requires { ElementTraits<Value>::spec(); }) {
      return ElementTraits<Value>::spec();
    }
  }
  return ElementSpec();
}

// The pass in adapted form.
template <class Pass>
NextFunction adapt_pass(Pass pass) {
  if constexpr (NextElement<Pass>) {
    auto shared = std::make_shared<Pass>(std::move(pass));
    return [shared](Element* out) {
      auto value = (*shared)();
      if (!value) return false;
      *out = Element(*std::move(value));
      return true;
    };
  } else {
    auto range = std::make_shared<Pass>(std::move(pass));
    return [range, position = std::begin(*range)](Element* out) mutable {
      if (!(position != std::end(*range))) return false;
      *out = Element(*position);
      ++position;
      return true;
    };
  }
}

// The generator in adapted form. Refuses at compile time what gives no
// elements.
template <class G>
GeneratorFunction adapt_generator(G generator) {
  using Pass = std::decay_t<decltype(generator())>;
  static_assert(NextElement<Pass> || ElementRange<Pass>,
                "the generator returns a range of elements, or a function "
                "that returns the next one as a std::optional, which is empty "
                "at the end");
  internal::require_function(generator, "from_generator");
  return [shared = std::make_shared<G>(std::move(generator))] {
    return adapt_pass<Pass>((*shared)());
  };
}

}  // namespace systolic::data::detail
