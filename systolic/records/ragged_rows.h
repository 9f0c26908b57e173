// The rows of a RaggedFeature's partitions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/data/ragged_array.h"
#include "systolic/records/feature_builder.h"
#include "systolic/records/features.h"

namespace systolic::data::detail {

// The lengths of the rows into which `partition` cuts the `count` values of
// `value_key`. Throws DataError where its numbers do not.
std::vector<int64_t> row_lengths(const ExampleView& example,
                                 const std::string& value_key,
                                 const RaggedPartition& partition,
                                 int64_t count);

// 0 and the running sums of `lengths`: int64[n + 1].
Array splits_of(const std::vector<int64_t>& lengths);

// The element of a RaggedArray whose splits have `dtype`. Throws DataError
// naming the feature where they do not fit into it.
Element ragged_element(const std::string& name, RaggedArray array, DType dtype);

}  // namespace systolic::data::detail
