#include "systolic/array/cast.h"

#include <gtest/gtest.h>

#include <limits>

#include "systolic/array/complex.h"
#include "systolic/array/reductions.h"
#include "systolic/base/error.h"

namespace systolic {
namespace {

TEST(CastTest, ConvertsBetweenAllNumbers) {
  // 0 and 1 survive every type.
  for (int from = 0; from < kDTypeCount - 1; ++from) {
    for (int to = 0; to < kDTypeCount - 1; ++to) {
      Array x = cast(Array::from({0, 1}), static_cast<DType>(from));
      const bool drops_a_part = is_complex(x.dtype()) &&
                                !is_complex(static_cast<DType>(to)) &&
                                static_cast<DType>(to) != DType::boolean;
      if (drops_a_part) continue;
      Array y = cast(x, static_cast<DType>(to));
      EXPECT_EQ(y.dtype(), static_cast<DType>(to));
      EXPECT_TRUE(array_equal(cast<int>(real(y)), Array::from({0, 1})))
          << x.dtype() << " to " << y.dtype();
    }
  }
}

TEST(CastTest, FloatsGoTowardsZeroAndSaturate) {
  float infinity = std::numeric_limits<float>::infinity();
  Array x = Array::from({2.9f, -2.9f, 300.f, -300.f, infinity, -infinity,
                         std::numeric_limits<float>::quiet_NaN(), 3e9f});
  EXPECT_EQ(cast<uint8_t>(x).to_string(), "[  2   0 255   0 255   0   0 255]");
  EXPECT_EQ(cast<int8_t>(x).to_string(),
            "[   2   -2  127 -128  127 -128    0  127]");
  EXPECT_EQ(cast<int>(x)[7].item<int>(), 2147483647);
  EXPECT_EQ(cast<int64_t>(x)[7].item<int64_t>(), 3000000000);
}

TEST(CastTest, IntegersWrapAndBoolIsNotZero) {
  EXPECT_EQ(cast<uint8_t>(Array::from({256, -1})).to_string(), "[  0 255]");
  EXPECT_EQ(cast<bool>(Array::from({0.f, -0.f, 0.5f})).to_string(),
            "[False False  True]");
  EXPECT_EQ(cast<float>(Array::from({true, false})).to_string(), "[1. 0.]");
}

TEST(CastTest, NarrowFloatsRoundToEven) {
  Array x = Array::from({1.00390625f, 1.01171875f});
  EXPECT_EQ(cast<float>(cast<bfloat16>(x)).to_string(), "[1.       1.015625]");
}

TEST(CastTest, TheSameDtypeSharesTheElements) {
  Array x = Array::from({1.f});
  EXPECT_EQ(cast<float>(x).data(), x.data());
}

TEST(CastTest, StringsDoNotConvert) {
  try {
    cast<float>(Array::from_strings({"1"}));
    FAIL() << "nothing was thrown";
  } catch (const TypeError& e) {
    EXPECT_STREQ(e.what(),
                 "cast: expected numbers on both sides, got string to float32\n"
                 "  input: string[1]");
  }
  EXPECT_THROW(cast(Array::from({1}), DType::string), TypeError);
}

}  // namespace
}  // namespace systolic
