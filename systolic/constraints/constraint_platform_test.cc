#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/constraints/constraints.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/golden.h"

namespace systolic::constraints {
namespace {

using internal::text_of;

Constraint make(const golden::Value& options) {
  const std::string name = options.at("class_name").text();
  const golden::Value config = options.at("config");
  std::vector<int> axes;
  for (const int64_t axis : config.get("axis", std::vector<int64_t>{0})) {
    axes.push_back(static_cast<int>(axis));
  }
  if (name == "MaxNorm") {
    return MaxNorm(config.get("max_value", 2.0), {.axis = axes});
  }
  if (name == "UnitNorm") return UnitNorm({.axis = axes});
  if (name == "MinMaxNorm") {
    return MinMaxNorm({.min_value = config.get("min_value", 0.0),
                       .max_value = config.get("max_value", 1.0),
                       .rate = config.get("rate", 1.0),
                       .axis = axes});
  }
  return NonNeg();
}

TEST(ConstraintGolden, ValuesAreKeras) {
  for (const golden::Case& c : golden::load("constraints")) {
    SCOPED_TRACE(c.name());
    EXPECT_EQ(golden::difference(make(c.options())(c.array("input")).numpy(),
                                 c.array("output")),
              "");
  }
}

TEST(Constraint, IsUnsetNamedOrAFunction) {
  EXPECT_FALSE(Constraint().is_set());
  EXPECT_EQ(Constraint("max_norm").class_name(), "MaxNorm");
  EXPECT_EQ(get("NonNeg").class_name(), "NonNeg");
  const Constraint own = [](const Tensor& w) { return w; };
  EXPECT_EQ(own.class_name(), "function");
}

TEST(Constraint, MistakesAreNamed) {
  EXPECT_TRUE(text_of<ValueError>([] { Constraint("norm"); })
                  .starts_with("constraint: expected 'max_norm', 'non_neg', "
                               "'unit_norm' or 'min_max_norm', got 'norm'\n"));
  EXPECT_EQ(text_of<ValueError>([] { MaxNorm(-1); }),
            "Constraint MaxNorm: expected max_value >= 0, got -1");
  EXPECT_EQ(
      text_of<ValueError>([] { MinMaxNorm({.min_value = 2, .max_value = 1}); }),
      "Constraint MinMaxNorm: expected max_value >= min_value, got 1");
  EXPECT_TRUE(
      text_of<ValueError>([] { Constraint()(1.f); })
          .starts_with("Constraint: expected a constraint, got an unset "
                       "one (Constraint())"));
}

}  // namespace
}  // namespace systolic::constraints
