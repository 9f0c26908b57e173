// Tested by: systolic/ops/special_platform_test.cc
// Modified Bessel functions of the first kind, orders 0 and 1.
#include <span>

#include "systolic/ops/catalog.h"
#include "systolic/ops/math.h"
#include "systolic/ops/special.h"
#include "systolic/ops/unary.h"

namespace systolic {

using namespace internal::graph;
using namespace internal::ops;
using internal::stablehlo::Emitter;
using internal::stablehlo::Value;

namespace {

// Chebyshev series of exp(-x) i0(x) on [0, 8], and of the same times sqrt(x)
// above, from Moshier's Cephes library.
constexpr double kBelow8[] = {
    -4.41534164647933937950e-18, 3.33079451882223809783e-17,
    -2.43127984654795469359e-16, 1.71539128555513303061e-15,
    -1.16853328779934516808e-14, 7.67618549860493561688e-14,
    -4.85644678311192946090e-13, 2.95505266312963983461e-12,
    -1.72682629144155570723e-11, 9.67580903537323691224e-11,
    -5.18979560163526290666e-10, 2.65982372468238665035e-9,
    -1.30002500998624804212e-8,  6.04699502254191894932e-8,
    -2.67079385394061173391e-7,  1.11738753912010371815e-6,
    -4.41673835845875056359e-6,  1.64484480707288970893e-5,
    -5.75419501008210370398e-5,  1.88502885095841655729e-4,
    -5.76375574538582365885e-4,  1.63947561694133579842e-3,
    -4.32430999505057594430e-3,  1.05464603945949983183e-2,
    -2.37374148058994688156e-2,  4.93052842396707084878e-2,
    -9.49010970480476444210e-2,  1.71620901522208775349e-1,
    -3.04682672343198398683e-1,  6.76795274409476084995e-1};
constexpr double kAbove8[] = {
    -7.23318048787475395456e-18, -4.83050448594418207126e-18,
    4.46562142029675999901e-17,  3.46122286769746109310e-17,
    -2.82762398051658348494e-16, -3.42548561967721913462e-16,
    1.77256013305652638360e-15,  3.81168066935262242075e-15,
    -9.55484669882830764870e-15, -4.15056934728722208663e-14,
    1.54008621752140982691e-14,  3.85277838274214270114e-13,
    7.18012445138366623367e-13,  -1.79417853150680611778e-12,
    -1.32158118404477131188e-11, -3.14991652796324136454e-11,
    1.18891471078464383424e-11,  4.94060238822496958910e-10,
    3.39623202570838634515e-9,   2.26666899049817806459e-8,
    2.04891858946906374183e-7,   2.89137052083475648297e-6,
    6.88975834691682398426e-5,   3.36911647825569408990e-3,
    8.04490411014108831608e-1};

// Clenshaw's recurrence.
Value chebyshev(Emitter& e, const Value& x, std::span<const double> series) {
  Value b0 = e.splat(x.spec, 0), b1 = b0, b2 = b0;
  for (const double c : series) {
    b2 = b1;
    b1 = b0;
    b0 = e.binary("add", e.binary("subtract", e.binary("multiply", x, b1), b2),
                  e.splat(x.spec, c));
  }
  return e.binary("multiply", e.splat(x.spec, 0.5),
                  e.binary("subtract", b0, b2));
}

Value write_i0e(Emitter& e, const Value& signed_x) {
  const Value x = e.unary("abs", signed_x);
  const Value two = e.splat(x.spec, 2);
  const Value below = chebyshev(
      e,
      e.binary("subtract", e.binary("multiply", e.splat(x.spec, 0.5), x), two),
      kBelow8);
  const Value above = chebyshev(
      e, e.binary("subtract", e.binary("divide", e.splat(x.spec, 32), x), two),
      kAbove8);
  return e.select(e.compare("LE", x, e.splat(x.spec, 8)), below,
                  e.binary("divide", above, e.unary("sqrt", x)));
}

constexpr Op<> kI0e{
    .name = "bessel_i0e",
    .infer = infer_real,
    .lower =
        [](Lower& l, const NoOptions&) {
          return in_float32(l,
                            [&](const Value& x) { return write_i0e(l.e, x); });
        },
    .vjp =
        [](Vjp& v, const NoOptions&) {
          const Tensor x = v.input(0);
          return Grads{v.gradient() * (bessel_i1e(x) - sign(x) * v.output())};
        },
    .residuals = {1, 1}};

constexpr char kI1eName[] = "chlo.bessel_i1e";
constexpr Op<> kI1e{.name = "bessel_i1e",
                    .infer = infer_real,
                    .lower = lower_unary<kI1eName>,
                    .vjp =
                        [](Vjp& v, const NoOptions&) {
                          const Tensor x = v.input(0);
                          // At 0 the slope is 1/2, which the formula cannot
                          // say.
                          const Tensor tiny = equal(x, 0);
                          const Tensor safe = where(tiny, 1, x);
                          const Tensor slope =
                              bessel_i0e(x) -
                              v.output() * (sign(safe) + 1 / safe);
                          return Grads{v.gradient() * where(tiny, 0.5, slope)};
                        },
                    .residuals = {1, 1}};

constexpr const OpDef* kCatalog[] = {&kDefinition<kI0e>, &kDefinition<kI1e>};

Tensor real(const Arg& x) { return cast(x, floating_dtype(x.dtype())); }

}  // namespace

std::span<const OpDef* const> internal::ops::bessel_catalog() {
  return kCatalog;
}

Tensor bessel_i0e(const Arg& x) { return record_real<kI0e>(x); }
Tensor bessel_i1e(const Arg& x) { return record_real<kI1e>(x); }
Tensor bessel_i0(const Arg& x) {
  const Tensor in = real(x);
  return exp(abs(in)) * bessel_i0e(in);
}
Tensor bessel_i1(const Arg& x) {
  const Tensor in = real(x);
  return exp(abs(in)) * bessel_i1e(in);
}
Tensor i0(const Arg& x) { return bessel_i0(x); }

}  // namespace systolic
