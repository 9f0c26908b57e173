// What the pooling layers of images are made of.
//
//   make_pooling2d("MaxPooling2D", options, nn::max_pool, where);
#pragma once

#include <memory>
#include <string_view>

#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

// One pooling over windows of an image.
using PoolFunction = Tensor (*)(const Arg& x, const nn::PoolOptions& options);

// How a window of a pooling moves.
struct PoolWindow {
  Extent2D pool_size;
  Extent2D strides;  // unset: as pool_size
  Padding padding = Padding::valid;
  DataFormat data_format = DataFormat::channels_last;
};

// A layer that pools with `function`. Throws: ValueError unless pool_size and
// strides are above 0.
std::shared_ptr<LayerBase> make_pooling2d(std::string_view class_name,
                                          LayerOptions options,
                                          const PoolWindow& window,
                                          PoolFunction function,
                                          const SourceLocation& where);

}  // namespace systolic::layers
