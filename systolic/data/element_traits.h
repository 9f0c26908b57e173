// The C++ types that convert to and from a data::Element. Included by
// element.h, which has the example.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/data/element.h"

namespace systolic::data {
namespace detail {

// Throws TypeError unless `element` is a tuple of `count` items.
void require_tuple(const Element& element, size_t count);
// Throws TypeError unless `element` is a dict.
void require_dict(const Element& element);
// The string of an Array that holds one. Throws TypeError for another dtype,
// ValueError for another size.
const std::string& single_string(const Element& element);

// Whether a C++ value of type T is a scalar Array.
template <class T>
inline constexpr bool kIsNumber =
    systolic::ArrayElement<T> && !std::is_same_v<T, std::string>;

}  // namespace detail

template <>
struct ElementTraits<Element> {
  static Element to_element(Element value) { return value; }
  static Element from_element(Element& element) { return std::move(element); }
  static ElementSpec spec() { return ElementSpec(); }
};

template <>
struct ElementTraits<Array> {
  static Element to_element(Array value) { return Element(std::move(value)); }
  static Array from_element(Element& element) {
    return std::move(element).array();
  }
  static ElementSpec spec() { return ElementSpec::any_array(); }
};

template <class T>
requires detail::kIsNumber<T>
struct ElementTraits<T> {
  static Element to_element(T value) { return Element(Array::scalar(value)); }
  static T from_element(Element& element) {
    return std::as_const(element).array().template item<T>();
  }
  static ElementSpec spec() { return ElementSpec::any_array(); }
};

template <>
struct ElementTraits<std::string> {
  static Element to_element(const std::string& value) {
    return Element(Array::scalar(value));
  }
  static std::string from_element(Element& element) {
    return detail::single_string(element);
  }
  static ElementSpec spec() { return ElementSpec::any_array(); }
};

template <>
struct ElementTraits<const char*> {
  static Element to_element(const char* value) {
    return Element(Array::scalar(value));
  }
  static ElementSpec spec() { return ElementSpec::any_array(); }
};

// The view lives as long as the element.
template <>
struct ElementTraits<std::string_view> {
  static Element to_element(std::string_view value) {
    return Element(Array::scalar(std::string(value)));
  }
  static std::string_view from_element(Element& element) {
    return detail::single_string(element);
  }
  static ElementSpec spec() { return ElementSpec::any_array(); }
};

// The lengths of a shape's axes are an int64 Array, -1 for an unknown one.
template <>
struct ElementTraits<Shape> {
  static Element to_element(const Shape& value) {
    return Element(Array::from(value.dims()));
  }
  static ElementSpec spec() { return ElementSpec::any_array(); }
};

// A vector of numbers or strings is an Array with one axis.
template <class T>
requires systolic::ArrayElement<T>
struct ElementTraits<std::vector<T>> {
  static Element to_element(std::vector<T> value) {
    if constexpr (std::is_same_v<T, std::string>) {
      return Element(Array::from_strings(std::move(value)));
    } else {
      return Element(Array::from(value));
    }
  }
  static ElementSpec spec() { return ElementSpec::any_array(); }
};

template <class... Ts>
requires(ToElement<Ts>&&...) struct ElementTraits<std::tuple<Ts...>> {
  static Element to_element(std::tuple<Ts...> value) {
    std::vector<Element> items;
    items.reserve(sizeof...(Ts));
    std::apply(
        [&](Ts&... item) {
          (items.push_back(ElementTraits<Ts>::to_element(std::move(item))),
           ...);
        },
        value);
    return Element::tuple(std::move(items));
  }
  static std::tuple<Ts...> from_element(Element& element) requires(
      FromElement<Ts>&&...) {
    detail::require_tuple(element, sizeof...(Ts));
    return from_items(element, std::index_sequence_for<Ts...>());
  }
  static ElementSpec spec() {
    return ElementSpec::tuple({ElementTraits<Ts>::spec()...});
  }

 private:
  template <size_t... I>
  static std::tuple<Ts...> from_items(Element& element,
                                      std::index_sequence<I...>) {
    return std::tuple<Ts...>{
        ElementTraits<Ts>::from_element(element.items()[I])...};
  }
};

template <class A, class B>
requires(ToElement<A>&& ToElement<B>) struct ElementTraits<std::pair<A, B>> {
  static Element to_element(std::pair<A, B> value) {
    return ElementTraits<std::tuple<A, B>>::to_element(
        std::tuple<A, B>(std::move(value.first), std::move(value.second)));
  }
  static std::pair<A, B> from_element(Element& element) requires(
      FromElement<A>&& FromElement<B>) {
    detail::require_tuple(element, 2);
    return {ElementTraits<A>::from_element(element.items()[0]),
            ElementTraits<B>::from_element(element.items()[1])};
  }
  static ElementSpec spec() {
    return ElementSpec::tuple(
        {ElementTraits<A>::spec(), ElementTraits<B>::spec()});
  }
};

// A map from strings is a dict.
template <class V>
requires ToElement<V>
struct ElementTraits<std::map<std::string, V>> {
  using Map = std::map<std::string, V>;

  static Element to_element(Map value) {
    std::vector<std::pair<std::string, Element>> entries;
    entries.reserve(value.size());
    for (auto& [key, item] : value) {
      entries.emplace_back(key, ElementTraits<V>::to_element(std::move(item)));
    }
    return Element::dict(std::move(entries));
  }
  static Map from_element(Element& element) requires FromElement<V> {
    detail::require_dict(element);
    Map result;
    for (size_t i = 0; i < element.size(); ++i) {
      result.emplace(element.keys()[i],
                     ElementTraits<V>::from_element(element.items()[i]));
    }
    return result;
  }
  static ElementSpec spec() { return ElementSpec::any_dict(); }
};

}  // namespace systolic::data
