#include "systolic/kernels/kernels.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "systolic/kernels/lapack.h"
#include "systolic/testing/ffi_frame.h"

namespace systolic::internal::kernels {
namespace {

TEST(KernelsTest, ListsEveryHandlerOnce) {
  size_t count = 0;
  const SystolicKernel* list = systolic_kernels(&count);
  std::set<std::string> names;
  for (size_t i = 0; i < count; ++i) names.insert(list[i].name);
  std::set<std::string> expected{"systolic_average_pool2d_forward",
                                 "systolic_average_pool2d_gradient",
                                 "systolic_conv2d_forward",
                                 "systolic_conv2d_gradient",
                                 "systolic_matmul",
                                 "systolic_max_pool2d_forward",
                                 "systolic_max_pool2d_gradient",
                                 "systolic_random_bits"};
  if (lapack<float>() != nullptr) {
    expected.insert({"systolic_cholesky", "systolic_eigh", "systolic_lu",
                     "systolic_solve", "systolic_svd"});
  }
  EXPECT_EQ(names, expected);
  EXPECT_EQ(count, names.size());
}

TEST(KernelsTest, HandlersSayTheirOwnName) {
  size_t count = 0;
  const SystolicKernel* list = systolic_kernels(&count);
  for (size_t i = 0; i < count; ++i) {
    testing::FfiFrame frame;
    auto* handler = reinterpret_cast<pjrt::ffi_abi::Handler*>(list[i].handler);
    EXPECT_EQ(frame.call(handler).find(list[i].name + std::string(": ")), 0u);
  }
}

}  // namespace
}  // namespace systolic::internal::kernels
