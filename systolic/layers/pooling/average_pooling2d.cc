#include "systolic/layers/pooling/average_pooling2d.h"

#include "systolic/layers/pooling/pooling.h"

namespace systolic::layers {

namespace {

AveragePooling2DOptions with_size(const Extent2D& size,
                                  AveragePooling2DOptions options) {
  options.pool_size = size;
  return options;
}

}  // namespace

AveragePooling2D::AveragePooling2D(AveragePooling2DOptions options,
                                   SourceLocation where)
    : Layer(
          make_pooling("AveragePooling2D", layer_options(options),
                       {sizes_of(options.pool_size), sizes_of(options.strides),
                        options.padding, options.data_format},
                       nn::average_pool, where)) {}

AveragePooling2D::AveragePooling2D(Extent2D pool_size,
                                   AveragePooling2DOptions options,
                                   SourceLocation where)
    : AveragePooling2D(with_size(pool_size, std::move(options)), where) {}

}  // namespace systolic::layers
