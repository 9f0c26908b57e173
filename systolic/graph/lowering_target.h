// LoweringTarget: programs of this thread are written for another platform
// than that of their devices until the guard goes.
//
//   const LoweringTarget tpu(platforms::find_row("tpu"));
//   std::string text = program.emit({});  // without the CPU's kernels
#pragma once

#include "systolic/platforms/table.h"

namespace systolic::internal::graph {

class LoweringTarget {
 public:
  explicit LoweringTarget(const platforms::PlatformRow& row);
  ~LoweringTarget();
  LoweringTarget(const LoweringTarget&) = delete;
  LoweringTarget& operator=(const LoweringTarget&) = delete;

  /// The platform that is written for; null: that of the devices.
  static const platforms::PlatformRow* current();

 private:
  const platforms::PlatformRow* previous_;
};

}  // namespace systolic::internal::graph
