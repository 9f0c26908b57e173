#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/layers/layers.h"
#include "systolic/layers/test_options.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/layer_contract.h"

namespace systolic::layers {
namespace {

using internal::text_of;

TEST(EmbeddingGolden, ValuesAndGradientsAreKeras) {
  contracts::check_golden_layers(
      "layers_embedding", [](const golden::Value& o) {
        return Embedding(o.at("input_dim").integer(),
                         o.at("output_dim").integer());
      });
}

TEST(Embedding, WeightsAndShapes) {
  const Embedding table(5, 3, {.name = "table"});
  EXPECT_FALSE(table.embeddings().is_defined());
  EXPECT_EQ(table.compute_output_shape({-1, 4}), (Shape{-1, 4, 3}));
  table.build({-1, 4});
  EXPECT_EQ(table.weights()[0].path(), "table/embeddings");
  EXPECT_EQ(table.embeddings().shape(), (Shape{5, 3}));
  EXPECT_EQ(Embedding(5, 3, {.dtype = "mixed_bfloat16"})(
                constant(Array::from({1, 2})))
                .dtype(),
            DType::bfloat16);
}

TEST(Embedding, MistakesAreNamed) {
  EXPECT_TRUE(text_of<ValueError>([] {
                Embedding(0, 3);
              }).starts_with("Embedding: expected input_dim > 0, got 0"));
}

}  // namespace
}  // namespace systolic::layers
