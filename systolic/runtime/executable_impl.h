// What an Executable holds, for this room.
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/pjrt/executable.h"
#include "systolic/runtime/executable.h"

namespace systolic::internal::runtime {

struct Executable::Impl {
  Client* client = nullptr;
  pjrt::LoadedExecutable program;
  std::vector<Device> devices;  // by replica; empty: portable
  std::vector<int64_t> donated;
  size_t num_outputs = 0;
  double compile_seconds = 0;
};

}  // namespace systolic::internal::runtime
