// What the pooling layers are made of.
//
//   make_pooling("MaxPooling2D", options, {.pool_size = {2, 2}},
//                nn::max_pool, where);
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

// One pooling over windows.
using PoolFunction = Tensor (*)(const Arg& x, const nn::PoolOptions& options);

// How a window of a pooling moves, along one, two or three axes.
struct PoolWindow {
  std::vector<int64_t> pool_size;
  std::vector<int64_t> strides;  // empty: as pool_size
  Padding padding = Padding::valid;
  DataFormat data_format = DataFormat::channels_last;
};

// A layer that pools with `function`. Throws: ValueError unless pool_size and
// strides are above 0.
std::shared_ptr<LayerBase> make_pooling(std::string_view class_name,
                                        LayerOptions options, PoolWindow window,
                                        PoolFunction function,
                                        const SourceLocation& where);

// The sizes of a window of two or three axes; none where they are unset.
template <class Extent>
std::vector<int64_t> sizes_of(const Extent& extent) {
  if (!extent.is_set()) return {};
  return {extent.sizes().begin(), extent.sizes().end()};
}

}  // namespace systolic::layers
