// Functions of one value.
#include "systolic/ops/unary.h"

#include <cmath>

#include "systolic/graph/elementwise.h"
#include "systolic/graph/intrinsics.h"
#include "systolic/graph/op.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/complex.h"
#include "systolic/ops/erf.h"
#include "systolic/ops/math.h"

namespace systolic {

using namespace internal::graph;
using namespace internal::ops;

Specs internal::ops::infer_inexact(Infer& in, const NoOptions& o) {
  if (!is_complex(in.dtype(0))) return infer_real(in, o);
  return in[0];
}

Specs internal::ops::infer_real(Infer& in, const NoOptions&) {
  refuse_complex(in);
  refuse_float8(in);
  if (!is_floating(in.dtype(0))) {
    in.error()
        .expected("a floating-point input")
        .got(in.dtype(0))
        .raise<TypeError>();
  }
  return in[0];
}

Specs internal::ops::infer_any(Infer& in, const NoOptions&) {
  refuse_complex(in);
  refuse_float8(in);
  return in[0];
}

Grads internal::ops::zero_gradient(Vjp& v, const NoOptions&) {
  return {zeros_of(v.input_spec(0))};
}

namespace {

constexpr char kAbsName[] = "abs";
constexpr Op<> kAbs{
    .name = "abs",
    .infer =
        [](Infer& in, const NoOptions&) {
          refuse_float8(in);
          return Specs(TensorSpec{real_dtype(in.dtype(0)), in.shape(0)});
        },
    .lower =
        [](Lower& l, const NoOptions&) {
          if (is_complex(l[0].spec.dtype)) {
            return Values{l.e.statement(kAbsName, {l[0]}, l.result())};
          }
          if (!is_signed(l[0].spec.dtype)) {
            return Values{l[0]};
          }
          return Values{l.e.unary(kAbsName, l[0])};
        },
    .vjp =
        [](Vjp& v, const NoOptions&) {
          return Grads{v.gradient() * conjugate(sign(v.input(0)))};
        },
    .residuals = {1, 0}};

constexpr char kSignName[] = "sign";
constexpr Op<> kSign{
    .name = "sign",
    .infer =
        [](Infer& in, const NoOptions&) {
          refuse_float8(in);
          return Specs(in[0]);
        },
    .lower =
        [](Lower& l, const NoOptions&) {
          if (is_signed(l[0].spec.dtype)) {
            return Values{l.e.unary(kSignName, l[0])};
          }
          return Values{
              l.e.convert(l.e.compare("NE", l[0], l.e.splat(l[0].spec, 0)),
                          l[0].spec.dtype)};
        },
    .vjp =
        [](Vjp& v, const NoOptions& o) {
          const Tensor x = v.input(0), s = v.output(), g = v.gradient();
          if (!is_complex(x.dtype())) return zero_gradient(v, o);
          // x / |x| is not holomorphic: it turns, but keeps its length.
          const Tensor none = equal(x, 0);
          const Tensor turned = g - conj(g) * square(conj(s));
          return Grads{where(none, 0, turned / (2 * abs(where(none, 1, x))))};
        },
    .residuals = {1, 1}};

constexpr char kSqrtName[] = "sqrt";
constexpr Op<> kSqrt{.name = "sqrt",
                     .infer = infer_inexact,
                     .lower = lower_unary<kSqrtName>,
                     .vjp =
                         [](Vjp& v, const NoOptions&) {
                           return Grads{v.gradient() * 0.5 / v.output()};
                         },
                     .residuals = {0, 1}};

constexpr char kRsqrtName[] = "rsqrt";
constexpr Op<> kRsqrt{.name = "rsqrt",
                      .infer = infer_inexact,
                      .lower = lower_unary<kRsqrtName>,
                      .vjp =
                          [](Vjp& v, const NoOptions&) {
                            const Tensor y = v.output();
                            return Grads{v.gradient() * -0.5 * y * y * y};
                          },
                      .residuals = {0, 1}};

constexpr char kExpName[] = "exponential";
constexpr Op<> kExp{
    .name = "exp",
    .infer = infer_inexact,
    .lower = lower_unary<kExpName>,
    .vjp = [](Vjp& v,
              const NoOptions&) { return Grads{v.gradient() * v.output()}; },
    .residuals = {0, 1}};

constexpr char kExpm1Name[] = "exponential_minus_one";
constexpr Op<> kExpm1{.name = "expm1",
                      .infer = infer_inexact,
                      .lower = lower_unary<kExpm1Name>,
                      .vjp =
                          [](Vjp& v, const NoOptions&) {
                            return Grads{v.gradient() * (v.output() + 1)};
                          },
                      .residuals = {0, 1}};

constexpr char kLogName[] = "log";
constexpr Op<> kLog{
    .name = "log",
    .infer = infer_inexact,
    .lower = lower_unary<kLogName>,
    .vjp = [](Vjp& v,
              const NoOptions&) { return Grads{v.gradient() / v.input(0)}; },
    .residuals = {1, 0}};

constexpr char kLog1pName[] = "log_plus_one";
constexpr Op<> kLog1p{.name = "log1p",
                      .infer = infer_inexact,
                      .lower = lower_unary<kLog1pName>,
                      .vjp =
                          [](Vjp& v, const NoOptions&) {
                            return Grads{v.gradient() / (v.input(0) + 1)};
                          },
                      .residuals = {1, 0}};

constexpr char kSinName[] = "sine";
constexpr Op<> kSin{.name = "sin",
                    .infer = infer_inexact,
                    .lower = lower_unary<kSinName>,
                    .vjp =
                        [](Vjp& v, const NoOptions&) {
                          return Grads{v.gradient() * cos(v.input(0))};
                        },
                    .residuals = {1, 0}};

constexpr char kCosName[] = "cosine";
constexpr Op<> kCos{.name = "cos",
                    .infer = infer_inexact,
                    .lower = lower_unary<kCosName>,
                    .vjp =
                        [](Vjp& v, const NoOptions&) {
                          return Grads{-v.gradient() * sin(v.input(0))};
                        },
                    .residuals = {1, 0}};

constexpr char kTanhName[] = "tanh";
constexpr Op<> kTanh{.name = "tanh",
                     .infer = infer_inexact,
                     .lower = lower_unary<kTanhName>,
                     .vjp =
                         [](Vjp& v, const NoOptions&) {
                           const Tensor y = v.output();
                           return Grads{v.gradient() * (1 - y * y)};
                         },
                     .residuals = {0, 1}};

constexpr char kLogisticName[] = "logistic";
constexpr Op<> kSigmoid{.name = "sigmoid",
                        .infer = infer_inexact,
                        .lower = lower_unary<kLogisticName>,
                        .vjp =
                            [](Vjp& v, const NoOptions&) {
                              const Tensor y = v.output();
                              return Grads{v.gradient() * y * (1 - y)};
                            },
                        .residuals = {0, 1}};

constexpr Op<> kErf{
    .name = "erf",
    .infer = infer_real,
    .lower =
        [](Lower& l, const NoOptions&) {
          return in_float32(l, [&](const auto& x) {
            return internal::ops::write_erf(l.e, x);
          });
        },
    .vjp =
        [](Vjp& v, const NoOptions&) {
          const Tensor x = v.input(0);
          return Grads{v.gradient() * exp(-(x * x)) * (2 / std::sqrt(M_PI))};
        },
    .residuals = {1, 0}};

constexpr Op<> kErfinv{
    .name = "erfinv",
    .infer = infer_real,
    .lower =
        [](Lower& l, const NoOptions&) {
          return in_float32(l, [&](const auto& x) {
            return internal::ops::write_erfinv(l.e, x);
          });
        },
    .vjp =
        [](Vjp& v, const NoOptions&) {
          const Tensor y = v.output();
          return Grads{v.gradient() * exp(y * y) * (std::sqrt(M_PI) / 2)};
        },
    .residuals = {0, 1}};

template <const char* op>
Values lower_rounding(Lower& l, const NoOptions&) {
  if (!is_floating(l[0].spec.dtype)) return {l[0]};
  return {l.e.unary(op, l[0])};
}

constexpr char kFloorName[] = "floor";
constexpr Op<> kFloor{.name = "floor",
                      .infer = infer_any,
                      .lower = lower_rounding<kFloorName>,
                      .vjp = zero_gradient,
                      .residuals = {0, 0}};
constexpr char kCeilName[] = "ceil";
constexpr Op<> kCeil{.name = "ceil",
                     .infer = infer_any,
                     .lower = lower_rounding<kCeilName>,
                     .vjp = zero_gradient,
                     .residuals = {0, 0}};
constexpr char kRoundName[] = "round_nearest_even";
constexpr Op<> kRound{.name = "round",
                      .infer = infer_any,
                      .lower = lower_rounding<kRoundName>,
                      .vjp = zero_gradient,
                      .residuals = {0, 0}};

constexpr Op<> kIsFinite{
    .name = "isfinite",
    .infer =
        [](Infer& in, const NoOptions&) {
          refuse_complex(in);
          return infer_predicate(in);
        },
    .lower =
        [](Lower& l, const NoOptions&) {
          if (!is_floating(l[0].spec.dtype)) {
            return Values{l.e.splat(l.result(), 1)};
          }
          return Values{l.e.statement("is_finite", {l[0]}, l.result())};
        },
    .vjp = not_differentiable("its result is bool"),
    .residuals = {0, 0}};

constexpr const OpDef* kCatalog[] = {
    &kDefinition<kAbs>,   &kDefinition<kSign>,   &kDefinition<kSqrt>,
    &kDefinition<kRsqrt>, &kDefinition<kExp>,    &kDefinition<kExpm1>,
    &kDefinition<kLog>,   &kDefinition<kLog1p>,  &kDefinition<kSin>,
    &kDefinition<kCos>,   &kDefinition<kTanh>,   &kDefinition<kSigmoid>,
    &kDefinition<kErf>,   &kDefinition<kErfinv>, &kDefinition<kFloor>,
    &kDefinition<kCeil>,  &kDefinition<kRound>,  &kDefinition<kIsFinite>};

}  // namespace

std::span<const OpDef* const> internal::ops::unary_catalog() {
  return kCatalog;
}

Tensor abs(const Arg& x) { return record_unary<kAbs>(x); }
Tensor sign(const Arg& x) { return record_unary<kSign>(x); }
Tensor square(const Arg& x) { return multiply(x, x); }
Tensor sqrt(const Arg& x) { return record_real<kSqrt>(x); }
Tensor rsqrt(const Arg& x) { return record_real<kRsqrt>(x); }
Tensor reciprocal(const Arg& x) { return divide(1.0, x); }
Tensor exp(const Arg& x) { return record_real<kExp>(x); }
Tensor expm1(const Arg& x) { return record_real<kExpm1>(x); }
Tensor log(const Arg& x) { return record_real<kLog>(x); }
Tensor log1p(const Arg& x) { return record_real<kLog1p>(x); }
Tensor sin(const Arg& x) { return record_real<kSin>(x); }
Tensor cos(const Arg& x) { return record_real<kCos>(x); }
Tensor tanh(const Arg& x) { return record_real<kTanh>(x); }
Tensor sigmoid(const Arg& x) { return record_real<kSigmoid>(x); }
Tensor erf(const Arg& x) { return record_real<kErf>(x); }
Tensor erfinv(const Arg& x) { return record_real<kErfinv>(x); }
Tensor floor(const Arg& x) { return record_real<kFloor>(x); }
Tensor ceil(const Arg& x) { return record_real<kCeil>(x); }
Tensor round(const Arg& x) { return record_unary<kRound>(x); }
Tensor isfinite(const Arg& x) {
  if (!is_complex(x.dtype())) return record_unary<kIsFinite>(x);
  return logical_and(isfinite(real(x)), isfinite(imag(x)));
}

}  // namespace systolic
