#include "systolic/array/allocation.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

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

class KeptMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    release_kept_memory();
    allocate_elements(kLeastKeptBlock);
    if (kept_memory() == 0) GTEST_SKIP() << "AddressSanitizer keeps nothing";
    release_kept_memory();
  }
  void TearDown() override { release_kept_memory(); }
};

TEST_F(KeptMemoryTest, TheBlockThatCameLastIsTheNextOne) {
  auto first = allocate_elements(kLeastKeptBlock);
  auto second = allocate_elements(kLeastKeptBlock);
  const std::byte* last = first.get();
  second.reset();
  first.reset();
  EXPECT_EQ(kept_memory(), 2 * kLeastKeptBlock);
  EXPECT_EQ(allocate_elements(kLeastKeptBlock).get(), last);
}

TEST_F(KeptMemoryTest, SizesThatDifferLittleShareTheirBlocks) {
  auto memory = allocate_elements(1'000'000);
  const std::byte* before = memory.get();
  memory.reset();
  memory = allocate_elements(990'000);
  EXPECT_EQ(memory.get(), before);
  EXPECT_EQ(kept_memory(), 0u);
  EXPECT_NE(allocate_elements(600'000).get(), before);
}

TEST_F(KeptMemoryTest, SmallBlocksAreNotKept) {
  allocate_elements(kLeastKeptBlock - 1);
  allocate_elements(0);
  EXPECT_EQ(kept_memory(), 0u);
}

TEST_F(KeptMemoryTest, TheOldestGoFirst) {
  constexpr size_t kQuarter = kMostKeptMemory / 4;
  auto oldest = allocate_elements(kQuarter / 2);
  std::vector<std::shared_ptr<std::byte>> others;
  for (int i = 0; i < 4; ++i) others.push_back(allocate_elements(kQuarter));
  oldest.reset();
  others.clear();
  EXPECT_EQ(kept_memory(), kMostKeptMemory);
  allocate_elements(kMostKeptMemory + 1);
  EXPECT_EQ(kept_memory(), kMostKeptMemory);
  release_kept_memory();
  EXPECT_EQ(kept_memory(), 0u);
}

TEST_F(KeptMemoryTest, ArraysOfThreadsDoNotShareTheirElements) {
  constexpr int64_t kSize = int64_t{kLeastKeptBlock} / 4;
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t, &wrong] {
      for (int round = 0; round < 50; ++round) {
        Array mine = Array::full({kSize}, t, DType::int32);
        for (int32_t x : mine.span<int32_t>()) {
          wrong[static_cast<size_t>(t)] += x != t;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}

}  // namespace
}  // namespace systolic::internal
