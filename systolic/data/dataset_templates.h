// Templates of a Dataset's bases, which need the whole class. Included by
// dataset.h, which has the example.
#pragma once

#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/data/dataset.h"

namespace systolic::data {

// A data set as a part of an element: what window() gives. From a tuple or
// dict of data sets, one of tuples or dicts is made.
template <>
struct ElementTraits<Dataset> {
  static Element to_element(const Dataset& value) {
    return Element::dataset(value.node());
  }
  static Dataset from_element(const Element& element);
  static ElementSpec spec() { return ElementSpec(); }
};

template <class... More>
Dataset DatasetSources::from_tensor_slices(Element first, Element second,
                                           More... more) {
  return from_tensor_slices(Element::tuple(
      {std::move(first), std::move(second), Element(std::move(more))...}));
}

template <class T>
requires(ArrayElement<T> || std::is_same_v<T, const char*>) Dataset
    DatasetSources::from_tensor_slices(std::initializer_list<T> values) {
  using Value = std::conditional_t<ArrayElement<T>, T, std::string>;
  return from_tensor_slices(
      Element(std::vector<Value>(values.begin(), values.end())));
}

template <class F>
Dataset DatasetGrouping::bucket_by_sequence_length(
    F element_length_func, const BucketOptions& options) const {
  return bucket_elements(
      detail::adapt_function<Element>(std::move(element_length_func),
                                      "bucket_by_sequence_length"),
      options);
}

template <class K, class R>
Dataset DatasetGrouping::group_by_window(
    K key_func, R reduce_func, const GroupByWindowOptions& options) const {
  return group_elements(
      detail::adapt_function<Element>(std::move(key_func), "group_by_window"),
      detail::adapt_function<Dataset>(std::move(reduce_func),
                                      "group_by_window"),
      options);
}

template <class G>
Dataset DatasetSources::from_generator(G generator,
                                       const GeneratorOptions& options) {
  return generated(detail::adapt_generator(std::move(generator)),
                   detail::spec_of_pass<std::decay_t<decltype(generator())>>(),
                   options);
}

template <class... More>
Dataset DatasetSources::zip(const Dataset& first, const Dataset& second,
                            const More&... more) {
  return zip(std::vector<Dataset>{first, second, more...});
}

}  // namespace systolic::data
