// Parses tf.train.Example and SequenceExample, as tf.io does.
//   const data::Features features{
//       {"image", data::FixedLenFeature({}, DType::string)},
//       {"class", data::FixedLenFeature({}, DType::int64)}};
//   dataset.map([features](std::string_view record) {
//     auto example = data::parse_single_example(record, features);
//     return std::pair(example["image"], example["class"]);
//   });
#pragma once

#include <string_view>
#include <tuple>
#include <utility>

#include "systolic/array/array.h"
#include "systolic/data/element.h"
#include "systolic/data/ragged_array.h"
#include "systolic/data/sparse_array.h"
#include "systolic/records/features.h"

namespace systolic::data {

// A dict of the features of one Example. Throws DataError that names the
// feature, what was expected and what the Example has; and the file and record
// where the bytes are those of an element that a function of a data set was
// given, or of a row of it.
Element parse_single_example(std::string_view serialized,
                             const Features& features);
// The same of a string scalar, such as a row of a batch, wherever it is.
Element parse_single_example(const Array& serialized, const Features& features);

// A dict of the features of many Examples, with a batch axis in front.
// `serialized` is an axis of strings: elements of a data set after batch().
Element parse_example(const Array& serialized, const Features& features);

// Two dicts: the context of a SequenceExample, and its feature lists, where
// FixedLenSequenceFeature gives (steps, ...), VarLenFeature a SparseArray and
// RaggedFeature a RaggedArray of steps.
std::pair<Element, Element> parse_single_sequence_example(
    std::string_view serialized, const Features& context_features,
    const Features& sequence_features);
std::pair<Element, Element> parse_single_sequence_example(
    const Array& serialized, const Features& context_features,
    const Features& sequence_features);

// The same of many, with a batch axis in front, and a dict of int64 (batch)
// with the numbers of steps of each FixedLenSequenceFeature.
std::tuple<Element, Element, Element> parse_sequence_example(
    const Array& serialized, const Features& context_features,
    const Features& sequence_features);

}  // namespace systolic::data
