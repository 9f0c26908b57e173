#include "systolic/kernels/scratch.h"

#include <array>
#include <cstdlib>
#include <memory>
#include <new>

namespace systolic::internal::kernels {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kSlots = static_cast<size_t>(ScratchSlot::masked) + 1;

struct Free {
  void operator()(void* block) const { std::free(block); }
};

struct Block {
  std::unique_ptr<void, Free> data;
  size_t bytes = 0;
};

}  // namespace

void* scratch(ScratchSlot slot, size_t bytes) {
  thread_local std::array<Block, kSlots> blocks;
  if (bytes == 0) return nullptr;
  Block& block = blocks[static_cast<size_t>(slot)];
  if (block.bytes < bytes) {
    size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    block = {};
    block.data.reset(std::aligned_alloc(kAlignment, rounded));
    if (block.data == nullptr) throw std::bad_alloc();
    block.bytes = rounded;
  }
  return block.data.get();
}

}  // namespace systolic::internal::kernels
