// Reading a data set: element by element, or in a range-for.
//   data::Iterator it = dataset.iterator();
//   data::Element first = it.next();
//   for (auto& [image, label] : dataset.as<Array, Array>()) ...
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "systolic/data/dataset_base.h"
#include "systolic/data/function.h"

namespace systolic::data {

// One pass over a data set. Used by one thread at a time. Destroying it in
// mid-pass stops and joins the threads that work for it.
class Iterator {
 public:
  // A pass over `dataset`, which it keeps alive.
  explicit Iterator(std::shared_ptr<const DatasetBase> dataset);
  // A pass that goes on where save() was called on one over an equal data set.
  // Throws ValueError for the state of another one, DataError for damage.
  Iterator(std::shared_ptr<const DatasetBase> dataset, std::string_view state);
  Iterator(Iterator&&) noexcept;
  Iterator& operator=(Iterator&&) noexcept;
  ~Iterator();

  // The next element. Throws OutOfRangeError past the end, and what a user's
  // function threw for the element: an exception of ours stays of its class,
  // another one is nested in a DataError. As in tf.data the next call then goes
  // on behind that element; of a batch, those before it are left out with it.
  Element next();
  // Puts the next element into `*out`, or returns false at the end.
  bool get_next(Element* out);

  // Ends waits for elements: calls return as at the end, then and later. May be
  // called while another thread is in get_next.
  void stop();

  // The position as bytes: what a program keeps to go on here in another run.
  // Waits for elements that are being made. Throws TypeError when a node
  // cannot save its position.
  std::string save();

  // What the stages of the pipeline did up to now: which one is the slowest,
  // what AUTOTUNE chose.
  PipelineReport report() const;

 private:
  struct State;
  void require_state() const;

  std::unique_ptr<State> state_;
};

namespace detail {

// What `as<Ts...>()` makes of an element: the tuple, or the one T.
template <class... Ts>
struct TypedElement {
  using Value = std::tuple<Ts...>;
  static Value convert(Element& element) {
    return ElementTraits<Value>::from_element(element);
  }
};
template <class T>
struct TypedElement<T> {
  using Value = T;
  static Value convert(Element& element) { return convert_single<T>(element); }
};

}  // namespace detail

// The position of a range-for; each element is made of one, as Ts.
template <class... Ts>
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = typename detail::TypedElement<Ts...>::Value;
  using difference_type = std::ptrdiff_t;
  using reference = value_type&;
  using pointer = value_type*;

  // Stands on the first element that `iterator` gives.
  explicit Cursor(Iterator iterator) : iterator_(std::move(iterator)) {
    ++*this;
  }

  // The element, valid until the next step.
  reference operator*() const { return *value_; }
  pointer operator->() const { return &*value_; }
  Cursor& operator++() {
    if (iterator_.get_next(&element_)) {
      value_.emplace(detail::TypedElement<Ts...>::convert(element_));
    } else {
      value_.reset();
    }
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const Cursor& cursor, std::default_sentinel_t) {
    return !cursor.value_.has_value();
  }

 private:
  Iterator iterator_;
  Element element_;  // a std::string_view is one of its strings
  mutable std::optional<value_type> value_;
};

// A data set whose elements are read as Ts: std::tuple<Ts...>, or T for one.
template <class... Ts>
class TypedDataset {
 public:
  using Value = typename detail::TypedElement<Ts...>::Value;

  // Throws TypeError, naming the element, when its tree is another.
  explicit TypedDataset(std::shared_ptr<const DatasetBase> dataset)
      : dataset_(std::move(dataset)) {
    detail::check_types({ElementTraits<Ts>::spec()...}, dataset_->structure());
  }

  Cursor<Ts...> begin() const { return Cursor<Ts...>(Iterator(dataset_)); }
  std::default_sentinel_t end() const { return {}; }

 private:
  std::shared_ptr<const DatasetBase> dataset_;
};

}  // namespace systolic::data
