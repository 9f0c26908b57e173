#include <gtest/gtest.h>

#include "systolic/base/log.h"
#include "systolic/losses/crossentropy.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/golden.h"

namespace systolic::losses {
namespace {

using internal::text_of;

// Far enough apart that log(softmax(x)) of float32 would be clipped.
const Array kLogits = Array::from({60.f, 0.f, -60.f, 0.f, 30.f, -30.f}, {2, 3});
const Array kLabels = Array::from<int32_t>({2, 0});
const Array kOneHot = Array::from({0.f, 0.f, 1.f, 1.f, 0.f, 0.f}, {2, 3});

TEST(CrossentropyPlatformTest, ALastSoftmaxIsLookedThrough) {
  const Tensor logits = constant(kLogits);
  const Array exact = Array::from({120.f, 30.f});
  EXPECT_EQ(
      golden::difference(
          sparse_categorical_crossentropy(kLabels, nn::softmax(logits)).numpy(),
          exact),
      "");
  EXPECT_EQ(golden::difference(
                categorical_crossentropy(kOneHot, nn::softmax(logits)).numpy(),
                exact),
            "");
  // Over another axis it is no distribution over the classes.
  const Tensor other =
      sparse_categorical_crossentropy(kLabels, nn::softmax(logits, 0));
  EXPECT_LT(other[0].item<float>(), 20.f);
}

TEST(CrossentropyPlatformTest, ALastSigmoidIsLookedThrough) {
  const Tensor logits = constant(Array::from({-80.f, 60.f}, {2, 1}));
  const Array labels = Array::from({1.f, 0.f}, {2, 1});
  EXPECT_EQ(
      golden::difference(binary_crossentropy(labels, sigmoid(logits)).numpy(),
                         Array::from({80.f, 60.f})),
      "");
}

TEST(CrossentropyPlatformTest, LogitsThatAreProbabilitiesAreReportedOnce) {
  std::vector<std::string> lines;
  const LogSink before =
      set_log_sink([&](LogLevel level, std::string_view text) {
        if (level == LogLevel::warning) lines.emplace_back(text);
      });
  for (int i = 0; i < 3; ++i) {
    sparse_categorical_crossentropy(kLabels, nn::softmax(kLogits),
                                    {.from_logits = true});
  }
  set_log_sink(before);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0],
            "sparse_categorical_crossentropy: from_logits = true, but y_pred "
            "is the result of a softmax and not logits; was this intended?");
}

TEST(CrossentropyPlatformTest, BinaryGradientAtZeroIsHalf) {
  const Tensor x = constant(Array::from({0.f, 0.f}, {2, 1}));
  GradientTape tape;
  tape.watch(x);
  const Tensor loss = sum(binary_crossentropy(Array::from({1.f, 0.f}, {2, 1}),
                                              x, {.from_logits = true}));
  EXPECT_EQ(golden::difference(tape.gradient(loss, x).numpy(),
                               Array::from({-0.5f, 0.5f}, {2, 1})),
            "");
}

TEST(CrossentropyPlatformTest, OneHotLabelsForClassNumbersAreNamed) {
  EXPECT_EQ(text_of<ShapeError>(
                [] { SparseCategoricalCrossentropy()(kOneHot, kLogits); }),
            "sparse_categorical_crossentropy: expected y_true of shape (2,), "
            "one class number each, got (2, 3)\n"
            "  y_true: float32[2, 3]\n"
            "  y_pred: float32[2, 3]\n"
            "  hint: for one-hot labels use CategoricalCrossentropy");
}

TEST(CrossentropyPlatformTest, ClassNumbersForOneHotLabelsAreNamed) {
  EXPECT_EQ(
      text_of<ShapeError>([] { CategoricalCrossentropy()(kLabels, kLogits); }),
      "categorical_crossentropy: expected y_true and y_pred of one "
      "shape, with a last axis, got (2,) and (2, 3)\n"
      "  y_true: float32[2]\n"
      "  y_pred: float32[2, 3]\n"
      "  hint: for class numbers use SparseCategoricalCrossentropy");
  EXPECT_EQ(text_of<ShapeError>([] { BinaryCrossentropy()(kLabels, kLogits); }),
            "binary_crossentropy: expected y_true and y_pred of one shape, "
            "with a last axis, got (2,) and (2, 3)\n"
            "  y_true: float32[2]\n"
            "  y_pred: float32[2, 3]\n"
            "  hint: one label for each output: a last layer of one unit goes "
            "with labels of shape (batch, 1)");
}

TEST(CrossentropyPlatformTest, OptionsOutOfRangeAreNamed) {
  EXPECT_EQ(text_of<ValueError>(
                [] { CategoricalCrossentropy({.label_smoothing = 2}); }),
            "CategoricalCrossentropy: expected label_smoothing in 0 ... 1, "
            "got 2");
  EXPECT_EQ(
      text_of<ValueError>([] {
        sparse_categorical_crossentropy(kLabels, kLogits, {.axis = 0});
      }),
      "sparse_categorical_crossentropy: expected the classes along the last "
      "axis (axis = -1), got axis = 0\n  y_pred: float32[2, 3]");
}

}  // namespace
}  // namespace systolic::losses
