#include "systolic/runtime/memory.h"
#include "systolic/testing/runtime_fixture.h"

namespace systolic::internal::runtime {
namespace {

using MemoryPlatformTest = RuntimeTest;

TEST_F(MemoryPlatformTest, SomeFigureIsAlwaysThere) {
  const MemoryStats stats = memory_stats(device(0));
  if (stats.is_process) {
    EXPECT_GT(stats.bytes_in_use, 1 << 20);
    ASSERT_TRUE(stats.peak_bytes);
    EXPECT_GE(*stats.peak_bytes, stats.bytes_in_use);
  } else {
    EXPECT_GE(stats.bytes_in_use, 0);
  }
}

TEST_F(MemoryPlatformTest, ProcessMemoryGrowsWithWhatIsKept) {
  const int64_t before = process_memory().bytes_in_use;
  const BufferPtr large =
      to_device(Array::ones({64 << 20}, DType::int8), device(0));
  wait({&large, 1});
  EXPECT_GT(process_memory().bytes_in_use, before + (32 << 20));
}

}  // namespace
}  // namespace systolic::internal::runtime
