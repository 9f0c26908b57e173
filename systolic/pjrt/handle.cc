#include "systolic/pjrt/handle.h"

#include <exception>

#include "systolic/base/log.h"
#include "systolic/pjrt/call.h"

namespace systolic::internal::pjrt {
namespace {

template <class Raw>
void destroy_with(const abi::Api* api,
                  const Function<abi::NounArgs<Raw>>& function,
                  Raw* raw) noexcept {
  try {
    Padded<abi::NounArgs<Raw>> args;
    args->noun = raw;
    call(api, function, args);
  } catch (const std::exception& error) {
    log(LogLevel::warning, error.what());
  }
}

}  // namespace

void destroy(const abi::Api* api, abi::Error* raw) noexcept {
  try {
    Padded<abi::NounArgs<abi::Error>> args;
    args->noun = raw;
    invoke_void(api, kErrorDestroy, args);
  } catch (const std::exception& error) {
    log(LogLevel::warning, error.what());
  }
}

void destroy(const abi::Api* api, abi::Event* raw) noexcept {
  destroy_with(api, kEventDestroy, raw);
}

void destroy(const abi::Api* api, abi::Client* raw) noexcept {
  destroy_with(api, kClientDestroy, raw);
}

void destroy(const abi::Api* api, abi::Buffer* raw) noexcept {
  destroy_with(api, kBufferDestroy, raw);
}

void destroy(const abi::Api* api, abi::Executable* raw) noexcept {
  destroy_with(api, kExecutableDestroy, raw);
}

void destroy(const abi::Api* api, abi::LoadedExecutable* raw) noexcept {
  destroy_with(api, kLoadedDestroy, raw);
}

void destroy(const abi::Api* api, abi::TopologyDescription* raw) noexcept {
  destroy_with(api, kTopologyDestroy, raw);
}

LiveHandles live_handles() {
  return {
      .errors = live_count<abi::Error>(),
      .events = live_count<abi::Event>(),
      .clients = live_count<abi::Client>(),
      .buffers = live_count<abi::Buffer>(),
      .executables = live_count<abi::Executable>(),
      .loaded_executables = live_count<abi::LoadedExecutable>(),
      .topologies = live_count<abi::TopologyDescription>(),
  };
}

}  // namespace systolic::internal::pjrt
