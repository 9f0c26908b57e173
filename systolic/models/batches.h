// What fit, evaluate and predict are given, as batches and a number of steps.
// Inside of the room models.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "systolic/models/model.h"

namespace systolic::internal::models {

using systolic::models::Arrays;
using systolic::models::DataSource;

/// x, (x, y) or (x, y, sample_weight), as far as they are set. Throws
/// ValueError for weights without y.
data::Element element_of(const Arrays& x, const Arrays& y,
                         const Arrays& sample_weight, std::string_view who);

/// The data as a Dataset of batches; Arrays are cut into batches of 32 unless
/// a size is given, in random order if `shuffle`. Throws ValueError,
/// ShapeError where they do not go together, or with a batch_size for a
/// Dataset.
data::Dataset batches_of(const DataSource& source,
                         std::optional<int64_t> batch_size, bool shuffle,
                         std::string_view who);

/// The Arrays with these weights; `source` itself where there are none.
/// Throws ValueError for weights beside a Dataset.
DataSource with_weights(const DataSource& source, const Arrays& sample_weight,
                        std::string_view who);

/// The first rows of the Arrays, and the last `fraction` of them.
/// Throws ValueError for a Dataset, a fraction outside (0, 1), and where one
/// part would have no row.
std::pair<DataSource, DataSource> split(const DataSource& source,
                                        double fraction);

/// The steps of one pass, as far as they are known beforehand. Throws
/// ValueError where data without end needs `argument`, for an argument below
/// 1, and for data that are known to be empty.
std::optional<int64_t> known_steps(const data::Dataset& dataset,
                                   std::optional<int64_t> asked,
                                   std::string_view who,
                                   std::string_view argument);

/// Throws the ValueError for data without a batch.
[[noreturn]] void raise_empty(const data::Dataset& dataset,
                              std::string_view who);

}  // namespace systolic::internal::models
