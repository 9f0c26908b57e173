// What a function takes and gives: Tensors, plain values, and containers of
// them, taken apart into a list and put together again.
//
//   std::pair<Tensor, std::vector<Tensor>> value = ...;
//   std::vector<Tensor> list;
//   visit_structure(value, [&](Tensor& t) { list.push_back(t); });
#pragma once

#include <array>
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/graph/tensor.h"
#include "systolic/graph/variable.h"

namespace systolic::internal::graph {

/// A value that is compared, not computed with: a number, text, a Variable.
template <class T>
concept PlainValue =
    std::integral<T> || std::floating_point<T> || std::is_enum_v<T> ||
    std::same_as<T, std::string> || std::same_as<T, Variable>;

/// How the parts of a T are reached; undefined where a T can not be taken
/// apart.
template <class T>
struct Structure {
  static constexpr bool kIsKnown = false;
};

/// Whether a T is made of Tensors, plain values and containers of them.
template <class T>
concept Structured = Structure<std::remove_cvref_t<T>>::kIsKnown;

/// Calls `act` with each Tensor and plain value of `value`, in order, and with
/// the number of elements of each container whose length is not its type's.
template <class T, class F>
void visit_structure(T& value, F&& act) {
  Structure<std::remove_cvref_t<T>>::visit(value, act);
}

template <class T>
requires(std::same_as<T, Tensor> || PlainValue<T>) struct Structure<T> {
  static constexpr bool kIsKnown = true;
  template <class V, class F>
  static void visit(V& value, F& act) {
    act(value);
  }
};

/// A container of any number of elements of one type.
template <class Container, class Element>
struct SequenceStructure {
  static constexpr bool kIsKnown = Structured<Element>;
  template <class V, class F>
  static void visit(V& value, F& act) {
    const size_t count = value.size();
    act(count);
    for (auto& element : value) visit_structure(element, act);
  }
};

template <class T>
requires(!std::same_as<T, bool>) struct Structure<std::vector<T>>
    : SequenceStructure<std::vector<T>, T> {
};

template <class T, size_t count>
struct Structure<std::array<T, count>>
    : SequenceStructure<std::array<T, count>, T> {};

template <class T>
struct Structure<std::optional<T>> {
  static constexpr bool kIsKnown = Structured<T>;
  template <class V, class F>
  static void visit(V& value, F& act) {
    const size_t count = value.has_value();
    act(count);
    if (value) visit_structure(*value, act);
  }
};

template <class T>
struct Structure<std::map<std::string, T>> {
  static constexpr bool kIsKnown = Structured<T>;
  template <class V, class F>
  static void visit(V& value, F& act) {
    const size_t count = value.size();
    act(count);
    for (auto& [key, element] : value) {
      act(key);
      visit_structure(element, act);
    }
  }
};

/// A pair or a tuple.
template <class... Ts>
struct TupleStructure {
  static constexpr bool kIsKnown = (Structured<Ts> && ...);
  template <class V, class F>
  static void visit(V& value, F& act) {
    std::apply([&](auto&... items) { (visit_structure(items, act), ...); },
               value);
  }
};

template <class... Ts>
struct Structure<std::tuple<Ts...>> : TupleStructure<Ts...> {};

template <class A, class B>
struct Structure<std::pair<A, B>> : TupleStructure<A, B> {};

}  // namespace systolic::internal::graph
