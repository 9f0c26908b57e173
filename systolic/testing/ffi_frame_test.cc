#include "systolic/testing/ffi_frame.h"

#include <gtest/gtest.h>

#include "systolic/pjrt/ffi.h"

namespace systolic::internal::testing {
namespace {

using pjrt::ffi_abi::ElementType;
using pjrt::ffi_abi::ErrorCode;

// Scales argument 0 by the attribute "factor".
pjrt::ffi_abi::Error* scale(pjrt::ffi_abi::CallFrame* frame) {
  return pjrt::serve_ffi_call(frame, "scale", [](const pjrt::FfiCall& call) {
    auto x = call.argument(0, ElementType::float32, 1);
    auto y = call.result(0, ElementType::float32, 1);
    for (int64_t i = 0; i < x.elements(); ++i) {
      static_cast<float*>(y.data)[i] =
          static_cast<float>(call.float64("factor")) *
          static_cast<const float*>(x.data)[i];
    }
  });
}

TEST(FfiFrameTest, CallsAHandler) {
  std::vector<float> x{1.f, 2.f};
  std::vector<float> y(2);
  FfiFrame frame;
  frame.argument(ElementType::float32, {2}, x.data());
  frame.result(ElementType::float32, {2}, y.data());
  EXPECT_EQ(frame.attribute("factor", 3.0).call(&scale), "");
  EXPECT_EQ(frame.code(), ErrorCode::ok);
  EXPECT_EQ(y, (std::vector<float>{3.f, 6.f}));
}

TEST(FfiFrameTest, ReturnsTheHandlersError) {
  FfiFrame frame;
  EXPECT_EQ(frame.call(&scale), "scale: expected at least 1 arguments, got 0");
  EXPECT_EQ(frame.code(), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace systolic::internal::testing
