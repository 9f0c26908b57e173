// Strategies over devices that are named: one device, or one replica on each
// of several.
//
//   distribute::OneDeviceStrategy here("/GPU:0");
//   distribute::MirroredStrategy all;                      // this host's GPUs
//   distribute::MirroredStrategy four({"CPU:0", "CPU:1", "CPU:2", "CPU:3"});
#pragma once

#include <string>
#include <vector>

#include "systolic/distribute/strategy.h"

namespace systolic::distribute {

/// One device: for trying a strategy's program on a single one.
class OneDeviceStrategy : public Strategy {
 public:
  /// On a device such as "/CPU:0", "/GPU:1" or "/TPU:0". Throws ValueError for
  /// a name that is no device's, PlatformError where its plugin can not be
  /// loaded.
  explicit OneDeviceStrategy(const std::string& device);
};
static_assert(sizeof(OneDeviceStrategy) == sizeof(Strategy));

/// One replica on each of several devices of this host.
class MirroredStrategy : public Strategy {
 public:
  /// On all GPUs of this host; on its CPU, with a warning, where it has none.
  MirroredStrategy();
  /// On these devices of one kind; "CPU:0" ... "CPU:7" are eight virtual
  /// devices of the CPU. Throws ValueError for no device, a name that is no
  /// device's or stands there twice, and for devices of several kinds.
  explicit MirroredStrategy(const std::vector<std::string>& devices);
};
static_assert(sizeof(MirroredStrategy) == sizeof(Strategy));

}  // namespace systolic::distribute
