#include <gtest/gtest.h>

#include <algorithm>

#include "systolic/base/philox.h"
#include "systolic/kernels/kernels.h"
#include "systolic/testing/ffi_frame.h"

namespace systolic::internal::kernels {
namespace {

using pjrt::ffi_abi::ElementType;
using testing::FfiFrame;

std::vector<uint32_t> words_of(std::vector<uint64_t> state, int64_t count,
                               int64_t threads) {
  std::vector<uint32_t> words(static_cast<size_t>(count) + 1, 77);
  FfiFrame frame;
  frame.argument(ElementType::uint64, {std::ssize(state)}, state.data())
      .result(ElementType::uint32, {count}, words.data())
      .attribute("threads", threads);
  EXPECT_EQ(frame.call(&systolic_random_bits), "");
  EXPECT_EQ(words.back(), 77u) << "written behind the end";
  words.pop_back();
  return words;
}

// Also where the counter goes over 32 and over 64 bits, and in slices.
TEST(RandomBitsTest, AreThoseOfPhilox) {
  for (uint64_t counter :
       {uint64_t{0}, uint64_t{5}, uint64_t{0xFFFFFFFE}, ~uint64_t{0} - 3}) {
    for (int64_t count : {0, 1, 4, 63, 64, 65, 1000, 200001}) {
      const uint64_t key = 0x123456789ABCDEFu * (counter + 1);
      const auto got = words_of({key, counter}, count, count % 3 + 1);
      std::vector<uint32_t> wanted;
      uint64_t upper = key;
      for (uint64_t at = counter; std::ssize(wanted) < count; ++at) {
        if (at < counter) upper = key + 1;
        const auto block = philox(
            {static_cast<uint32_t>(at), static_cast<uint32_t>(at >> 32),
             static_cast<uint32_t>(upper), static_cast<uint32_t>(upper >> 32)},
            key);
        wanted.insert(wanted.end(), block.begin(), block.end());
      }
      wanted.resize(static_cast<size_t>(count));
      EXPECT_TRUE(got == wanted) << counter << " " << count;
    }
  }
}

// A third number is the counter's upper half.
TEST(RandomBitsTest, TakesAllBitsOfTheCounter) {
  const uint64_t key = 0x299f31d0'a4093822u;
  for (int64_t count : {4, 65, 200001}) {
    const auto got =
        words_of({key, 0x85a308d3'243f6a88u, 0x03707344'13198a2eu}, count, 2);
    std::vector<uint32_t> wanted;
    for (uint32_t i = 0; std::ssize(wanted) < count; ++i) {
      const auto block =
          philox({0x243f6a88 + i, 0x85a308d3, 0x13198a2e, 0x03707344}, key);
      wanted.insert(wanted.end(), block.begin(), block.end());
    }
    wanted.resize(static_cast<size_t>(count));
    EXPECT_TRUE(got == wanted) << count;
  }
}

TEST(RandomBitsTest, RefusesAnotherState) {
  const uint64_t state[4] = {};
  uint32_t word = 0;
  FfiFrame frame;
  frame.argument(ElementType::uint64, {4}, state)
      .result(ElementType::uint32, {1}, &word);
  EXPECT_EQ(frame.call(&systolic_random_bits),
            "systolic_random_bits: expected a state of key and counter, 2 or 3 "
            "numbers, got tensor<4xui64>");
}

}  // namespace
}  // namespace systolic::internal::kernels
