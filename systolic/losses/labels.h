// check_labels: finds class numbers that no class has, before a step runs.
//
//   losses::check_labels(labels, 10);
//
// On a device such a label cannot be reported: its one-hot row is zero and
// the loss silently wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "systolic/array/array.h"

namespace systolic::losses {

struct LabelCheckOptions {
  /// The label that marks what does not count, if there is one.
  std::optional<int64_t> ignore_class = {};
  /// Who asks, for the message.
  std::string_view who = "SparseCategoricalCrossentropy";
  /// Position of the first row in what the user knows, such as the data set.
  int64_t first_row = 0;
};

/// Looks at every label (numbers of any type, any shape) on the host.
/// Throws: ValueError with the first label outside 0 ... num_classes - 1, its
/// position and a hint; TypeError for strings.
void check_labels(const Array& labels, int64_t num_classes,
                  const LabelCheckOptions& options = {});

}  // namespace systolic::losses
