#include "systolic/data/element_spec.h"

#include <gtest/gtest.h>

namespace systolic::data {
namespace {

ElementSpec leaf(std::initializer_list<int64_t> dims,
                 DType dtype = DType::float32) {
  return ElementSpec(TensorSpec{dtype, Shape(dims)});
}

TEST(ElementSpecTest, Prints) {
  EXPECT_EQ(ElementSpec().to_string(), "?");
  EXPECT_EQ(ElementSpec::any_array().to_string(), "Array");
  EXPECT_EQ(ElementSpec::any_dict().to_string(), "{...}");
  EXPECT_EQ(ElementSpec::tuple({leaf({2})}).to_string(), "(float32[2],)");
  EXPECT_EQ(
      ElementSpec::dict({{"b", leaf({2})}, {"a", leaf({3}, DType::int64)}})
          .to_string(),
      "{\"a\": int64[3], \"b\": float32[2]}");
  EXPECT_EQ(ElementSpec(TensorSpec{DType::uint8, Shape()}).to_string(),
            "uint8[...]");
}

TEST(ElementSpecTest, CompatibilityAllowsWhatIsUnknown) {
  EXPECT_TRUE(leaf({2, 3}).is_compatible_with(leaf({-1, 3})));
  EXPECT_FALSE(leaf({2, 3}).is_compatible_with(leaf({2, 4})));
  EXPECT_FALSE(leaf({2}).is_compatible_with(leaf({2, 1})));
  EXPECT_FALSE(leaf({2}).is_compatible_with(leaf({2}, DType::int32)));
  EXPECT_TRUE(leaf({2}).is_compatible_with(ElementSpec::any_array()));
  EXPECT_TRUE(leaf({2}).is_compatible_with(ElementSpec()));
  const ElementSpec pair = ElementSpec::tuple({leaf({2}), leaf({})});
  EXPECT_FALSE(pair.is_compatible_with(leaf({2})));
  EXPECT_FALSE(pair.is_compatible_with(ElementSpec::tuple({leaf({2})})));
  const ElementSpec dict = ElementSpec::dict({{"a", leaf({2})}});
  EXPECT_TRUE(dict.is_compatible_with(ElementSpec::any_dict()));
  EXPECT_FALSE(dict.is_compatible_with(ElementSpec::dict({{"b", leaf({2})}})));
}

TEST(ElementSpecTest, MergeKeepsWhatAgrees) {
  EXPECT_EQ(leaf({2, 3}).merged_with(leaf({5, 3})), leaf({-1, 3}));
  EXPECT_EQ(leaf({2}).merged_with(leaf({2, 3})), std::nullopt);
  EXPECT_EQ(leaf({2}).merged_with(leaf({2}, DType::int8)), std::nullopt);
  const ElementSpec a = ElementSpec::tuple({leaf({2}), leaf({4})});
  const ElementSpec b = ElementSpec::tuple({leaf({3}), leaf({4})});
  EXPECT_EQ(a.merged_with(b), ElementSpec::tuple({leaf({-1}), leaf({4})}));
  EXPECT_EQ(a.merged_with(leaf({2})), std::nullopt);
}

TEST(ElementSpecTest, CompleteMeansEveryLeafIsKnown) {
  EXPECT_TRUE(ElementSpec::tuple({leaf({-1}), leaf({})}).is_complete());
  EXPECT_FALSE(
      ElementSpec::tuple({leaf({2}), ElementSpec::any_array()}).is_complete());
  EXPECT_FALSE(ElementSpec().is_complete());
  EXPECT_FALSE(ElementSpec::any_dict().is_complete());
}

}  // namespace
}  // namespace systolic::data
