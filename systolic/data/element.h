// One element of a data set: an Array, or a tuple or dict of elements; or a
// data set, as window() gives them.
//   Element pair(std::pair(image, label));
//   auto [x, y] = pair.to<std::tuple<Array, Array>>();
//   Element named = Element::dict({{"image", image}, {"label", label}});
//   const Array& pixels = named["image"];
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/data/element_spec.h"

namespace systolic::data {

class DatasetBase;
class Element;

// How the C++ type T becomes an Element and is made of one. Specialised in
// element_traits.h; a user's own type joins in by a specialisation:
//   static Element to_element(T value);      T as an element
//   static T from_element(Element& element);  may take the element's parts
//   static ElementSpec spec();                the tree, as far as T fixes it
template <class T>
struct ElementTraits;

// A type that a function given to map() can return.
template <class T>
concept ToElement = requires(T value) {
  {ElementTraits<T>::to_element(std::move(value))};
  {ElementTraits<T>::spec()};
};

// A type that a parameter of a function given to map() can have.
template <class T>
concept FromElement = requires(Element& element) {
  {ElementTraits<T>::from_element(element)};
};

// A tree of Arrays; a copy shares the items until it changes them, and the
// Arrays' buffers.
class Element {
 public:
  // The empty tuple.
  Element() = default;
  // An Array as an element.
  Element(Array array)  // NOLINT
      : kind_(ElementKind::array), array_(std::move(array)) {}
  // A pair, tuple, map, vector, number or string as an element.
  template <class T>
  requires(!std::is_same_v<std::remove_cvref_t<T>, Element> &&
           !std::is_same_v<std::remove_cvref_t<T>, Array> &&
           ToElement<std::decay_t<T>>)
      Element(T&& value)  // NOLINT: conversions are the point.
      : Element(ElementTraits<std::decay_t<T>>::to_element(
            std::decay_t<T>(std::forward<T>(value)))) {}

  // A tuple of `items`.
  static Element tuple(std::vector<Element> items);
  // A dict; the entries are sorted by key. Throws ValueError for a key that
  // occurs twice.
  static Element dict(std::vector<std::pair<std::string, Element>> entries);
  // A data set as an element; Dataset converts by itself.
  static Element dataset(std::shared_ptr<const DatasetBase> dataset);
  // A tuple or dict like `other`, with other items: the same number of them.
  static Element like(const Element& other, std::vector<Element> items);

  // What the element is: never `unknown`.
  ElementKind kind() const { return kind_; }
  bool is_array() const { return kind_ == ElementKind::array; }

  // The Array. Throws TypeError when the element is a tuple or dict.
  const Array& array() const& {
    if (!is_array()) throw_not_an_array();
    return array_;
  }
  Array array() && {
    if (!is_array()) throw_not_an_array();
    return std::move(array_);
  }
  operator const Array&() const& { return array(); }        // NOLINT
  operator Array() && { return std::move(*this).array(); }  // NOLINT

  // The data set. Throws TypeError when the element is none.
  const std::shared_ptr<const DatasetBase>& dataset() const;

  // The items of a tuple or the values of a dict; empty for anything else.
  std::span<const Element> items() const {
    if (items_ == nullptr) return {};
    return *items_;
  }
  std::span<Element> items();
  // The keys of a dict, sorted; empty for anything else.
  std::span<const std::string> keys() const;
  // The number of items; 1 for an Array, 0 for a data set.
  size_t size() const { return is_array() ? 1 : items().size(); }

  // Item `index` of a tuple. Throws OutOfRangeError past the end.
  const Element& operator[](size_t index) const;
  // The value of a dict's `key`. Throws NotFoundError that lists the keys.
  const Element& operator[](std::string_view key) const;

  // The element as a T: Array, pair, tuple, map, number, string. Throws
  // TypeError that names the element when its tree is another, ValueError for
  // an integer that does not fit.
  template <FromElement T>
  T to() const& {
    Element copy(*this);
    return ElementTraits<T>::from_element(copy);
  }
  template <FromElement T>
  T to() && {
    return ElementTraits<T>::from_element(*this);
  }

  // The tree with each Array's dtype and shape.
  ElementSpec spec() const;
  // The bytes of all Arrays; those of a data set do not count.
  size_t nbytes() const;
  // The tree with its Arrays, printed as NumPy prints them.
  std::string to_string() const;

 private:
  [[noreturn]] void throw_not_an_array() const;

  ElementKind kind_ = ElementKind::tuple;
  Array array_;
  // Null where there are none. Shared by copies, so that an element of a
  // cache or of a shuffle buffer is passed on without a new list.
  std::shared_ptr<std::vector<Element>> items_;
  std::shared_ptr<const std::vector<std::string>> keys_;  // of a dict
  std::shared_ptr<const DatasetBase> dataset_;
};

// Writes to_string().
std::ostream& operator<<(std::ostream& out, const Element& element);

// Whether two elements have the same tree and equal Arrays: dtype, shape and
// every value to the last bit. A data set equals only itself.
bool element_equal(const Element& a, const Element& b);

}  // namespace systolic::data

#include "systolic/data/element_rows.h"
#include "systolic/data/element_traits.h"
