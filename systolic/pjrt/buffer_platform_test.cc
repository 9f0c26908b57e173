#include "systolic/base/error.h"
#include "systolic/pjrt/buffer.h"
#include "systolic/testing/pjrt_fixture.h"

namespace systolic::internal::pjrt {
namespace {

using BufferPlatformTest = PlatformTest;

TEST_F(BufferPlatformTest, KnowsWhatItHolds) {
  const Client client = make_client(2);
  const float value = 7;
  const Upload upload = client.upload(
      {DType::float32, Shape{1, 1}}, reinterpret_cast<const std::byte*>(&value),
      client.devices()[1].raw(), HostMemory::copied_at_once);
  EXPECT_EQ(upload.buffer.dtype(), DType::float32);
  EXPECT_EQ(upload.buffer.dims(), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(upload.buffer.on_device_bytes(), 4u);
  EXPECT_EQ(upload.buffer.device(), client.devices()[1].raw());
  EXPECT_FALSE(upload.buffer.is_deleted());
}

TEST_F(BufferPlatformTest, CopiesToAnotherDevice) {
  const Client client = make_client(2);
  const std::vector<float> x{1, 2, 3};
  const Buffer here = upload(client, x, 0);
  const Buffer there = here.copy_to(client.devices()[1].raw());
  EXPECT_EQ(there.device(), client.devices()[1].raw());
  EXPECT_EQ(download(there), x);
}

TEST_F(BufferPlatformTest, HostPointerShowsTheSameBytes) {
  const Client client = make_client();
  const std::vector<float> x{1, 2, 3};
  const Buffer buffer = upload(client, x);
  buffer.ready().await();
  const auto* values = reinterpret_cast<const float*>(buffer.host_pointer());
  ASSERT_NE(values, nullptr);
  EXPECT_EQ(values[2], 3);
}

TEST_F(BufferPlatformTest, ReadsRowMajorWhateverTheProgramDid) {
  const Client client = make_client();
  const LoadedExecutable transpose = client.compile(
      "module @m { func.func public @main(%x: tensor<2x3xf32>) -> "
      "tensor<3x2xf32> { %0 = stablehlo.transpose %x, dims = [1, 0] : "
      "(tensor<2x3xf32>) -> tensor<3x2xf32> return %0 : tensor<3x2xf32> } }",
      encode({.device_ids = {0}}));
  const std::vector<float> x{1, 2, 3, 4, 5, 6};
  const Upload sent = client.upload(
      {DType::float32, Shape{2, 3}}, std::as_bytes(std::span(x)).data(),
      client.devices()[0].raw(), HostMemory::copied_at_once);
  const Buffer y = run(transpose, sent.buffer);
  std::vector<float> values(6);
  y.read(std::as_writable_bytes(std::span(values)), 2).await();
  EXPECT_EQ(values, (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST_F(BufferPlatformTest, ReadingTooLittleIsAnError) {
  const Client client = make_client();
  const Buffer buffer = upload(client, std::vector<float>{1, 2, 3});
  std::vector<float> values(1);
  EXPECT_THROW(
      buffer.read(std::as_writable_bytes(std::span(values)), 1).await(),
      PlatformError);
}

}  // namespace
}  // namespace systolic::internal::pjrt
