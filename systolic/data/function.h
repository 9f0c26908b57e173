// Adapts a user's function over Arrays to elements, by the types that its
// parameters are declared with: an element that is a tuple gives one
// parameter per item.
//   adapt_function("map", [](Array image, Array label) { ... });
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/base/null.h"
#include "systolic/data/element.h"

namespace systolic::data::detail {

// A user's function in the one form that transforms call. It may be called
// from several threads at once.
template <class Result>
struct AdaptedFunction {
  std::function<Result(Element&)> call;  // takes the element's parts
  std::vector<ElementSpec> parameters;
  ElementSpec result;
};
using ElementFunction = AdaptedFunction<Element>;
using ElementPredicate = AdaptedFunction<bool>;

// Throws TypeError, naming the element, when a function with these parameters
// cannot take elements of `structure`.
void check_parameters(const std::string& who,
                      const std::vector<ElementSpec>& parameters,
                      const ElementSpec& structure);
// The same for the list of types given to Dataset::as.
void check_types(const std::vector<ElementSpec>& types,
                 const ElementSpec& structure);

template <class R, class... P>
struct SignatureOf {
  using Result = std::decay_t<R>;
  using Parameters = std::tuple<std::remove_cvref_t<P>...>;
  static constexpr size_t kArity = sizeof...(P);
  static constexpr bool kTakesMutableReference =
      ((std::is_lvalue_reference_v<P> &&
        !std::is_const_v<std::remove_reference_t<P>>) ||
       ...);
  static constexpr bool kParametersConvert =
      (FromElement<std::remove_cvref_t<P>> && ...);
};

template <class T>
struct Signature;
template <class R, class... P>
struct Signature<R (*)(P...)> : SignatureOf<R, P...> {};
template <class R, class... P>
struct Signature<R (*)(P...) noexcept> : SignatureOf<R, P...> {};
template <class C, class R, class... P>
struct Signature<R (C::*)(P...)> : SignatureOf<R, P...> {};
template <class C, class R, class... P>
struct Signature<R (C::*)(P...) const> : SignatureOf<R, P...> {};
template <class C, class R, class... P>
struct Signature<R (C::*)(P...) noexcept> : SignatureOf<R, P...> {};
template <class C, class R, class... P>
struct Signature<R (C::*)(P...) const noexcept> : SignatureOf<R, P...> {};

template <class F>
concept TypedCallable = requires {
  &F::operator();
};
template <class F>
concept FunctionPointer =
    std::is_pointer_v<F> && std::is_function_v<std::remove_pointer_t<F>>;

template <class F>
struct FunctionSignature;
template <TypedCallable F>
struct FunctionSignature<F> : Signature<decltype(&F::operator())> {};
template <FunctionPointer F>
struct FunctionSignature<F> : Signature<F> {};

// The element as one value of type T; a tuple of one item stands for its item
// where T is no tuple itself.
template <class T>
T convert_single(Element& element) {
  if (element.kind() == ElementKind::tuple && element.size() == 1 &&
      ElementTraits<T>::spec().kind() != ElementKind::tuple) {
    return ElementTraits<T>::from_element(element.items()[0]);
  }
  return ElementTraits<T>::from_element(element);
}

template <class... P>
std::vector<ElementSpec> parameter_specs(std::tuple<P...>*) {
  return {ElementTraits<P>::spec()...};
}

template <class F, class... P>
decltype(auto) call_with_element(F& f, Element& element, std::tuple<P...>*) {
  if constexpr (sizeof...(P) == 1) {
    return f(convert_single<P...>(element));
  } else {
    auto arguments = ElementTraits<std::tuple<P...>>::from_element(element);
    return std::apply(
        [&](P&... p) -> decltype(auto) { return f(std::move(p)...); },
        arguments);
  }
}

// What filter's predicate returns, as a bool.
inline bool to_bool(const Array& value) { return value.item<bool>(); }
inline bool to_bool(bool value) { return value; }

// What a function returned, as the adapted form's result: a bool of a
// predicate, an Element, or something that converts, such as a Dataset.
template <class Result, class T>
Result adapt_result(T&& value) {
  if constexpr (std::is_same_v<Result, bool>) {
    return to_bool(value);
  } else if constexpr (std::is_same_v<Result, Element>) {
    return Element(std::forward<T>(value));
  } else {
    return Result(std::forward<T>(value));
  }
}

// The function in adapted form; `who` takes it. Refuses at compile time what
// has no typed parameters or whose types are not parts of elements.
template <class Result, class F>
AdaptedFunction<Result> adapt_function(
    F function,
    const char* who = std::is_same_v<Result, bool> ? "filter" : "map") {
  constexpr bool kTyped = TypedCallable<F> || FunctionPointer<F>;
  static_assert(
      kTyped,
      "the function has no typed parameters: a generic lambda (auto) or an "
      "overloaded operator() cannot be matched with the element. Write the "
      "types, for example [](Array image, Array label) { ... }");
  AdaptedFunction<Result> adapted;
  if constexpr (kTyped) {
    using Sig = FunctionSignature<F>;
    using Parameters = typename Sig::Parameters;
    static_assert(Sig::kArity > 0,
                  "the function takes the element: it needs a parameter");
    static_assert(!Sig::kTakesMutableReference,
                  "elements are shared between passes: take a parameter by "
                  "value or by const reference");
    static_assert(Sig::kParametersConvert,
                  "a parameter's type is no part of an element: use Array, "
                  "pair, tuple, map, number, string or data::Element");
    if constexpr (std::is_same_v<Result, bool>) {
      static_assert(std::is_same_v<typename Sig::Result, bool> ||
                        std::is_same_v<typename Sig::Result, Array>,
                    "a predicate returns bool or a boolean Array");
    } else if constexpr (!std::is_same_v<Result, Element>) {
      static_assert(std::is_convertible_v<typename Sig::Result, Result>,
                    "the function returns a data::Dataset");
    } else {
      static_assert(ToElement<typename Sig::Result>,
                    "the function's result is no element: return Array, pair, "
                    "tuple, map, vector, number, string or data::Element");
      adapted.result = ElementTraits<typename Sig::Result>::spec();
    }
    adapted.parameters = parameter_specs(static_cast<Parameters*>(nullptr));
    internal::require_function(function, who);
    auto shared = std::make_shared<F>(std::move(function));
    adapted.call = [shared](Element& element) -> Result {
      constexpr Parameters* kParameters = nullptr;
      return adapt_result<Result>(
          call_with_element(*shared, element, kParameters));
    };
  }
  return adapted;
}

}  // namespace systolic::data::detail
