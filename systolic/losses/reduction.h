// How the values of a loss become one number.
//   losses::MeanSquaredError({.reduction = losses::Reduction::sum});
//   losses::reduction_from_name("mean");   // Reduction::mean
#pragma once

#include <cstdint>
#include <string_view>

namespace systolic::losses {

enum class Reduction : uint8_t {
  none,                    // the values as they are, one per example
  sum,                     // their sum
  mean,                    // another name for sum_over_batch_size
  sum_over_batch_size,     // their sum over their number
  mean_with_sample_weight  // their sum over the sum of the sample weights
};

// Keras's name of the reduction, such as "sum_over_batch_size".
std::string_view name(Reduction reduction);

// The reduction with that name.
// Throws: ValueError that lists the names.
Reduction reduction_from_name(std::string_view name);

}  // namespace systolic::losses
