#include <future>

#include "systolic/base/error.h"
#include "systolic/pjrt/event.h"
#include "systolic/pjrt/ffi.h"
#include "systolic/testing/pjrt_fixture.h"

namespace systolic::internal::pjrt {
namespace {

using EventPlatformTest = PlatformTest;

TEST_F(EventPlatformTest, FiresWhenTheValueIsThere) {
  const Client client = make_client();
  const Buffer buffer = upload(client, std::vector<float>{1});
  const Event ready = buffer.ready();
  ready.await();
  EXPECT_TRUE(ready.is_ready());
}

TEST_F(EventPlatformTest, CallsBackOnce) {
  const Client client = make_client();
  const Buffer buffer = upload(client, std::vector<float>{1});
  std::promise<std::exception_ptr> fired;
  buffer.ready().on_ready(
      [&](std::exception_ptr error) { fired.set_value(error); });
  EXPECT_EQ(fired.get_future().get(), nullptr);
}

void refuse(const FfiCall&) {
  throw FfiError(ffi_abi::ErrorCode::invalid_argument, "not these numbers");
}

extern "C" ffi_abi::Error* systolic_test_refuse(ffi_abi::CallFrame* frame) {
  return serve_ffi_call(frame, "systolic_test_refuse", &refuse);
}

// Enough work in front of the failure that the program runs in the background.
std::string failing_program() {
  return R"(module @m {
    func.func public @main(%x: tensor<4xf32>) -> tensor<f32> {
      %one = stablehlo.constant dense<1.0> : tensor<200x200xf32>
      %first = stablehlo.slice %x [0:1] : (tensor<4xf32>) -> tensor<1xf32>
      %scale = stablehlo.broadcast_in_dim %first, dims = [0]
          : (tensor<1xf32>) -> tensor<200x200xf32>
      %a = stablehlo.multiply %one, %scale : tensor<200x200xf32>
      %b = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0]
          : (tensor<200x200xf32>, tensor<200x200xf32>) -> tensor<200x200xf32>
      %y = stablehlo.custom_call @systolic_test_refuse(%b)
          {api_version = 4 : i32} : (tensor<200x200xf32>) -> tensor<f32>
      return %y : tensor<f32>
    }
  })";
}

TEST_F(EventPlatformTest, FailureOfAHandlerReachesWaitersAndCallbacks) {
  plugin().register_ffi_handler("systolic_test_refuse",
                                reinterpret_cast<void*>(&systolic_test_refuse),
                                "host");
  const Client client = make_client();
  const LoadedExecutable program =
      client.compile(failing_program(), encode({.device_ids = {0}}));
  const Buffer x = upload(client, std::vector<float>{1, 2, 3, 4});
  const Buffer y = run(program, x);
  try {
    y.ready().await();
    FAIL() << "nothing was thrown";
  } catch (const PlatformError& error) {
    EXPECT_EQ(error.code(), 3);
    EXPECT_NE(std::string(error.what()).find("not these numbers"),
              std::string::npos)
        << error.what();
  }
  std::promise<std::exception_ptr> fired;
  y.ready().on_ready([&](std::exception_ptr error) { fired.set_value(error); });
  EXPECT_NE(fired.get_future().get(), nullptr);
}

}  // namespace
}  // namespace systolic::internal::pjrt
