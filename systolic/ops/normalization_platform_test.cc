#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/graph/step.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/collective.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/normalization.h"
#include "systolic/ops/rearrange.h"
#include "systolic/ops/test_ops.h"

namespace systolic {
namespace {

using contracts::OpSample;
using contracts::Tensors;
using internal::ops::begins;
using internal::ops::Calls;
using internal::ops::message_of;

Tensors both(const nn::Moments& m) { return {m.mean, m.variance}; }

TEST(Normalization, IsKerass) {
  internal::ops::compare_with_goldens(
      "ops_nn", "normalization",
      Calls{{"moments",
             [](const Tensors& in) {
               return both(nn::moments(in[0], {.axis = {0, 1}}));
             }},
            {"moments keepdims",
             [](const Tensors& in) {
               return both(nn::moments(in[0], {.axis = -1, .keepdims = true}));
             }},
            {"normalize",
             [](const Tensors& in) { return Tensors{nn::normalize(in[0])}; }},
            {"normalize 1",
             [](const Tensors& in) {
               return Tensors{nn::normalize(in[0], {.axis = 0, .order = 1})};
             }},
            {"normalize 3",
             [](const Tensors& in) {
               return Tensors{nn::normalize(in[0], {.order = 3})};
             }},
            {"l2_normalize",
             [](const Tensors& in) {
               return Tensors{nn::l2_normalize(in[0], {.axis = 1})};
             }},
            {"batch",
             [](const Tensors& in) {
               return Tensors{nn::batch_normalization(
                   in[0], in[1], in[2],
                   {.axis = 1, .offset = in[4], .scale = in[3]})};
             }},
            {"layer",
             [](const Tensors& in) {
               return Tensors{nn::layer_normalization(
                   in[0], {.gamma = in[1], .beta = in[2], .epsilon = 1e-3})};
             }},
            {"rms",
             [](const Tensors& in) {
               return Tensors{nn::rms_normalization(in[0], {.scale = in[1]})};
             }},
            {"attention",
             [](const Tensors& in) {
               return Tensors{nn::dot_product_attention(in[0], in[1], in[2])};
             }},
            {"attention masked",
             [](const Tensors& in) {
               const Array mask =
                   Array::from({true, false, true, true, true, true, false,
                                false, false, true, true, true},
                               {1, 1, 3, 4});
               return Tensors{nn::dot_product_attention(
                   in[0], in[1], in[2],
                   {.mask = constant(mask), .scale = 0.5})};
             }},
            {"attention causal, biased", [](const Tensors& in) {
               return Tensors{nn::dot_product_attention(
                   in[0], in[1], in[2], {.bias = in[3], .is_causal = true})};
             }}});
}

Array some(const Shape& shape, int start) {
  Array x = Array::uninitialized({DType::float64, shape});
  int i = start;
  for (double& value : x.mutable_span<double>()) {
    value = (i++ * 7 % 15 - 7) * 0.25;
  }
  return x;
}

TEST(Normalization, GradientsAreTheFiniteDifferences) {
  const std::vector<OpSample> samples{
      {.op = "rsqrt",
       .name = "in normalization",
       .call =
           [](const Tensors& in) {
             return Tensors{nn::layer_normalization(
                                in[0], {.gamma = in[1], .epsilon = 0.1}),
                            nn::rms_normalization(in[0], {.scale = in[1]}),
                            nn::normalize(in[0]),
                            nn::l2_normalize(in[0], {.axis = 0})};
           },
       .inputs = {some({2, 3}, 0), some({3}, 2)},
       .error = 5},
      {.op = "softmax",
       .name = "in attention",
       .call =
           [](const Tensors& in) {
             return Tensors{nn::dot_product_attention(in[0], in[1], in[2],
                                                      {.is_causal = true})};
           },
       .inputs = {some({1, 3, 2, 2}, 0), some({1, 3, 1, 2}, 3),
                  some({1, 3, 1, 2}, 5)},
       .error = 3}};
  contracts::check_ops(samples, {}, internal::ops::catalog());
}

// The moments of eight replicas' parts are those of the whole.
TEST(Normalization, MomentsOfAllReplicas) {
  const Tensor whole = cast(arange(16), DType::float32);
  const nn::Moments wanted = nn::moments(whole * whole);
  Tensors found;
  {
    internal::graph::Step step(
        internal::graph::Placement::replicas(
            internal::runtime::Client::open({.device_count = 8}).devices()),
        "test");
    const Tensor id = cast(replica_id_in_sync_group(), DType::float32);
    const Tensor part = stack({id * 2, id * 2 + 1});
    found = both(nn::moments(part * part, {.synchronized = true}));
    step.commit(found);
  }
  const double means = wanted.mean.item<float>();
  const double variances = wanted.variance.item<float>();
  for (const Array& value :
       internal::graph::storage_of(found[0].ref())->replicas()) {
    EXPECT_NEAR(value.item<float>(), means, 1e-5 * means);
  }
  for (const Array& value :
       internal::graph::storage_of(found[1].ref())->replicas()) {
    EXPECT_NEAR(value.item<float>(), variances, 1e-5 * variances);
  }
}

TEST(Normalization, HalfPrecisionIsKept) {
  const Tensor x = ones({2, 3}, DType::bfloat16) * 300;
  EXPECT_EQ(nn::layer_normalization(x).dtype(), DType::bfloat16);
  EXPECT_EQ(nn::moments(x).variance.dtype(), DType::bfloat16);
  EXPECT_EQ(nn::moments(x).variance.item<float>(), 0);
}

TEST(Normalization, WrongCallsAreTold) {
  const Tensor x = zeros({2, 3});
  EXPECT_TRUE(begins(message_of<ShapeError>([&] {
                       nn::layer_normalization(x, {.gamma = zeros({2})});
                     }),
                     "layer_normalization: expected parameters of shape (3,), "
                     "got (2,)\n"));
  EXPECT_TRUE(begins(
      message_of<ShapeError>([&] { nn::dot_product_attention(x, x, x); }),
      "dot_product_attention: expected query (n, t, heads, h), key (n, s, "
      "heads, h) and value (n, s, heads, h), got (2, 3), (2, 3) and (2, 3)"));
  EXPECT_TRUE(
      begins(message_of<ValueError>([&] { nn::normalize(x, {.order = 0}); }),
             "normalize: expected an order of at least 1, got 0"));
}

}  // namespace
}  // namespace systolic
