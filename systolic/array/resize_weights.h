// How much each pixel of a line is in each pixel of a resized one: what resize
// of Arrays and of Tensors is made of.
//   ResizeWeights w = resize_weights(331, 192, "bilinear", true, where);
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "systolic/base/error.h"

namespace systolic::internal {

// Pixel i of the result is the sum over t below `taps` of
// weights[i * taps + t] times pixel starts[i] + t of the line. What a pixel
// does not need has weight 0; starts[i] + t is always inside.
struct ResizeWeights {
  int64_t taps = 0;
  std::vector<int64_t> starts;
  std::vector<double> weights;

  // Whether the result is the line itself.
  bool is_identity() const;
};

// The weights of tf.image.resize from `from` pixels to `to`, whose `method`
// is any but "nearest". Throws ValueError that lists the methods.
ResizeWeights resize_weights(int64_t from, int64_t to, std::string_view method,
                             bool antialias, const SourceLocation& where);

// The nearest of `from` pixels for each of `to`.
std::vector<int64_t> nearest_pixels(int64_t from, int64_t to);

}  // namespace systolic::internal
