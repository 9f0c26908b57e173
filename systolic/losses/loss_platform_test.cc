#include <gtest/gtest.h>

#include <type_traits>

#include "systolic/base/auto_name.h"
#include "systolic/losses/loss.h"
#include "systolic/losses/losses.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/golden.h"

namespace systolic::losses {
namespace {

std::optional<int64_t> optional_integer(const golden::Value& config,
                                        std::string_view key) {
  if (!config.has(key)) return std::nullopt;
  return config[key].integer();
}

template <class Options>
Options smoothed(const golden::Value& config, Reduction reduction,
                 DType dtype) {
  return {.from_logits = config.get("from_logits", false),
          .label_smoothing = config.get("label_smoothing", 0.0),
          .axis = static_cast<int>(config.get("axis", -1)),
          .reduction = reduction,
          .dtype = dtype};
}

Loss make(const golden::Case& c) {
  const std::string& name = c.options()["class_name"].text();
  const golden::Value& config = c.options()["config"];
  const Reduction reduction =
      reduction_from_name(config.get("reduction", "sum_over_batch_size"));
  const DType dtype = dtype_from_name(config.get("dtype", "float32"));
  if (name == "SparseCategoricalCrossentropy") {
    return SparseCategoricalCrossentropy(
        {.from_logits = config.get("from_logits", false),
         .ignore_class = optional_integer(config, "ignore_class"),
         .reduction = reduction,
         .dtype = dtype});
  }
  if (name == "CategoricalCrossentropy") {
    return CategoricalCrossentropy(
        smoothed<CategoricalCrossentropyOptions>(config, reduction, dtype));
  }
  if (name == "BinaryCrossentropy") {
    return BinaryCrossentropy(
        smoothed<BinaryCrossentropyOptions>(config, reduction, dtype));
  }
  if (name == "MeanSquaredError") {
    return MeanSquaredError({.reduction = reduction, .dtype = dtype});
  }
  EXPECT_EQ(name, "MeanAbsoluteError");
  return MeanAbsoluteError({.reduction = reduction, .dtype = dtype});
}

// TensorFlow's gradient of a softmax with soft labels takes it that they add
// up to one; the recorded ones do so to four digits only.
golden::Tolerance gradient_tolerance(const golden::Case& c) {
  const bool soft =
      c.options()["class_name"].text() == "CategoricalCrossentropy" &&
      c.options()["config"].get("from_logits", false);
  return soft ? golden::Tolerance{1e-3, 1e-4} : golden::Tolerance{};
}

class LossGoldenTest : public testing::TestWithParam<golden::Case> {};

TEST_P(LossGoldenTest, ValueAndGradientAreKerass) {
  const golden::Case& c = GetParam();
  const Loss loss = make(c);
  const Tensor y_pred = constant(c.array("y_pred"));
  GradientTape tape;
  tape.watch(y_pred);
  const Tensor value =
      c.has_array("sample_weight")
          ? loss(c.array("y_true"), y_pred, c.array("sample_weight"))
          : loss(c.array("y_true"), y_pred);
  EXPECT_EQ(golden::difference(value.numpy(), c.array("output")), "");
  const Tensor gradient = tape.gradient(sum(value), y_pred);
  EXPECT_EQ(golden::difference(gradient.numpy(), c.array("y_pred_gradient"),
                               gradient_tolerance(c)),
            "");
}

INSTANTIATE_TEST_SUITE_P(Keras, LossGoldenTest,
                         testing::ValuesIn(golden::load("losses")));

class Hinge : public LossBase {
 public:
  explicit Hinge(LossOptions options = {}) : LossBase(std::move(options)) {}
  std::string_view class_name() const override { return "MyHinge"; }
  Tensor call(const Tensor& y_true, const Tensor& y_pred) override {
    return mean(maximum(1 - y_true * y_pred, 0), {.axis = -1});
  }
};

const Array kTrue = Array::from({1.f, -1.f, 1.f, 1.f}, {2, 2});
const Array kPred = Array::from({0.5f, -2.f, -1.f, 3.f}, {2, 2});

// The global batch size as the third argument would be taken as a weight, and
// multiply the loss without a word.
static_assert(std::is_invocable_v<Loss, Tensor, Tensor, Tensor>);
static_assert(std::is_invocable_v<Loss, Tensor, Tensor, float>);
static_assert(!std::is_invocable_v<Loss, Tensor, Tensor, int>);
static_assert(!std::is_invocable_v<Loss, Tensor, Tensor, int64_t>);

TEST(LossPlatformTest, OwnLossesAreReducedAndNamed) {
  clear_session();
  const Loss loss(std::make_shared<Hinge>());
  EXPECT_EQ(loss.name(), "my_hinge");
  EXPECT_EQ(Loss(std::make_shared<Hinge>()).name(), "my_hinge_1");
  EXPECT_FLOAT_EQ(loss(kTrue, kPred).item<float>(), (0.25f + 1.f) / 2);
  const Loss none(
      std::make_shared<Hinge>(LossOptions{.reduction = Reduction::none}));
  EXPECT_EQ(
      golden::difference(none(kTrue, kPred).numpy(), Array::from({0.25f, 1.f})),
      "");
  EXPECT_FLOAT_EQ(loss(kTrue, kPred, Array::from({2.f, 0.f})).item<float>(),
                  0.25f);
}

TEST(LossPlatformTest, FunctionsAreWrapped) {
  const LossFunctionWrapper loss(
      [](const Tensor& y_true, const Tensor& y_pred) {
        return abs(y_true - y_pred);
      },
      {.reduction = Reduction::sum, .name = "distance"});
  EXPECT_EQ(loss.name(), "distance");
  EXPECT_FLOAT_EQ(loss(kTrue, kPred).item<float>(), 5.5f);
}

TEST(LossPlatformTest, AnUndefinedWeightIsNone) {
  const MeanSquaredError loss;
  EXPECT_FLOAT_EQ(loss(kTrue, kPred, Tensor()).item<float>(),
                  loss(kTrue, kPred).item<float>());
}

TEST(LossPlatformTest, ALossOfNothingSaysSo) {
  try {
    Loss()(kTrue, kPred);
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(),
                 "Loss: expected a loss, got an undefined one (Loss())");
  }
}

}  // namespace
}  // namespace systolic::losses
