#include "systolic/layers/dtype_policy.h"

#include <gtest/gtest.h>

namespace systolic {
namespace {

using layers::DTypePolicy;

TEST(DTypePolicy, NamesAreKeras) {
  const DTypePolicy mixed = "mixed_bfloat16";
  EXPECT_EQ(mixed.compute_dtype(), DType::bfloat16);
  EXPECT_EQ(mixed.variable_dtype(), DType::float32);
  EXPECT_EQ(mixed.name(), "mixed_bfloat16");
  EXPECT_EQ(DTypePolicy("mixed_float16").compute_dtype(), DType::float16);
  EXPECT_EQ(DTypePolicy("float64").variable_dtype(), DType::float64);
  EXPECT_EQ(DTypePolicy("bfloat16").name(), "bfloat16");
  EXPECT_EQ(DTypePolicy(DType::int32).compute_dtype(), DType::int32);
}

TEST(DTypePolicy, AnUnknownNameIsAnError) {
  try {
    DTypePolicy("float31");
    FAIL() << "no exception";
  } catch (const ValueError& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with(
        "dtype policy: expected 'mixed_bfloat16', 'mixed_float16' or a "
        "dtype's name such as 'float32', got 'float31'\n  at: "
        "dtype_policy_test.cc:"))
        << e.what();
  }
}

TEST(DTypePolicy, AnUnsetOneIsTheProgramsPolicy) {
  EXPECT_FALSE(DTypePolicy().is_set());
  EXPECT_EQ(DTypePolicy().name(), "float32");
  config::set_dtype_policy("mixed_bfloat16");
  EXPECT_EQ(DTypePolicy().name(), "mixed_bfloat16");
  EXPECT_EQ(DTypePolicy().compute_dtype(), DType::bfloat16);
  EXPECT_EQ(DTypePolicy("float64").compute_dtype(), DType::float64);
  config::set_dtype_policy({});
  EXPECT_EQ(DTypePolicy().name(), "float32");
}

}  // namespace
}  // namespace systolic
