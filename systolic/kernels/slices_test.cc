#include "systolic/kernels/slices.h"

#include <gtest/gtest.h>

namespace systolic::internal::kernels {
namespace {

TEST(SlicesTest, MakeTheBatchInEqualSizesSaveTheLast) {
  for (int64_t batch = 1; batch <= 40; ++batch) {
    for (int64_t most = 1; most <= 12; ++most) {
      const Slices slices(batch, most);
      ASSERT_GE(slices.count, 1);
      ASSERT_LE(slices.count, most);
      int64_t next = 0;
      for (int64_t slice = 0; slice < slices.count; ++slice) {
        ASSERT_EQ(slices.first(slice), next);
        ASSERT_GE(slices.size_of(slice), 1);
        ASSERT_LE(slices.size_of(slice), slices.size);
        next += slices.size_of(slice);
      }
      ASSERT_EQ(next, batch);
    }
  }
}

}  // namespace
}  // namespace systolic::internal::kernels
