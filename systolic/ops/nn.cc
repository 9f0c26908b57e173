#include "systolic/ops/nn.h"

#include <cmath>

#include "systolic/graph/elementwise.h"
#include "systolic/graph/op.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/positions.h"
#include "systolic/ops/reductions.h"

namespace systolic {

using namespace internal::graph;

namespace {

struct AxisOptions {
  int64_t axis = -1;
  template <class V>
  void visit(V&& v) const {
    v("axis", axis);
  }
};

// Whatever has an order.
Specs infer_real_number(Infer& in, const NoOptions&) {
  refuse_complex(in);
  refuse_float8(in);
  return in[0];
}

Specs infer_softmax(Infer& in, const AxisOptions&) {
  infer_real_number(in, {});
  if (!is_floating(in.dtype(0))) {
    in.error()
        .expected("a floating-point input")
        .got(in.dtype(0))
        .raise<TypeError>();
  }
  return in[0];
}

// The input less its largest element along the axis.
internal::stablehlo::Value write_shifted(Lower& l, const AxisOptions& o) {
  const auto top = l.e.reduce(internal::stablehlo::Combine::maximum, l[0],
                              std::span(&o.axis, 1));
  return l.e.binary("subtract", l[0], internal::ops::spread(l, top, o.axis));
}

Values lower_softmax(Lower& l, const AxisOptions& o) {
  const auto e = l.e.unary("exponential", write_shifted(l, o));
  const auto sum =
      l.e.reduce(internal::stablehlo::Combine::add, e, std::span(&o.axis, 1));
  return {l.e.binary("divide", e, internal::ops::spread(l, sum, o.axis))};
}

Values lower_log_softmax(Lower& l, const AxisOptions& o) {
  const auto shifted = write_shifted(l, o);
  const auto sum =
      l.e.reduce(internal::stablehlo::Combine::add,
                 l.e.unary("exponential", shifted), std::span(&o.axis, 1));
  const auto log_sum = l.e.unary("log", sum);
  return {l.e.binary("subtract", shifted,
                     internal::ops::spread(l, log_sum, o.axis))};
}

constexpr Op<AxisOptions> kSoftmax{
    .name = "softmax",
    .infer = infer_softmax,
    .lower = lower_softmax,
    .vjp =
        [](Vjp& v, const AxisOptions& o) {
          const Tensor y = v.output(), gy = v.gradient() * y;
          const ReduceOptions over{.axis = static_cast<int>(o.axis),
                                   .keepdims = true};
          return Grads{gy - y * sum(gy, over)};
        },
    .residuals = {0, 1}};

constexpr Op<AxisOptions> kLogSoftmax{
    .name = "log_softmax",
    .infer = infer_softmax,
    .lower = lower_log_softmax,
    .vjp =
        [](Vjp& v, const AxisOptions& o) {
          const Tensor g = v.gradient();
          const ReduceOptions over{.axis = static_cast<int>(o.axis),
                                   .keepdims = true};
          return Grads{g - exp(v.output()) * sum(g, over)};
        },
    .residuals = {0, 1}};

constexpr Op<> kRelu{
    .name = "relu",
    .infer = infer_real_number,
    .lower =
        [](Lower& l, const NoOptions&) {
          return Values{l.e.binary("maximum", l[0], l.e.splat(l[0].spec, 0))};
        },
    .vjp =
        [](Vjp& v, const NoOptions&) {
          return Grads{where(v.output() > 0, v.gradient(), 0)};
        },
    .residuals = {0, 1}};

// log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|)).
constexpr Op<> kSoftplus{
    .name = "softplus",
    .infer = infer_real_number,
    .lower =
        [](Lower& l, const NoOptions&) {
          const auto zero = l.e.splat(l[0].spec, 0);
          const auto tail =
              l.e.unary("log_plus_one",
                        l.e.unary("exponential",
                                  l.e.unary("negate", l.e.unary("abs", l[0]))));
          return Values{
              l.e.binary("add", l.e.binary("maximum", l[0], zero), tail)};
        },
    .vjp =
        [](Vjp& v, const NoOptions&) {
          return Grads{v.gradient() * sigmoid(v.input(0))};
        },
    .residuals = {1, 0}};

constexpr const OpDef* kCatalog[] = {
    &kDefinition<kSoftmax>, &kDefinition<kLogSoftmax>, &kDefinition<kRelu>,
    &kDefinition<kSoftplus>};

Tensor real(const Arg& x) { return cast(x, floating_dtype(x.dtype())); }

template <const auto& op>
Tensor along(const Arg& x, int axis) {
  const Tensor in = real(x);
  const int64_t place = resolve_axis(axis, in.rank(), op.name);
  return record<op>({in.ref()}, AxisOptions{place}, x.where());
}

}  // namespace

internal::stablehlo::Value internal::ops::spread(Lower& l,
                                                 const stablehlo::Value& value,
                                                 int64_t axis) {
  std::vector<int64_t> dimensions;
  for (int64_t i = 0; i < l[0].spec.shape.rank(); ++i) {
    if (i != axis) dimensions.push_back(i);
  }
  return l.e.broadcast_in_dim(value, l[0].spec.shape, dimensions);
}

std::span<const OpDef* const> internal::ops::nn_catalog() { return kCatalog; }

Tensor relu(const Arg& x) { return nn::relu(x); }

namespace nn {

Tensor relu(const Arg& x) {
  return record<kRelu>({x.tensor().ref()}, NoOptions{}, x.where());
}

Tensor relu6(const Arg& x) {
  const Tensor in = x.tensor();
  // Flat at both corners: no gradient at 0 nor at 6.
  return where(in < 6, nn::relu(in), 6);
}

Tensor leaky_relu(const Arg& x, double negative_slope) {
  const Tensor in = real(x);
  return where(in > 0, in, in * negative_slope);
}

Tensor elu(const Arg& x, double alpha) {
  const Tensor in = real(x);
  // expm1 of the negative part only, so that large values do not overflow;
  // the gradient at 0 is that of the negative side.
  return where(in > 0, in, expm1(where(in > 0, 0, in)) * alpha);
}

// Klambauer et al. 2017, "Self-normalizing neural networks".
Tensor selu(const Arg& x) {
  constexpr double kAlpha = 1.6732632423543772848170429916717;
  constexpr double kScale = 1.0507009873554804934193349852946;
  const Tensor in = real(x);
  // The gradient at 0 is that of the positive side, unlike elu's.
  const Tensor below = expm1(where(in < 0, in, 0)) * (kAlpha * kScale);
  return where(in < 0, below, in * kScale);
}

// Hendrycks and Gimpel 2016; the approximation is their formula with tanh.
Tensor gelu(const Arg& x, bool approximate) {
  const Tensor in = real(x);
  if (approximate) {
    const Tensor inner = (in + in * in * in * 0.044715) * std::sqrt(2 / M_PI);
    return in * 0.5 * (tanh(inner) + 1);
  }
  return in * 0.5 * (erf(in / std::sqrt(2.0)) + 1);
}

Tensor softplus(const Arg& x) {
  return record<kSoftplus>({real(x).ref()}, NoOptions{}, x.where());
}

Tensor softsign(const Arg& x) {
  const Tensor in = real(x);
  return in / (abs(in) + 1);
}

Tensor silu(const Arg& x) {
  const Tensor in = real(x);
  return in * sigmoid(in);
}

Tensor mish(const Arg& x) {
  const Tensor in = real(x);
  return in * tanh(softplus(in));
}

Tensor hard_sigmoid(const Arg& x) { return relu6(real(x) + 3) / 6; }

Tensor log_sigmoid(const Arg& x) { return -softplus(-real(x)); }

Tensor softmax(const Arg& x, int axis) { return along<kSoftmax>(x, axis); }

Tensor log_softmax(const Arg& x, int axis) {
  return along<kLogSoftmax>(x, axis);
}

Tensor sparse_softmax_cross_entropy(const Arg& labels, const Arg& logits) {
  const Tensor scores = real(logits);
  const Tensor places = labels.tensor();
  if (scores.rank() < 1 || places.rank() != scores.rank() - 1) {
    internal::Message("sparse_softmax_cross_entropy")
        .expected("labels with one axis fewer than the logits")
        .got("ranks ", places.rank(), " and ", scores.rank())
        .detail("labels", places.spec())
        .detail("logits", scores.spec())
        .at(logits.where())
        .raise<ShapeError>();
  }
  Shape rows = scores.shape();
  rows.erase(-1);
  if (places.shape() != rows) {
    internal::Message("sparse_softmax_cross_entropy")
        .expected("labels of shape ", rows, ", one for each row")
        .got(places.shape())
        .detail("labels", places.spec())
        .detail("logits", scores.spec())
        .at(logits.where())
        .raise<ShapeError>();
  }
  if (!is_integer(places.dtype())) {
    internal::Message("sparse_softmax_cross_entropy")
        .expected("integer labels")
        .got(places.dtype())
        .at(logits.where())
        .raise<TypeError>();
  }
  internal::ops::check_positions("sparse_softmax_cross_entropy", places,
                                 {0, scores.shape()[-1] - 1, "labels"},
                                 logits.where());
  const Tensor hot = one_hot(places, scores.shape()[-1],
                             {.axis = -1, .dtype = scores.dtype()});
  return -sum(hot * log_softmax(scores), {.axis = -1});
}

}  // namespace nn

}  // namespace systolic
