#include "systolic/array/allocation.h"

#include <new>

namespace systolic::internal {
namespace {

// A cache line, and what a device needs to use the memory in place.
constexpr std::align_val_t kAlignment{64};

struct Free {
  size_t bytes;

  void operator()(std::byte* memory) const {
    ::operator delete(memory, kAlignment);
  }
};

}  // namespace

std::shared_ptr<std::byte> allocate_elements(size_t bytes) {
  auto* memory = static_cast<std::byte*>(
      ::operator new(bytes == 0 ? 1 : bytes, kAlignment));
  return {memory, Free{bytes}};
}

size_t allocated_bytes(const std::shared_ptr<const void>& owner) {
  const Free* const free = std::get_deleter<Free>(owner);
  return free == nullptr ? 0 : free->bytes;
}

}  // namespace systolic::internal
