// The nouns of the PJRT C API as opaque types, for headers that only point to
// them: `#include "systolic/pjrt/abi.h"` has what can be looked into.
#pragma once

namespace systolic::internal::pjrt::abi {

struct Api;
struct Error;
struct Event;
struct Client;
struct Device;
struct DeviceDescription;
struct Memory;
struct Buffer;
struct Executable;
struct LoadedExecutable;
struct TopologyDescription;

}  // namespace systolic::internal::pjrt::abi
