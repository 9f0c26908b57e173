#include "systolic/layers/catalog.h"

#include <array>

namespace systolic::layers {

namespace {

constexpr std::array kRows{
    CatalogRow{"InputLayer", "core"},
    CatalogRow{"Dense", "core"},
    CatalogRow{"Activation", "activations"},
    CatalogRow{"ReLU", "activations"},
    CatalogRow{"Softmax", "activations"},
    CatalogRow{"Conv2D", "convolutional"},
    CatalogRow{"MaxPooling2D", "pooling"},
    CatalogRow{"Flatten", "reshaping"},
    CatalogRow{"Dropout", "regularization"},
};

}  // namespace

std::span<const CatalogRow> catalog() { return kRows; }

}  // namespace systolic::layers
