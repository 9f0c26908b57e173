// From what was recorded to the figures of utilization.h. For this room.
#pragma once

#include <optional>
#include <string>

#include "systolic/runtime/usage.h"
#include "systolic/runtime/utilization.h"

namespace systolic::internal::runtime {

// What the devices could do together, a second; what is not published is not
// set.
struct Peaks {
  std::optional<double> flops = {};
  std::optional<double> memory_bytes = {};
  // Of a device in an exchange of all.
  std::optional<double> exchange_bytes = {};
};

// The peaks of a device by its kind, "TPU v3"; nothing for others.
Peaks peaks_of_kind(const std::string& kind);

// The times and amounts between two readings; memory is not among them.
systolic::runtime::Utilization figures(const Usage& from, const Usage& to,
                                       const Peaks& peaks_of_one);

// Sets the bottleneck and the advice by the other figures.
void name_bottleneck(systolic::runtime::Utilization& figures);

}  // namespace systolic::internal::runtime
