#include "systolic/array/allocation.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <fstream>
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
  const size_t most = most_kept_memory();
  EXPECT_GE(most, size_t{128} << 20);
  EXPECT_LE(most, size_t{1} << 30);
  const size_t part = std::bit_floor(most / 4);  // is not rounded up
  auto oldest = allocate_elements(part / 2);
  std::vector<std::shared_ptr<std::byte>> others;
  for (size_t i = 0; i <= most / part; ++i) {
    others.push_back(allocate_elements(part));
  }
  oldest.reset();
  others.clear();
  EXPECT_EQ(kept_memory(), most / part * part);
  allocate_elements(most + 1);
  EXPECT_LE(kept_memory(), most);
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

// Of 512 MiB of addresses, 120 are kept when all but a few are wanted.
TEST_F(KeptMemoryTest, IsGivenBackBeforeMemoryIsOut) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer ends a program that has no memory left";
#endif
  const auto child = [] {
    for (int i = 0; i < 2; ++i) {
      const auto a = allocate_elements(60 << 20),
                 b = allocate_elements(60 << 20);
    }
    std::ifstream used("/proc/self/statm");
    size_t pages = 0;
    used >> pages;
    const size_t now = pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const rlimit limit{now + (50 << 20), now + (50 << 20)};
    setrlimit(RLIMIT_AS, &limit);
    const bool was_kept = kept_memory() >= (100 << 20);
    const auto large = allocate_elements(100 << 20);
    std::_Exit(was_kept && large ? 0 : 1);
  };
  EXPECT_EXIT(child(), ::testing::ExitedWithCode(0), "");
}

TEST_F(KeptMemoryTest, AForkFindsNoLockTaken) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "a fork may find a lock of ThreadSanitizer's own taken";
#endif
  std::atomic<bool> stop = false;
  std::thread other([&] {
    while (!stop) allocate_elements(kLeastKeptBlock);
  });
  for (int i = 0; i < 50; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      allocate_elements(kLeastKeptBlock);
      std::_Exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  other.join();
}

}  // namespace
}  // namespace systolic::internal
