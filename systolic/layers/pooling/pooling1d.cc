// Tested by: systolic/layers/pooling/pooling_platform_test.cc
#include "systolic/layers/pooling/pooling1d.h"

#include "systolic/layers/pooling/pooling.h"

namespace systolic::layers {

namespace {

PoolWindow window_of(const Pooling1DOptions& options) {
  PoolWindow window{.pool_size = {options.pool_size},
                    .padding = options.padding,
                    .data_format = options.data_format};
  if (options.strides) window.strides = {*options.strides};
  return window;
}

Pooling1DOptions with_size(int64_t size, Pooling1DOptions options) {
  options.pool_size = size;
  return options;
}

}  // namespace

MaxPooling1D::MaxPooling1D(Pooling1DOptions options, SourceLocation where)
    : Layer(make_pooling("MaxPooling1D", layer_options(options),
                         window_of(options), nn::max_pool, where)) {}

MaxPooling1D::MaxPooling1D(Dim pool_size, Pooling1DOptions options,
                           SourceLocation where)
    : MaxPooling1D(with_size(pool_size, std::move(options)), where) {}

AveragePooling1D::AveragePooling1D(Pooling1DOptions options,
                                   SourceLocation where)
    : Layer(make_pooling("AveragePooling1D", layer_options(options),
                         window_of(options), nn::average_pool, where)) {}

AveragePooling1D::AveragePooling1D(Dim pool_size, Pooling1DOptions options,
                                   SourceLocation where)
    : AveragePooling1D(with_size(pool_size, std::move(options)), where) {}

}  // namespace systolic::layers
