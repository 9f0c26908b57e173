#include "systolic/array/allocation.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "systolic/array/array.h"

namespace systolic::internal {
namespace {

TEST(AllocationTest, StartsAtACacheLine) {
  for (const size_t bytes : {0, 1, 100, 1 << 20}) {
    const auto memory = allocate_elements(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.get()) % 64, 0u);
    EXPECT_EQ(allocated_bytes(memory), bytes);
  }
}

TEST(AllocationTest, AViewKeepsTheWhole) {
  const Array whole = Array::zeros({1000, 4});
  EXPECT_EQ(allocated_bytes(whole[3].owner()), whole.nbytes());
  EXPECT_EQ(allocated_bytes(whole.reshaped({-1}).owner()), whole.nbytes());
}

TEST(AllocationTest, MemoryOfOthersIsNotKnown) {
  const auto bytes = std::make_shared<int64_t>(7);
  const Array shared =
      Array::share({DType::int64, Shape({1})}, bytes.get(), bytes);
  EXPECT_EQ(allocated_bytes(shared.owner()), 0u);
  EXPECT_EQ(allocated_bytes(nullptr), 0u);
  EXPECT_EQ(allocated_bytes(Array::from_strings({"a"}).owner()), 0u);
}

}  // namespace
}  // namespace systolic::internal
