#include "systolic/kernels/scratch.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <thread>

namespace systolic::internal::kernels {
namespace {

TEST(ScratchTest, IsAlignedAndGrows) {
  for (size_t bytes : {size_t{1}, size_t{1000}, size_t{1} << 20}) {
    void* block = scratch(ScratchSlot::primitive, bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
    std::memset(block, 1, bytes);
  }
  EXPECT_EQ(scratch(ScratchSlot::primitive, 0), nullptr);
}

TEST(ScratchTest, IsKept) {
  void* block = scratch(ScratchSlot::call_filter, 4096);
  EXPECT_EQ(scratch(ScratchSlot::call_filter, 4096), block);
  EXPECT_EQ(scratch(ScratchSlot::call_filter, 100), block);
}

TEST(ScratchTest, SlotsAndThreadsDoNotShare) {
  void* mine = scratch(ScratchSlot::primitive, 4096);
  EXPECT_NE(scratch(ScratchSlot::call_filter, 4096), mine);
  void* theirs = nullptr;
  std::thread([&] { theirs = scratch(ScratchSlot::primitive, 4096); }).join();
  EXPECT_NE(theirs, mine);
}

}  // namespace
}  // namespace systolic::internal::kernels
