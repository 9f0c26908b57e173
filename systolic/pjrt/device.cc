#include "systolic/pjrt/device.h"

#include "systolic/pjrt/call.h"
#include "systolic/pjrt/named_value_abi.h"

namespace systolic::internal::pjrt {
namespace {

std::optional<int64_t> value_of(
    const abi::DeviceMemoryStatsArgs::Optional& figure) {
  if (!figure.is_set) return std::nullopt;
  return figure.value;
}

}  // namespace

int DeviceDescription::id() const { return get(api_, kDescriptionId, raw_); }

std::string DeviceDescription::kind() const {
  return get_text(api_, kDescriptionKind, raw_);
}

std::string DeviceDescription::to_string() const {
  return get_text(api_, kDescriptionToString, raw_);
}

NamedValues DeviceDescription::attributes() const {
  Padded<abi::CountedArgs<abi::DeviceDescription, abi::NamedValue>> args;
  args->noun = raw_;
  call(api_, kDescriptionAttributes, args);
  return from_abi({args->items, args->count});
}

DeviceDescription Device::description() const {
  return DeviceDescription(api_, given(get(api_, kDeviceDescription, raw_),
                                       kDeviceDescription.name));
}

Memory Device::memory() const {
  return Memory(api_,
                given(get(api_, kDeviceMemory, raw_), kDeviceMemory.name));
}

std::optional<DeviceMemory> Device::memory_stats() const {
  Padded<abi::DeviceMemoryStatsArgs> args;
  args->device = raw_;
  if (!call_if_implemented(api_, kDeviceMemoryStats, args)) return std::nullopt;
  return DeviceMemory{args->bytes_in_use, value_of(args->peak_bytes_in_use),
                      value_of(args->bytes_limit)};
}

}  // namespace systolic::internal::pjrt
