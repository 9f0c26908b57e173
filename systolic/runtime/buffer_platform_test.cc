#include <cstring>
#include <numeric>

#include "systolic/base/error.h"
#include "systolic/runtime/buffer.h"
#include "systolic/runtime/counters.h"
#include "systolic/testing/runtime_fixture.h"

namespace systolic::internal::runtime {
namespace {

using BufferPlatformTest = RuntimeTest;

template <class T>
void expect_round_trip(const Device& device, const std::vector<T>& values) {
  const Array sent = Array::from(values, Shape{2, 2});
  const Array back = to_host(*to_device(sent, device));
  EXPECT_EQ(back.spec(), sent.spec());
  EXPECT_EQ(std::memcmp(back.data(), sent.data(), sent.nbytes()), 0)
      << name(sent.dtype());
}

TEST_F(BufferPlatformTest, EveryDtypeGoesThereAndBack) {
  const Device to = device(1);
  expect_round_trip<float>(to, {1.5f, -2, 3e30f, 1e-30f});
  expect_round_trip<double>(to, {1.5, -2, 3e300, 1e-300});
  expect_round_trip<bfloat16>(
      to, {bfloat16(1.f), bfloat16(-2.5f), bfloat16(3e30f), bfloat16(0.f)});
  expect_round_trip<float16>(
      to, {float16(1.f), float16(-2.5f), float16(6e4f), float16(0.f)});
  expect_round_trip<bool>(to, {true, false, false, true});
  expect_round_trip<int8_t>(to, {1, -2, 127, -128});
  expect_round_trip<int16_t>(to, {1, -2, 32767, -32768});
  expect_round_trip<int32_t>(to, {1, -2, 2147483647, -2147483647 - 1});
  expect_round_trip<int64_t>(to, {1, -2, int64_t{1} << 62, -4});
  expect_round_trip<uint8_t>(to, {1, 2, 255, 0});
  expect_round_trip<uint16_t>(to, {1, 2, 65535, 0});
  expect_round_trip<uint32_t>(to, {1, 2, 4294967295u, 0});
  expect_round_trip<uint64_t>(to, {1, 2, ~uint64_t{0}, 0});
}

TEST_F(BufferPlatformTest, ScalarsAndEmptyArraysToo) {
  const Array scalar = to_host(*to_device(Array::scalar(3.f), device(0)));
  EXPECT_EQ(scalar.shape(), Shape::scalar());
  EXPECT_EQ(scalar.item<float>(), 3);
  const Array empty = to_host(*to_device(Array::zeros({0, 5}), device(0)));
  EXPECT_EQ(empty.shape(), (Shape{0, 5}));
}

TEST_F(BufferPlatformTest, LargeArraysOwnedAndBorrowed) {
  std::vector<float> values(1 << 20);
  std::iota(values.begin(), values.end(), 0.f);
  const Array owned = Array::from(values);
  const Array view = Array::view(std::span<const float>(values));
  for (const Array& array : {owned, view}) {
    const Array back = to_host(*to_device(array, device(2)));
    EXPECT_EQ(back.span<float>()[999'999], 999'999.f);
  }
}

TEST_F(BufferPlatformTest, BorrowedMemoryMayChangeAtOnce) {
  std::vector<float> values(1 << 20, 1.f);
  const BufferPtr sent =
      to_device(Array::view(std::span<const float>(values)), device(0));
  std::fill(values.begin(), values.end(), 2.f);
  EXPECT_EQ(to_host(*sent).span<float>()[1000], 1.f);
}

TEST_F(BufferPlatformTest, OwnedMemoryLivesAsLongAsItIsUsed) {
  BufferPtr sent;
  {
    const Array array = Array::from(std::vector<float>(1 << 20, 5.f));
    sent = to_device(array, device(0));
  }
  EXPECT_EQ(to_host(*sent).span<float>()[(1 << 20) - 1], 5.f);
}

TEST_F(BufferPlatformTest, ArrayThatIsWrittenToAfterwardsDoesNotChangeIt) {
  Array array = Array::from(std::vector<float>(1 << 20, 5.f));
  const BufferPtr sent = to_device(array, device(0));
  array.mutable_span<float>()[7] = 6.f;
  EXPECT_EQ(to_host(*sent).span<float>()[7], 5.f);
}

TEST_F(BufferPlatformTest, StringsAreRefused) {
  EXPECT_THROW(to_device(Array::from_strings({"a"}), device(0)), TypeError);
}

TEST_F(BufferPlatformTest, ArrayThatWasNeverSetIsRefused) {
  try {
    to_device(Array(), device(0));
    FAIL() << "nothing was thrown";
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(),
                 "to_device: expected an array, got one that was never set");
  }
}

TEST_F(BufferPlatformTest, CopiesToAnotherDevice) {
  const BufferPtr here = to_device(four(), device(0));
  const uint64_t before = counters().device_to_device_copies;
  const BufferPtr there = copy_to(here, device(5));
  EXPECT_EQ(there->device(), device(5));
  EXPECT_EQ(values(there), values(four()));
  EXPECT_EQ(counters().device_to_device_copies, before + 1);
  EXPECT_EQ(copy_to(here, device(0)), here);
}

TEST_F(BufferPlatformTest, CopiesToAnotherClientOverTheHost) {
  const BufferPtr here = to_device(four(), device(0));
  const uint64_t before = counters().client_to_client_copies;
  const Device other = open({}).device(0);
  const BufferPtr there = copy_to(here, other);
  EXPECT_EQ(there->device(), other);
  EXPECT_EQ(values(there), values(four()));
  EXPECT_EQ(counters().client_to_client_copies, before + 1);
}

TEST_F(BufferPlatformTest, SeveralAreReadInOrder) {
  std::vector<BufferPtr> buffers;
  for (int i = 0; i < 8; ++i) {
    buffers.push_back(to_device(four(static_cast<float>(i)), device(i)));
  }
  wait(buffers);
  const std::vector<Array> arrays = to_host(buffers);
  ASSERT_EQ(arrays.size(), 8u);
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(arrays[i].span<float>()[0], static_cast<float>(i));
    EXPECT_TRUE(buffers[i]->is_ready());
  }
}

TEST_F(BufferPlatformTest, TransfersAreCounted) {
  const uint64_t up = counters().host_to_device_bytes;
  const uint64_t down = counters().device_to_host_bytes;
  const BufferPtr buffer = to_device(four(), device(0));
  EXPECT_EQ(buffer->nbytes(), 16u);
  to_host(*buffer);
  EXPECT_EQ(counters().host_to_device_bytes, up + 16);
  EXPECT_EQ(counters().device_to_host_bytes, down + 16);
}

}  // namespace
}  // namespace systolic::internal::runtime
