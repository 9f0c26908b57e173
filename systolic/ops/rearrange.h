// Ops that reorder, repeat, cut and border, made of those of manipulation.h.
//
//   auto parts = split(x, 3, 1);
//   Tensor bordered = pad(x, {{1, 1}, {2, 2}}, {.mode = "reflect"});
#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "systolic/array/axes.h"
#include "systolic/graph/arg.h"
#include "systolic/ops/manipulation.h"

namespace systolic {

namespace internal::ops {
/// What split does for a number of sections.
std::vector<Tensor> split_evenly(const Arg& x, int64_t sections, int axis);
}  // namespace internal::ops

/// All elements along one axis.
Tensor ravel(const Arg& x);
/// The `source` axes moved to `destination`; the others keep their order.
Tensor moveaxis(const Arg& x, const Axes& source, const Axes& destination);
/// Two axes exchanged.
Tensor swapaxes(const Arg& x, int axis1, int axis2);
/// TensorFlow's name for flip.
Tensor reverse(const Arg& x, const Axes& axis);
/// Turned by k quarters from the first of two axes towards the second.
Tensor rot90(const Arg& x, int k = 1, const Axes& axes = {0, 1});
/// Elements moved on by `shift` along an axis, and round at its end; without
/// an axis in the flattened order.
Tensor roll(const Arg& x, int64_t shift, std::optional<int> axis = {});
/// The same along several axes.
Tensor roll(const Arg& x, const std::vector<int64_t>& shift, const Axes& axis);

/// The whole of `x` repeated along each axis.
Tensor tile(const Arg& x, const std::vector<int64_t>& repeats);
/// Each element repeated along an axis; without one, of the flattened x.
Tensor repeat(const Arg& x, int64_t repeats, std::optional<int> axis = {});
/// The same with a number of its own for each element along the axis.
Tensor repeat(const Arg& x, const std::vector<int64_t>& repeats,
              std::optional<int> axis = {});

/// The parts between these positions.
std::vector<Tensor> split(const Arg& x, const std::vector<int64_t>& indices,
                          int axis = 0);
/// `sections` parts of one size. Throws ValueError where it does not divide.
/// A template, so that {1} is a position.
template <std::integral Int>
std::vector<Tensor> split(const Arg& x, Int sections, int axis = 0) {
  return internal::ops::split_evenly(x, static_cast<int64_t>(sections), axis);
}
/// The slices along an axis, without it.
std::vector<Tensor> unstack(const Arg& x, int axis = 0);
/// Joined along the second axis (vectors: the first); along the first, where
/// vectors are rows.
Tensor hstack(const std::vector<Tensor>& xs,
              SourceLocation where = SourceLocation::current());
Tensor vstack(const std::vector<Tensor>& xs,
              SourceLocation where = SourceLocation::current());

struct PadOptions {
  /// "constant"; "edge" repeats the last element, "reflect" mirrors without
  /// it, "symmetric" with it.
  std::string mode = "constant";
  double constant_values = 0;
};
/// `x` with constants or elements of its own around it.
Tensor pad(const Arg& x, const PadWidth& pad_width, const PadOptions& options);

/// Blocks of block_size x block_size pixels as channels, and back. Shapes: (n,
/// h, w, c) -> (n, h / b, w / b, c b b).
Tensor space_to_depth(const Arg& x, int64_t block_size);
Tensor depth_to_space(const Arg& x, int64_t block_size);

}  // namespace systolic
