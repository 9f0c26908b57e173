// What convolution knows of max pooling: where one follows a convolution, the
// gradients of both are one call of our kernel.
#pragma once

#include <string_view>
#include <vector>

#include "systolic/graph/op.h"
#include "systolic/ops/windows.h"

namespace systolic::internal::ops {

/// Why the gradient of a max pooling has none of its own.
inline constexpr std::string_view kNoPoolGradient =
    "the second derivative of a maximum is zero where it exists; pooling does "
    "not offer it";

/// One max pooling as a program has it.
struct PoolAttributes {
  ConvWindow window;
  std::vector<int64_t> size;

  /// As reduce_window takes it: over all axes.
  stablehlo::Window stablehlo() const;

  template <class V>
  void visit(V&& v) const {
    window.visit(v);
    v("size", size);
  }
};

/// The gradient of the max pooling of `input`, or null where `gradient` is
/// not one. Its options are PoolAttributes; its inputs are `input` and the
/// gradient behind the pooling.
const graph::Node* max_pool_gradient_of(const graph::Ref& input,
                                        const graph::Ref& gradient);

/// What `node`, of max_pool_gradient_of, was recorded with.
const PoolAttributes& pool_attributes(const graph::Node& node);

}  // namespace systolic::internal::ops
