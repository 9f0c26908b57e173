#include "systolic/initializers/initializer.h"

#include <gtest/gtest.h>

#include "systolic/initializers/initializers.h"

namespace systolic::initializers {
namespace {

// What the code throws, as text; empty where it does not throw an E.
template <class E, class F>
std::string thrown(F&& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return {};
}

TEST(Initializer, NamesStandForClasses) {
  EXPECT_EQ(Initializer("glorot_uniform").class_name(), "GlorotUniform");
  EXPECT_EQ(Initializer("GlorotUniform").class_name(), "GlorotUniform");
  EXPECT_EQ(Initializer(std::string("normal")).class_name(), "RandomNormal");
  EXPECT_EQ(Initializer("uniform").class_name(), "RandomUniform");
  EXPECT_EQ(Initializer("zero").class_name(), "Zeros");
  EXPECT_EQ(Initializer("one").class_name(), "Ones");
  EXPECT_EQ(HeNormal({.seed = 1}).class_name(), "HeNormal");
}

TEST(Initializer, EveryNameOfTheTableMakesItsClass) {
  for (const std::string_view name : names()) {
    const Initializer made = get(Initializer(std::string(name)));
    EXPECT_EQ(made.class_name(), Initializer(std::string(name)).class_name())
        << name;
    EXPECT_FALSE(made.class_name().empty()) << name;
  }
}

TEST(Initializer, AnUnknownNameIsAnErrorAtTheUsersLine) {
  const std::string text =
      thrown<ValueError>([] { Initializer wrong("he_norml"); });
  EXPECT_TRUE(text.starts_with("initializer: expected 'zeros', 'ones', "))
      << text;
  EXPECT_NE(text.find("'lecun_uniform' or 'lecun_normal', got 'he_norml'\n"
                      "  hint: did you mean 'he_normal'?\n"
                      "  at: initializer_test.cc:"),
            std::string::npos)
      << text;
}

TEST(Initializer, AnUnsetOneMakesNothing) {
  EXPECT_FALSE(Initializer().is_set());
  EXPECT_EQ(thrown<ValueError>([] { Initializer()({2}); }),
            "Initializer: expected an initializer, got an unset one "
            "(Initializer())\n  hint: name one, such as \"glorot_uniform\" or "
            "\"zeros\"");
}

TEST(VarianceScaling, ScaleMustBePositive) {
  EXPECT_EQ(thrown<ValueError>([] { VarianceScaling({.scale = 0}); }),
            "Initializer VarianceScaling: expected scale > 0, got 0");
  EXPECT_NE(thrown<ValueError>([] { VarianceScaling({.mode = "fan_on"}); })
                .find("VarianceScaling mode: expected 'fan_in', 'fan_out' or "
                      "'fan_avg', got 'fan_on'"),
            std::string::npos);
}

TEST(VarianceScaling, FansAreKeras) {
  using Fans = std::pair<int64_t, int64_t>;
  EXPECT_EQ(compute_fans(Shape::scalar()), Fans(1, 1));
  EXPECT_EQ(compute_fans({7}), Fans(7, 7));
  EXPECT_EQ(compute_fans({784, 128}), Fans(784, 128));
  EXPECT_EQ(compute_fans({3, 3, 32, 64}), Fans(288, 576));
}

}  // namespace
}  // namespace systolic::initializers
