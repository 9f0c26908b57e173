#include "systolic/layers/pooling/max_pooling2d.h"

#include "systolic/layers/pooling/pooling.h"

namespace systolic::layers {

namespace {

MaxPooling2DOptions with_size(const Extent2D& size,
                              MaxPooling2DOptions options) {
  options.pool_size = size;
  return options;
}

}  // namespace

MaxPooling2D::MaxPooling2D(MaxPooling2DOptions options, SourceLocation where)
    : Layer(
          make_pooling("MaxPooling2D", layer_options(options),
                       {sizes_of(options.pool_size), sizes_of(options.strides),
                        options.padding, options.data_format},
                       nn::max_pool, where)) {}

MaxPooling2D::MaxPooling2D(Extent2D pool_size, MaxPooling2DOptions options,
                           SourceLocation where)
    : MaxPooling2D(with_size(pool_size, std::move(options)), where) {}

}  // namespace systolic::layers
