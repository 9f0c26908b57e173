// Losses of custom loops over replicas and batches that are filled up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>

#include "systolic/graph/placement.h"
#include "systolic/graph/step.h"
#include "systolic/graph/tape.h"
#include "systolic/losses/average_loss.h"
#include "systolic/losses/crossentropy.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/error_text.h"

namespace systolic::nn {
namespace {

using internal::text_of;
using ::testing::HasSubstr;
namespace graph = internal::graph;

const graph::Placement* replicas(int count) {
  auto devices = internal::runtime::Client::open({.device_count = 8}).devices();
  devices.resize(static_cast<size_t>(count));
  return graph::Placement::replicas(devices);
}

// What the replicas' parts of `loss` add up to, where each has `rows` rows of
// ones and `real` of them count (-1: all).
float total(int count, int64_t rows, int32_t real, const auto& loss) {
  const graph::Placement* placement = replicas(count);
  Tensor valid;
  if (real >= 0) valid = constant(Array::scalar(real));
  graph::Step step(placement, "step");
  step.context().batch_rows = rows;
  step.context().valid_rows = valid;
  const Tensor sum = all_reduce(ReduceOp::sum, loss());
  step.commit(std::span(&sum, 1));
  return sum.numpy().item<float>();
}

TEST(AverageLossPlatformTest, ReplicasAddUpToTheMean) {
  const auto loss = [] { return compute_average_loss(ones({4}) * 3); };
  EXPECT_FLOAT_EQ(total(1, 4, -1, loss), 3);
  EXPECT_FLOAT_EQ(total(8, 4, -1, loss), 3);
  EXPECT_FLOAT_EQ(total(8, 4, 1, loss), 3);
}

TEST(AverageLossPlatformTest, GlobalBatchSizeDivides) {
  const auto loss = [] {
    return compute_average_loss(ones({4}), {.global_batch_size = 16});
  };
  EXPECT_FLOAT_EQ(total(1, 4, -1, loss), 0.25);
  EXPECT_FLOAT_EQ(total(4, 4, -1, loss), 1);
  EXPECT_FLOAT_EQ(total(4, 4, 3, loss), 0.75);
}

// A constant error of every pixel is the loss, whatever the size.
TEST(AverageLossPlatformTest, PixelsAreAveragedBeforeRows) {
  for (const Shape& shape : {Shape{4, 5}, Shape{4, 2, 3}, Shape{4, 7, 1, 2}}) {
    for (const int count : {1, 2, 8}) {
      EXPECT_FLOAT_EQ(total(count, 4, -1,
                            [&] {
                              return compute_average_loss(
                                  ones(shape) * 2,
                                  {.global_batch_size = 4 * count});
                            }),
                      2);
      EXPECT_FLOAT_EQ(
          total(count, 4, 2, [&] { return compute_average_loss(ones(shape)); }),
          1);
    }
  }
}

TEST(AverageLossPlatformTest, WeightsCountByExampleOrByValue) {
  const Tensor weight = constant({1.0, 0.0, 2.0, 1.0});
  const auto by_row = [&](const Shape& shape) {
    return total(2, 4, -1, [&] {
      return compute_average_loss(ones(shape), {.sample_weight = weight});
    });
  };
  EXPECT_FLOAT_EQ(by_row({4}), 1);
  EXPECT_FLOAT_EQ(by_row({4, 3}), 1);
  EXPECT_FLOAT_EQ(by_row({4, 3, 2}), 1);
}

TEST(AverageLossPlatformTest, FillingMayHoldAnything) {
  const auto loss = [] {
    return compute_average_loss(constant({1.0, 2.0}) / constant({1.0, 0.0}));
  };
  EXPECT_FLOAT_EQ(total(2, 2, 1, loss), 1);
}

TEST(AverageLossPlatformTest, PenaltiesAreSharedOut) {
  const auto loss = [] {
    return scale_regularization_loss(constant({1.0, 2.0}));
  };
  EXPECT_FLOAT_EQ(total(1, 2, -1, loss), 3);
  EXPECT_FLOAT_EQ(total(8, 2, -1, loss), 3);
  EXPECT_FLOAT_EQ(scale_regularization_loss(4.f).item<float>(), 4);
}

// Tokens count, and not rows.
TEST(AverageLossPlatformTest, MaskedMeanCountsWhatIsLeft) {
  const auto loss = [] {
    const Tensor id = replica_id_in_sync_group();
    // Replica 0 has three tokens of 1, the others one of 5.
    const Tensor first = equal(id, 0);
    const Tensor mask = where(first, constant({{true, true}, {true, false}}),
                              constant({{false, false}, {false, true}}));
    return masked_mean(where(first, 1.f, 5.f) * ones({2, 2}), {.mask = mask});
  };
  EXPECT_FLOAT_EQ(total(2, 2, -1, loss), 2);
  EXPECT_FLOAT_EQ(total(2, 2, 1, [] { return masked_mean(ones({2, 3})); }), 1);
  EXPECT_FLOAT_EQ(total(2, 2, 0, [] { return masked_mean(ones({2})); }), 0);
}

// Certain and right is no loss; certain and wrong a finite one.
TEST(AverageLossPlatformTest, CertainProbabilitiesAreFinite) {
  const Tensor labels = constant({{1.0}, {0.0}, {0.0}});
  const Tensor certain = constant({{1.0}, {0.0}, {1.0}});
  GradientTape tape;
  tape.watch(certain);
  const Tensor each = losses::binary_crossentropy(labels, certain);
  const Tensor loss = compute_average_loss(each);
  const Array slope = tape.gradient(loss, {certain})[0].numpy();
  for (const float value : slope.span<float>()) {
    EXPECT_TRUE(std::isfinite(value)) << value;
  }
  const Array values = each.numpy();
  EXPECT_NEAR(values.span<float>()[0], 0, 1e-6);
  EXPECT_NEAR(values.span<float>()[1], 0, 1e-6);
  EXPECT_GT(values.span<float>()[2], 10);
  EXPECT_TRUE(std::isfinite(values.span<float>()[2]));
}

// A batch size in the place of the weights does not compile.
TEST(AverageLossPlatformTest, SizeIsNoWeight) {
  using Options = AverageLossOptions;
  static_assert(
      !std::is_invocable_v<decltype(compute_average_loss), Tensor, int>);
  static_assert(!std::is_convertible_v<int, Options>);
  static_assert(!std::is_assignable_v<decltype(Options::sample_weight)&, int>);
}

TEST(AverageLossPlatformTest, MistakesAreNamed) {
  EXPECT_THAT(text_of<ShapeError>([] { compute_average_loss(constant(1.0)); }),
              HasSubstr("compute_average_loss: expected a value for each "
                        "example, got float32[]\n"
                        "  hint: compute the loss without a reduction\n"
                        "  at: average_loss_platform_test.cc:"));
  EXPECT_THAT(text_of<ShapeError>([] {
                total(2, 4, 3, [] { return compute_average_loss(ones({5})); });
              }),
              HasSubstr("expected a first axis of the 4 rows of this replica, "
                        "got float32[5]"));
  EXPECT_THAT(text_of<ValueError>([] {
                compute_average_loss(ones({2}), {.global_batch_size = 0});
              }),
              HasSubstr("expected a global_batch_size of at least 1, got 0"));
}

}  // namespace
}  // namespace systolic::nn
