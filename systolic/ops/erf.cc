// Tested by: systolic/ops/unary_platform_test.cc
#include "systolic/ops/erf.h"

#include <cmath>
#include <initializer_list>

namespace systolic::internal::ops {

using stablehlo::Emitter;
using stablehlo::Value;

namespace {

// Horner's rule: coefficients from the highest power down.
Value polynomial(Emitter& e, const Value& x,
                 std::initializer_list<double> coefficients) {
  Value sum;
  for (double coefficient : coefficients) {
    const Value next = e.splat(x.spec, coefficient);
    sum =
        sum.id < 0 ? next : e.binary("add", e.binary("multiply", sum, x), next);
  }
  return sum;
}

Value square(Emitter& e, const Value& x) { return e.binary("multiply", x, x); }

// exp(-x * x).
Value bell(Emitter& e, const Value& x) {
  return e.unary("exponential", e.unary("negate", square(e, x)));
}

// erf as a ratio of polynomials on [-4, 4] (the rational minimax fit that
// Eigen publishes for single precision).
Value erf_single(Emitter& e, Value x) {
  x = e.statement("clamp", {e.splat(x.spec, -4), x, e.splat(x.spec, 4)},
                  x.spec);
  const Value x2 = square(e, x);
  const Value top = polynomial(
      e, x2,
      {-2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06,
       -5.69250639462346e-05, -7.34990630326855e-04, -2.95459980854025e-03,
       -1.60960333262415e-02});
  const Value bottom = polynomial(
      e, x2,
      {-1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03,
       -7.37332916720468e-03, -1.42647390514189e-02});
  return e.binary("divide", e.binary("multiply", x, top), bottom);
}

// 1 - erf(a) for a in [1, 8]; the fits in double precision are those of
// Moshier's Cephes library.
Value erfc_double(Emitter& e, const Value& a) {
  const Value top =
      polynomial(e, a,
                 {2.46196981473530512524e-10, 5.64189564831068821977e-1,
                  7.46321056442269912687e0, 4.86371970985681366614e1,
                  1.96520832956077098242e2, 5.26445194995477358631e2,
                  9.34528527171957607540e2, 1.02755188689515710272e3,
                  5.57535335369399327526e2});
  const Value bottom =
      polynomial(e, a,
                 {1.0, 1.32281951154744992508e1, 8.67072140885989742329e1,
                  3.54937778887819891062e2, 9.75708501743205489753e2,
                  1.82390916687909736289e3, 2.24633760818710981792e3,
                  1.65666309194161350182e3, 5.57535340817727675546e2});
  return e.binary("multiply", bell(e, a), e.binary("divide", top, bottom));
}

// erf(x) for x in [-1, 1].
Value erf_middle(Emitter& e, const Value& x) {
  const Value x2 = square(e, x);
  const Value top =
      polynomial(e, x2,
                 {9.60497373987051638749e0, 9.00260197203842689217e1,
                  2.23200534594684319226e3, 7.00332514112805075473e3,
                  5.55923013010394962768e4});
  const Value bottom =
      polynomial(e, x2,
                 {1.0, 3.35617141647503099647e1, 5.21357949780152679795e2,
                  4.59432382970980127987e3, 2.26290000613890934246e4,
                  4.92673942608635921086e4});
  return e.binary("multiply", x, e.binary("divide", top, bottom));
}

// |x|, kept where the fits hold.
Value magnitude(Emitter& e, const Value& x) {
  return e.binary("minimum", e.unary("abs", x), e.splat(x.spec, 8));
}

Value is_middle(Emitter& e, const Value& a) {
  return e.compare("LE", a, e.splat(a.spec, 1));
}

Value erf_double(Emitter& e, const Value& x) {
  const Value a = magnitude(e, x);
  const Value outer =
      e.binary("subtract", e.splat(x.spec, 1), erfc_double(e, a));
  const Value y = e.select(is_middle(e, a), erf_middle(e, x),
                           e.binary("multiply", e.unary("sign", x), outer));
  return e.select(e.compare("NE", x, x), x, y);
}

// Giles, "Approximating the erfinv function" (2012), single precision.
Value erfinv_single(Emitter& e, const Value& x) {
  const Value w = e.unary(
      "negate", e.unary("log_plus_one", e.unary("negate", square(e, x))));
  const Value small = polynomial(
      e, e.binary("subtract", w, e.splat(x.spec, 2.5)),
      {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06,
       0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941});
  const Value large = polynomial(
      e, e.binary("subtract", e.unary("sqrt", w), e.splat(x.spec, 3)),
      {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844,
       0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682});
  return e.binary(
      "multiply", x,
      e.select(e.compare("LT", w, e.splat(x.spec, 5)), small, large));
}

// One step of Halley's method towards erf(y) = x, without cancellation near
// one: there the distances from one are compared.
Value refine(Emitter& e, const Value& x, const Value& y) {
  const Value one = e.splat(x.spec, 1);
  const Value a = magnitude(e, y);
  const Value outer = e.binary(
      "multiply", e.unary("sign", y),
      e.binary("subtract", e.binary("subtract", one, e.unary("abs", x)),
               erfc_double(e, a)));
  const Value error = e.select(
      is_middle(e, a), e.binary("subtract", erf_middle(e, y), x), outer);
  const Value slope =
      e.binary("multiply", bell(e, y), e.splat(x.spec, 2 / std::sqrt(M_PI)));
  const Value step = e.binary("divide", error, slope);
  const Value bend = e.binary("add", one, e.binary("multiply", y, step));
  return e.binary("subtract", y, e.binary("divide", step, bend));
}

}  // namespace

Value write_erf(Emitter& e, const Value& x) {
  return x.spec.dtype == DType::float64 ? erf_double(e, x) : erf_single(e, x);
}

Value write_erfinv(Emitter& e, const Value& x) {
  Value y = erfinv_single(e, x);
  if (x.spec.dtype == DType::float64) {
    // Two are enough but for the last of the numbers below one.
    for (int i = 0; i < 5; ++i) y = refine(e, x, y);
  }
  const Value at_end = e.compare("EQ", e.unary("abs", x), e.splat(x.spec, 1));
  const Value infinite = e.binary("multiply", x, e.splat(x.spec, INFINITY));
  return e.select(at_end, infinite, y);
}

}  // namespace systolic::internal::ops
