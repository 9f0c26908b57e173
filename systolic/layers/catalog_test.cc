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
           InputLayer({3}), Dense(2), Activation("relu"), ReLU(), Softmax(),
           Conv2D(4, 3), MaxPooling2D(), Flatten(), Dropout(0.5)}) {
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
