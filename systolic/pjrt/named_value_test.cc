#include "systolic/pjrt/named_value.h"

#include <gtest/gtest.h>

#include "systolic/pjrt/named_value_abi.h"

namespace systolic::internal::pjrt {
namespace {

TEST(NamedValue, EveryKindGoesThereAndBack) {
  const NamedValues values{
      {"text", std::string("abc")},
      {"count", int64_t{-8}},
      {"version", std::vector<int64_t>{1, 20, 0}},
      {"fraction", 0.5f},
      {"flag", true},
  };
  EXPECT_EQ(from_abi(to_abi(values)), values);
}

TEST(NamedValue, StructsAreFilledAsThePluginsReadThem) {
  const NamedValues values{{"cpu_device_count", int64_t{8}}};
  const std::vector<abi::NamedValue> structs = to_abi(values);
  ASSERT_EQ(structs.size(), 1u);
  EXPECT_EQ(structs[0].struct_size, sizeof(abi::NamedValue));
  EXPECT_EQ(structs[0].name_size, 16u);
  EXPECT_EQ(structs[0].value_size, 1u);
  EXPECT_EQ(structs[0].int64_value, 8);
}

TEST(NamedValue, TextIsReadable) {
  EXPECT_EQ(to_text(std::string("abc")), "abc");
  EXPECT_EQ(to_text(int64_t{8}), "8");
  EXPECT_EQ(to_text(std::vector<int64_t>{1, 20, 0}), "[1, 20, 0]");
  EXPECT_EQ(to_text(true), "true");
}

TEST(NamedValue, FindGivesNullForAnotherName) {
  const NamedValues values{{"a", int64_t{1}}};
  ASSERT_NE(find(values, "a"), nullptr);
  EXPECT_EQ(std::get<int64_t>(*find(values, "a")), 1);
  EXPECT_EQ(find(values, "b"), nullptr);
}

}  // namespace
}  // namespace systolic::internal::pjrt
