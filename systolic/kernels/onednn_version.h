// All that differs between oneDNN 2.x and 3.x: since 3.0 there are no
// descriptors of operations, a relu has no scale, and there is one pooling.
//   auto chosen = describe<dnnl::convolution_forward>(engine, attributes, ...);
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

namespace systolic::internal::kernels {

#if DNNL_VERSION_MAJOR >= 3
using PoolingForward = dnnl::pooling_forward;
using PoolingBackward = dnnl::pooling_backward;
#else
// Those that take a dilation, as 3's do.
using PoolingForward = dnnl::pooling_v2_forward;
using PoolingBackward = dnnl::pooling_v2_backward;
#endif

/// Returns the description of a forward primitive with `arguments`.
template <class Primitive, class... Arguments>
typename Primitive::primitive_desc describe(
    const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
    const Arguments&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
  return typename Primitive::primitive_desc(engine, arguments..., attributes);
#else
  return typename Primitive::primitive_desc(
      typename Primitive::desc(arguments...), attributes, engine);
#endif
}

/// Returns the description of a gradient; `hint` describes the forward
/// primitive.
template <class Primitive, class Hint, class... Arguments>
typename Primitive::primitive_desc describe_gradient(
    const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
    const Hint& hint, const Arguments&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
  return typename Primitive::primitive_desc(engine, arguments..., hint,
                                            attributes);
#else
  return typename Primitive::primitive_desc(
      typename Primitive::desc(arguments...), attributes, engine, hint);
#endif
}

/// Adds a relu of the result.
inline void append_relu(dnnl::post_ops& operations) {
#if DNNL_VERSION_MAJOR >= 3
  operations.append_eltwise(dnnl::algorithm::eltwise_relu, 0.f, 0.f);
#else
  operations.append_eltwise(1.f, dnnl::algorithm::eltwise_relu, 0.f, 0.f);
#endif
}

}  // namespace systolic::internal::kernels
