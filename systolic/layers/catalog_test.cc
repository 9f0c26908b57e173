#include "systolic/layers/catalog.h"

#include <gtest/gtest.h>

#include <map>

#include "systolic/layers/layers.h"

namespace systolic::layers {
namespace {

// One of each; a layer that is not in the table, or is there under another
// name, fails here.
std::map<std::string_view, Layer> all_layers() {
  std::map<std::string_view, Layer> layers;
  for (const Layer& layer : std::initializer_list<Layer>{
           InputLayer({3}),
           Dense(2),
           Activation("relu"),
           ReLU(),
           Softmax(),
           Conv2D(4, 3),
           MaxPooling2D(),
           Flatten(),
           Dropout(0.5),
           Embedding(2, 3),
           LeakyReLU(),
           ELU(),
           Conv1D(4, 3),
           DepthwiseConv2D(3),
           AveragePooling2D(),
           GlobalAveragePooling1D(),
           GlobalAveragePooling2D(),
           GlobalMaxPooling1D(),
           GlobalMaxPooling2D(),
           Reshape({3}),
           Permute({1}),
           RepeatVector(2),
           ZeroPadding1D(),
           ZeroPadding2D(),
           Cropping1D(),
           Cropping2D(),
           UpSampling1D(),
           UpSampling2D(),
           BatchNormalization(),
           LayerNormalization(),
           RMSNormalization(),
           GroupNormalization(),
           Add(),
           Subtract(),
           Multiply(),
           Average(),
           Maximum(),
           Minimum(),
           Concatenate(),
           Dot(1),
           MultiHeadAttention(1, 2),
           MaxPooling1D(),
           MaxPooling3D(),
           AveragePooling1D(),
           AveragePooling3D(),
           GlobalAveragePooling3D(),
           GlobalMaxPooling3D(),
           SeparableConv1D(4, 3),
           SeparableConv2D(4, 3),
           ZeroPadding3D(),
           Cropping3D(),
           UpSampling3D(),
           Masking(),
           Attention(),
           AdditiveAttention(),
           GroupQueryAttention(2, 2, {.num_key_value_heads = 1}),
           Rescaling(2)}) {
    layers.emplace(layer.class_name(), layer);
  }
  return layers;
}

TEST(LayerCatalog, ListsEveryLayerOnce) {
  const auto layers = all_layers();
  EXPECT_EQ(catalog().size(), layers.size());
  for (const CatalogRow& row : catalog()) {
    EXPECT_TRUE(layers.contains(row.class_name)) << row.class_name;
    EXPECT_FALSE(row.group.empty()) << row.class_name;
  }
}

}  // namespace
}  // namespace systolic::layers
