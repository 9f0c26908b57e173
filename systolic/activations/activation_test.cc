#include "systolic/activations/activation.h"

#include <gtest/gtest.h>

#include "systolic/activations/activations.h"

namespace systolic::activations {
namespace {

TEST(Activation, IsNamedOrAFunction) {
  EXPECT_EQ(Activation().name(), "linear");
  EXPECT_TRUE(Activation().is_linear());
  EXPECT_EQ(Activation("relu").name(), "relu");
  EXPECT_EQ(get(std::string("swish")).name(), "swish");
  const Activation own = [](const Tensor& x) { return x; };
  EXPECT_EQ(own.name(), "");
  EXPECT_FALSE(own.is_linear());
}

TEST(Activation, EveryNameIsFound) {
  EXPECT_EQ(names().size(), 27u);
  for (const std::string_view name : names()) {
    EXPECT_EQ(Activation(std::string(name)).name(), name);
    EXPECT_NE(find(name), nullptr) << name;
  }
  EXPECT_EQ(find("nothing"), nullptr);
}

TEST(Activation, AnUnknownNameIsAnErrorAtTheUsersLine) {
  try {
    const Activation wrong = "rleu";
    FAIL() << "no exception";
  } catch (const ValueError& e) {
    const std::string text = e.what();
    EXPECT_TRUE(text.starts_with("activation: expected 'linear', 'relu', "))
        << text;
    EXPECT_NE(text.find("'log_softmax' or 'log_sigmoid', got 'rleu'\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("  at: activation_test.cc:"), std::string::npos)
        << text;
  }
  try {
    const Activation wrong = "softmx";
    FAIL() << "no exception";
  } catch (const ValueError& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean 'softmax'?"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace systolic::activations
