#include "systolic/ops/complex.h"

#include "systolic/graph/elementwise.h"
#include "systolic/graph/intrinsics.h"
#include "systolic/graph/op.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/trigonometry.h"

namespace systolic {

namespace graph = internal::graph;
using graph::Grads;
using graph::Infer;
using graph::Lower;
using graph::NoOptions;
using graph::Op;
using graph::OpDef;
using graph::Specs;
using graph::Values;
using graph::Vjp;

namespace {

constexpr Op<NoOptions> kComplex{
    .name = "complex",
    .infer =
        [](Infer& in, const NoOptions&) {
          const TensorSpec part = graph::infer_ordered(in)[0];
          return Specs(TensorSpec{complex_dtype(part.dtype), part.shape});
        },
    .lower =
        [](Lower& l, const NoOptions&) {
          const Values parts = graph::broadcast_inputs(l);
          return Values{
              l.e.statement("complex", {parts[0], parts[1]}, l.result())};
        },
    // The imaginary part moves along i, so that its gradient is i times g's.
    .vjp =
        [](Vjp& v, const NoOptions&) {
          const Tensor g = v.gradient();
          return Grads{graph::sum_to(real(g), v.input_spec(0).shape),
                       graph::sum_to(-imag(g), v.input_spec(1).shape)};
        },
    .residuals = {0, 0}};

constexpr Op<NoOptions> kImag{
    .name = "imag",
    .infer =
        [](Infer& in, const NoOptions&) {
          return Specs(TensorSpec{real_dtype(in.dtype(0)), in.shape(0)});
        },
    .lower =
        [](Lower& l, const NoOptions&) {
          return Values{l.e.statement("imag", {l[0]}, l.result())};
        },
    .vjp =
        [](Vjp& v, const NoOptions&) {
          return Grads{complex(zeros_like(v.gradient()), -v.gradient())};
        },
    .residuals = {0, 0}};

constexpr const OpDef* kCatalog[] = {&graph::kDefinition<kComplex>,
                                     &graph::kDefinition<kImag>};

}  // namespace

std::span<const OpDef* const> internal::ops::complex_catalog() {
  return kCatalog;
}

Tensor complex(const Arg& real, const Arg& imag) {
  auto [a, b] = graph::promote_operands(real, imag);
  if (!is_complex(a.dtype())) {
    const DType part = real_dtype(complex_dtype(a.dtype()));
    a = cast(a, part), b = cast(b, part);
  }
  return graph::record<kComplex>({a.ref(), b.ref()}, NoOptions{}, real.where());
}

Tensor real(const Arg& x) { return graph::real_part(x); }

Tensor imag(const Arg& x) {
  if (!is_complex(x.dtype())) return zeros_like(x.tensor());
  return graph::record<kImag>({x.tensor().ref()}, NoOptions{}, x.where());
}

Tensor conj(const Arg& x) { return graph::conjugate(x); }

Tensor angle(const Arg& x) {
  const Tensor in = x.tensor();
  return atan2(imag(in), real(in));
}

}  // namespace systolic
