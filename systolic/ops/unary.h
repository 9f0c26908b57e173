// What the functions of one value share: shape rules, lowerings, recording.
//
//   constexpr char kTanName[] = "chlo.tan";
//   constexpr Op<> kTan{.name = "tan", .infer = infer_real,
//                       .lower = lower_unary<kTanName>, ...};
//   Tensor tan(const Arg& x) { return record_real<kTan>(x); }
//
// For the sources of this room.
#pragma once

#include "systolic/graph/elementwise.h"
#include "systolic/graph/intrinsics.h"
#include "systolic/graph/op.h"

namespace systolic::internal::ops {

/// The input's spec; TypeError unless it is floating-point, wider than float8.
graph::Specs infer_real(graph::Infer& in, const graph::NoOptions&);

/// The same of what complex numbers have, too.
graph::Specs infer_inexact(graph::Infer& in, const graph::NoOptions&);

/// The input's spec; TypeError for complex numbers and float8.
graph::Specs infer_any(graph::Infer& in, const graph::NoOptions&);

/// The lowering of what StableHLO (or CHLO) has a name for.
template <const char* op>
graph::Values lower_unary(graph::Lower& l, const graph::NoOptions&) {
  return {l.e.unary(op, l[0])};
}

/// Writes `f` in float32 and converts back, but for float64.
template <class F>
graph::Values in_float32(graph::Lower& l, F f) {
  const DType dtype = l[0].spec.dtype;
  const DType wide = dtype == DType::float64 ? dtype : DType::float32;
  return {l.e.convert(f(l.e.convert(l[0], wide)), dtype)};
}

/// The gradient of what is constant almost everywhere.
graph::Grads zero_gradient(graph::Vjp& v, const graph::NoOptions&);

/// Records an op that keeps the dtype.
template <const auto& op>
Tensor record_unary(const Arg& x) {
  if (!x.is_scalar()) {
    return graph::record<op>({x.ref()}, graph::NoOptions{}, x.where());
  }
  return graph::record<op>({x.tensor().ref()}, graph::NoOptions{}, x.where());
}

/// Records an op with a real result: integers become float32.
template <const auto& op>
Tensor record_real(const Arg& x) {
  return graph::record<op>({graph::convert(x, floating_dtype(x.dtype())).ref()},
                           graph::NoOptions{}, x.where());
}

/// Records an op of two operands, promoted to one dtype.
template <const auto& op>
Tensor record_binary(const Arg& x, const Arg& y) {
  if (graph::are_alike(x, y)) {
    return graph::record<op>({x.ref(), y.ref()}, graph::NoOptions{}, x.where());
  }
  const auto [a, b] = graph::promote_operands(x, y);
  return graph::record<op>({a.ref(), b.ref()}, graph::NoOptions{}, x.where());
}

/// The same with a real result: integers become float32.
template <const auto& op>
Tensor record_real_binary(const Arg& x, const Arg& y) {
  const auto [a, b] = graph::promote_operands(x, y);
  const DType dtype = floating_dtype(a.dtype());
  return graph::record<op>(
      {graph::convert(a, dtype).ref(), graph::convert(b, dtype).ref()},
      graph::NoOptions{}, x.where());
}

}  // namespace systolic::internal::ops
