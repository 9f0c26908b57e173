#include "systolic/ops/special.h"

#include <cmath>

#include "systolic/ops/catalog.h"
#include "systolic/ops/math.h"
#include "systolic/ops/unary.h"

namespace systolic {

using namespace internal::graph;
using namespace internal::ops;

namespace {

constexpr char kErfcName[] = "chlo.erfc";
constexpr Op<> kErfc{
    .name = "erfc",
    .infer = infer_real,
    .lower = lower_unary<kErfcName>,
    .vjp =
        [](Vjp& v, const NoOptions&) {
          const Tensor x = v.input(0);
          return Grads{v.gradient() * exp(-square(x)) * (-2 / std::sqrt(M_PI))};
        },
    .residuals = {1, 0}};

constexpr char kLgammaName[] = "chlo.lgamma";
constexpr Op<> kLgamma{.name = "lgamma",
                       .infer = infer_real,
                       .lower = lower_unary<kLgammaName>,
                       .vjp =
                           [](Vjp& v, const NoOptions&) {
                             return Grads{v.gradient() * digamma(v.input(0))};
                           },
                       .residuals = {1, 0}};

constexpr char kDigammaName[] = "chlo.digamma";
constexpr Op<> kDigamma{
    .name = "digamma",
    .infer = infer_real,
    .lower = lower_unary<kDigammaName>,
    .vjp =
        [](Vjp& v, const NoOptions&) {
          return Grads{v.gradient() * polygamma(1, v.input(0))};
        },
    .residuals = {1, 0}};

Specs infer_reals(Infer& in, const NoOptions& o) {
  infer_real(in, o);
  return infer_elementwise(in);
}

constexpr Op<> kPolygamma{
    .name = "polygamma",
    .infer = infer_reals,
    .lower =
        [](Lower& l, const NoOptions&) {
          return lower_elementwise(l, "chlo.polygamma");
        },
    .vjp =
        [](Vjp& v, const NoOptions&) {
          const Tensor next = polygamma(v.input(0) + 1, v.input(1));
          return Grads{Tensor(),
                       sum_to(v.gradient() * next, v.input_spec(1).shape)};
        },
    .residuals = {3, 0}};

constexpr Op<> kZeta{
    .name = "zeta",
    .infer = infer_reals,
    .lower = [](Lower& l,
                const NoOptions&) { return lower_elementwise(l, "chlo.zeta"); },
    .vjp =
        [](Vjp& v, const NoOptions&) {
          const Tensor x = v.input(0);
          const Tensor slope = -x * zeta(x + 1, v.input(1));
          return Grads{Tensor(),
                       sum_to(v.gradient() * slope, v.input_spec(1).shape)};
        },
    .residuals = {3, 0}};

constexpr const OpDef* kCatalog[] = {
    &kDefinition<kErfc>, &kDefinition<kLgamma>, &kDefinition<kDigamma>,
    &kDefinition<kPolygamma>, &kDefinition<kZeta>};

Tensor real(const Arg& x) { return cast(x, floating_dtype(x.dtype())); }

}  // namespace

std::span<const OpDef* const> internal::ops::special_catalog() {
  return kCatalog;
}

Tensor erfc(const Arg& x) { return record_real<kErfc>(x); }
Tensor ndtr(const Arg& x) { return erfc(real(x) * -std::sqrt(0.5)) * 0.5; }
Tensor lgamma(const Arg& x) { return record_real<kLgamma>(x); }
Tensor gammaln(const Arg& x) { return lgamma(x); }
Tensor digamma(const Arg& x) { return record_real<kDigamma>(x); }
Tensor polygamma(const Arg& n, const Arg& x) {
  return record_real_binary<kPolygamma>(n, x);
}
Tensor zeta(const Arg& x, const Arg& q) {
  return record_real_binary<kZeta>(x, q);
}

Tensor betaln(const Arg& x, const Arg& y) {
  const auto [a, b] = promote_operands(x, y);
  return lgamma(a) + lgamma(b) - lgamma(real(a) + real(b));
}

}  // namespace systolic
