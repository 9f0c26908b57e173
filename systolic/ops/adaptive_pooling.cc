// Poolings to a given size, an axis at a time.
// Tested by: systolic/ops/pooling_platform_test.cc
#include "systolic/base/message.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/nn.h"
#include "systolic/ops/pooling.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/slicing.h"

namespace systolic {

namespace {

using Combine = Tensor (*)(const Arg&, const ReduceOptions&);

// `outputs` windows along one axis, each combined.
Tensor shared_out(const Tensor& x, int axis, int64_t outputs, Combine combine) {
  const int64_t size = x.shape()[axis];
  std::vector<Index> index(static_cast<size_t>(x.rank()), Index(all));
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < outputs; ++i) {
    const int64_t start = i * size / outputs;
    const int64_t stop = ((i + 1) * size + outputs - 1) / outputs;
    index[static_cast<size_t>(axis)] = Slice(start, stop);
    parts.push_back(combine(slice(x, index), {.axis = axis, .keepdims = true}));
  }
  return concatenate(parts, axis);
}

Tensor pool(const Arg& x, const nn::AdaptivePoolOptions& options,
            Combine combine, const char* who) {
  const nn::PoolOptions as_windows{.pool_size = options.output_size,
                                   .data_format = options.data_format};
  Tensor y = internal::ops::pool_input(x.tensor(), as_windows, who, x.where());
  for (int i = 0; i < y.rank() - 2; ++i) {
    if (options.output_size[i] < 1 || y.shape()[i + 1] < 1) {
      internal::Message(who)
          .expected("images and an output_size of at least 1")
          .got(y.shape(), " and ", options.output_size[i])
          .at(x.where())
          .raise<ValueError>();
    }
    y = shared_out(y, i + 1, options.output_size[i], combine);
  }
  return internal::ops::pool_output(y, as_windows);
}

}  // namespace

Tensor nn::adaptive_max_pool(const Arg& x, const AdaptivePoolOptions& options) {
  return pool(x, options, &max, "adaptive_max_pool");
}

Tensor nn::adaptive_average_pool(const Arg& x,
                                 const AdaptivePoolOptions& options) {
  return pool(x, options, &mean, "adaptive_average_pool");
}

}  // namespace systolic
