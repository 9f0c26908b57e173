#include "systolic/pjrt/element_type.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"

namespace systolic::internal::pjrt {
namespace {

TEST(ElementType, EveryNumericDtypeGoesThereAndBack) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const DType dtype = static_cast<DType>(i);
    if (dtype == DType::string) continue;
    EXPECT_EQ(dtype_of_element(element_type_of(dtype)), dtype) << name(dtype);
  }
}

TEST(ElementType, NumbersAreThePublishedOnes) {
  EXPECT_EQ(static_cast<int>(element_type_of(DType::boolean)), 1);
  EXPECT_EQ(static_cast<int>(element_type_of(DType::float32)), 11);
  EXPECT_EQ(static_cast<int>(element_type_of(DType::bfloat16)), 13);
  EXPECT_EQ(static_cast<int>(element_type_of(DType::complex64)), 14);
  EXPECT_EQ(static_cast<int>(element_type_of(DType::float8_e4m3fn)), 17);
}

TEST(ElementType, StringsAreRefused) {
  try {
    element_type_of(DType::string);
    FAIL() << "nothing was thrown";
  } catch (const TypeError& error) {
    EXPECT_STREQ(error.what(),
                 "device buffer: expected a numeric dtype, got string\n"
                 "  hint: strings stay on the host: map them to integers "
                 "first, for example by their index in a vocabulary");
  }
}

TEST(ElementType, TypesThatArraysLackAreRefused) {
  EXPECT_THROW(dtype_of_element(abi::BufferType::invalid), TypeError);
}

}  // namespace
}  // namespace systolic::internal::pjrt
