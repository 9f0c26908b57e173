#include "systolic/layers/catalog.h"

#include <array>

namespace systolic::layers {

namespace {

constexpr std::array kRows{
    CatalogRow{"InputLayer", "core"},
    CatalogRow{"Dense", "core"},
    CatalogRow{"Embedding", "core"},
    CatalogRow{"Masking", "core"},
    CatalogRow{"Activation", "activations"},
    CatalogRow{"ReLU", "activations"},
    CatalogRow{"LeakyReLU", "activations"},
    CatalogRow{"ELU", "activations"},
    CatalogRow{"Softmax", "activations"},
    CatalogRow{"Conv1D", "convolutional"},
    CatalogRow{"Conv2D", "convolutional"},
    CatalogRow{"DepthwiseConv2D", "convolutional"},
    CatalogRow{"SeparableConv1D", "convolutional"},
    CatalogRow{"SeparableConv2D", "convolutional"},
    CatalogRow{"MaxPooling1D", "pooling"},
    CatalogRow{"MaxPooling2D", "pooling"},
    CatalogRow{"MaxPooling3D", "pooling"},
    CatalogRow{"AveragePooling1D", "pooling"},
    CatalogRow{"AveragePooling2D", "pooling"},
    CatalogRow{"AveragePooling3D", "pooling"},
    CatalogRow{"GlobalAveragePooling1D", "pooling"},
    CatalogRow{"GlobalAveragePooling2D", "pooling"},
    CatalogRow{"GlobalAveragePooling3D", "pooling"},
    CatalogRow{"GlobalMaxPooling1D", "pooling"},
    CatalogRow{"GlobalMaxPooling2D", "pooling"},
    CatalogRow{"GlobalMaxPooling3D", "pooling"},
    CatalogRow{"Flatten", "reshaping"},
    CatalogRow{"Reshape", "reshaping"},
    CatalogRow{"Permute", "reshaping"},
    CatalogRow{"RepeatVector", "reshaping"},
    CatalogRow{"ZeroPadding1D", "reshaping"},
    CatalogRow{"ZeroPadding2D", "reshaping"},
    CatalogRow{"ZeroPadding3D", "reshaping"},
    CatalogRow{"Cropping1D", "reshaping"},
    CatalogRow{"Cropping2D", "reshaping"},
    CatalogRow{"Cropping3D", "reshaping"},
    CatalogRow{"UpSampling1D", "reshaping"},
    CatalogRow{"UpSampling2D", "reshaping"},
    CatalogRow{"UpSampling3D", "reshaping"},
    CatalogRow{"Dropout", "regularization"},
    CatalogRow{"BatchNormalization", "normalization"},
    CatalogRow{"LayerNormalization", "normalization"},
    CatalogRow{"RMSNormalization", "normalization"},
    CatalogRow{"GroupNormalization", "normalization"},
    CatalogRow{"Add", "merging"},
    CatalogRow{"Subtract", "merging"},
    CatalogRow{"Multiply", "merging"},
    CatalogRow{"Average", "merging"},
    CatalogRow{"Maximum", "merging"},
    CatalogRow{"Minimum", "merging"},
    CatalogRow{"Concatenate", "merging"},
    CatalogRow{"Dot", "merging"},
    CatalogRow{"Attention", "attention"},
    CatalogRow{"AdditiveAttention", "attention"},
    CatalogRow{"MultiHeadAttention", "attention"},
    CatalogRow{"GroupQueryAttention", "attention"},
    CatalogRow{"Rescaling", "preprocessing"},
};

}  // namespace

std::span<const CatalogRow> catalog() { return kRows; }

}  // namespace systolic::layers
