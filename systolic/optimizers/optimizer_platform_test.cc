#include <gtest/gtest.h>

#include "systolic/base/auto_name.h"
#include "systolic/base/error.h"
#include "systolic/ops/ops.h"
#include "systolic/optimizers/optimizer.h"
#include "systolic/optimizers/optimizers.h"
#include "systolic/testing/error_text.h"

namespace systolic::optimizers {
namespace {

using internal::text_of;

Variable weight(const char* name, float value) {
  return Variable(Arg(Array::from({value, value})), {.name = name});
}

TEST(OptimizerPlatformTest, LearningRateMayBeThePositionalArgument) {
  EXPECT_FLOAT_EQ(Adam(1e-3).learning_rate().item<float>(), 1e-3f);
  EXPECT_FLOAT_EQ(Adam({.learning_rate = 1e-3}).learning_rate().item<float>(),
                  1e-3f);
  EXPECT_FLOAT_EQ(SGD().learning_rate().item<float>(), 0.01f);
  EXPECT_FLOAT_EQ(SGD(1).learning_rate().item<float>(), 1.f);
  EXPECT_FLOAT_EQ(RMSprop(0.1f).learning_rate().item<float>(), 0.1f);
  EXPECT_FLOAT_EQ(AdamW().learning_rate().item<float>(), 1e-3f);
}

TEST(OptimizerPlatformTest, LearningRateIsState) {
  const SGD optimizer(1.0);
  const Variable w = weight("w", 1);
  optimizer.apply({ones({2})}, {w});
  optimizer.set_learning_rate(0.25);
  optimizer.apply({ones({2})}, {w});
  optimizer.learning_rate().assign(0.5f);
  optimizer.apply({ones({2})});
  EXPECT_FLOAT_EQ(w.numpy().span<float>()[1], -0.75f);
  EXPECT_EQ(optimizer.iterations().item<int>(), 3);
  EXPECT_EQ(optimizer.iterations().dtype(), DType::int32);
}

TEST(OptimizerPlatformTest, PairsReturnTheIterations) {
  const SGD optimizer(1.0);
  const Variable w = weight("w", 1);
  EXPECT_EQ(optimizer.apply_gradients({{ones({2}), w}}).item<int>(), 1);
  EXPECT_FLOAT_EQ(w.numpy().span<float>()[0], 0.f);
}

TEST(OptimizerPlatformTest, NamesAreNumberedAsInKeras) {
  clear_session();
  EXPECT_EQ(Adam().name(), "adam");
  EXPECT_EQ(Adam().name(), "adam_1");
  EXPECT_EQ(AdamW().name(), "adam_w");
  EXPECT_EQ(SGD({.name = "mine"}).iterations().path(), "mine/iteration");
}

TEST(OptimizerPlatformTest, CopiesShareTheState) {
  const Optimizer first = SGD(1.0);
  const Optimizer second = first;
  first.apply({ones({2})}, {weight("w", 1)});
  EXPECT_EQ(second.iterations().item<int>(), 1);
}

TEST(OptimizerPlatformTest, MistakesAreNamed) {
  const Variable w = weight("w", 1), other = weight("other", 1);
  const SGD optimizer({.name = "sgd"});
  EXPECT_EQ(text_of<ValueError>([&] { optimizer.apply({ones({2})}); }),
            "SGD \"sgd\": expected variables beside the gradients, got "
            "gradients alone, before build\n"
            "  hint: apply(grads, variables), or build(variables) first");
  EXPECT_EQ(text_of<ValueError>([&] {
              optimizer.apply({ones({2})}, {w, other});
            }),
            "SGD \"sgd\": expected one gradient for each variable, got 1 "
            "gradients and 2 variables");
  EXPECT_EQ(text_of<ValueError>([&] { optimizer.apply({Tensor()}, {w}); }),
            "SGD \"sgd\": no gradients provided for any variable\n"
            "  variables: 'w'\n"
            "  hint: compute the loss from the variables while the tape "
            "lives");
  EXPECT_EQ(
      text_of<ValueError>([&] { optimizer.apply({ones({2})}, {other}); }),
      "SGD \"sgd\": expected the variables it was built with, got another "
      "one, 'other'\n"
      "  variable: float32[2]\n"
      "  hint: make a new optimizer for another set of variables");
  EXPECT_EQ(text_of<ShapeError>([&] { optimizer.apply({ones({3})}, {w}); }),
            "SGD \"sgd\": expected a gradient of the shape of 'w', got (3,)\n"
            "  variable: float32[2]\n"
            "  gradient: float32[3]\n"
            "  hint: gradients and variables go in the same order");
  EXPECT_EQ(text_of<ValueError>([] { Adam({.clipnorm = 1, .clipvalue = 1}); }),
            "Optimizer: expected at most one of clipnorm, clipvalue and "
            "global_clipnorm, got 2 of them");
  EXPECT_EQ(text_of<ValueError>([] { SGD({.momentum = 2}); }),
            "SGD: expected momentum in 0 ... 1, got 2");
  EXPECT_EQ(text_of<ValueError>([] { Optimizer().iterations(); }),
            "Optimizer: expected an optimizer, got an undefined one "
            "(Optimizer())");
  EXPECT_FLOAT_EQ(w.numpy().span<float>()[0], 1.f);
}

}  // namespace
}  // namespace systolic::optimizers
