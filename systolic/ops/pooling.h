// What the poolings share, and what convolution knows of max pooling: where one
// follows a convolution, the gradients of both are one call of our kernel.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/graph/op.h"
#include "systolic/ops/windows.h"

namespace systolic::internal::ops {

/// Why the gradient of a max pooling has none of its own.
inline constexpr std::string_view kNoPoolGradient =
    "the second derivative of a maximum is zero where it exists; pooling does "
    "not offer it";

/// One pooling as a program has it.
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

/// `x` as a pooling takes it, (n, h, w, c) or with one or three axes between.
/// Throws ShapeError for another rank, ValueError for wrong options.
Tensor pool_input(const Tensor& x, const nn::PoolOptions& options,
                  std::string_view op, const SourceLocation& where);

/// What a pooling gives, in the data format of the options.
Tensor pool_output(const Tensor& y, const nn::PoolOptions& options);

/// The shape of a pooling of `x`.
Shape pooled_shape(const PoolAttributes& o, const Shape& x);

/// Whether the platform has `kernel` and that takes what is to be lowered:
/// float32 images of two axes.
bool has_pool_kernel(const graph::Lower& l, std::string_view kernel);

/// The call of `kernel`.
graph::Values call_pool_kernel(graph::Lower& l, const PoolAttributes& o,
                               std::string_view kernel);

/// Pools `x` as the options say: record(images, attributes) gets at least two
/// axes between the first and the last, since our kernels have two. Throws for
/// options that do not fit, in the name of `op`.
Tensor pool(const Tensor& x, const nn::PoolOptions& options,
            std::string_view op, const SourceLocation& where,
            const std::function<Tensor(const Tensor&, PoolAttributes)>& record);

/// The gradient of the max pooling of `input`, or null where `gradient` is
/// not one. Its options are PoolAttributes; its inputs are `input` and the
/// gradient behind the pooling.
const graph::Node* max_pool_gradient_of(const graph::Ref& input,
                                        const graph::Ref& gradient);

/// What `node`, of max_pool_gradient_of, was recorded with.
const PoolAttributes& pool_attributes(const graph::Node& node);

}  // namespace systolic::internal::ops
