// Tested by: systolic/layers/pooling/pooling_platform_test.cc
#include "systolic/layers/pooling/pooling3d.h"

#include "systolic/layers/pooling/pooling.h"

namespace systolic::layers {

namespace {

PoolWindow window_of(const Pooling3DOptions& options) {
  return {.pool_size = sizes_of(options.pool_size),
          .strides = sizes_of(options.strides),
          .padding = options.padding,
          .data_format = options.data_format};
}

Pooling3DOptions with_size(const Extent3D& size, Pooling3DOptions options) {
  options.pool_size = size;
  return options;
}

}  // namespace

MaxPooling3D::MaxPooling3D(Pooling3DOptions options, SourceLocation where)
    : Layer(make_pooling("MaxPooling3D", layer_options(options),
                         window_of(options), nn::max_pool, where)) {}

MaxPooling3D::MaxPooling3D(Extent3D pool_size, Pooling3DOptions options,
                           SourceLocation where)
    : MaxPooling3D(with_size(pool_size, std::move(options)), where) {}

AveragePooling3D::AveragePooling3D(Pooling3DOptions options,
                                   SourceLocation where)
    : Layer(make_pooling("AveragePooling3D", layer_options(options),
                         window_of(options), nn::average_pool, where)) {}

AveragePooling3D::AveragePooling3D(Extent3D pool_size, Pooling3DOptions options,
                                   SourceLocation where)
    : AveragePooling3D(with_size(pool_size, std::move(options)), where) {}

}  // namespace systolic::layers
