#include "systolic/ops/trigonometry.h"

#include <cmath>

#include "systolic/ops/catalog.h"
#include "systolic/ops/math.h"
#include "systolic/ops/unary.h"

namespace systolic {

using namespace internal::graph;
using namespace internal::ops;

namespace {

constexpr char kTanName[] = "chlo.tan";
constexpr Op<> kTan{.name = "tan",
                    .infer = infer_inexact,
                    .lower = lower_unary<kTanName>,
                    .vjp =
                        [](Vjp& v, const NoOptions&) {
                          return Grads{v.gradient() * (1 + square(v.output()))};
                        },
                    .residuals = {0, 1}};

constexpr char kAsinName[] = "chlo.asin";
constexpr Op<> kAsin{
    .name = "asin",
    .infer = infer_inexact,
    .lower = lower_unary<kAsinName>,
    .vjp =
        [](Vjp& v, const NoOptions&) {
          return Grads{v.gradient() * rsqrt(1 - square(v.input(0)))};
        },
    .residuals = {1, 0}};

constexpr char kAcosName[] = "chlo.acos";
constexpr Op<> kAcos{
    .name = "acos",
    .infer = infer_inexact,
    .lower = lower_unary<kAcosName>,
    .vjp =
        [](Vjp& v, const NoOptions&) {
          return Grads{-v.gradient() * rsqrt(1 - square(v.input(0)))};
        },
    .residuals = {1, 0}};

constexpr char kAtanName[] = "chlo.atan";
constexpr Op<> kAtan{
    .name = "atan",
    .infer = infer_inexact,
    .lower = lower_unary<kAtanName>,
    .vjp =
        [](Vjp& v, const NoOptions&) {
          return Grads{v.gradient() / (1 + square(v.input(0)))};
        },
    .residuals = {1, 0}};

constexpr char kSinhName[] = "chlo.sinh";
constexpr Op<> kSinh{.name = "sinh",
                     .infer = infer_inexact,
                     .lower = lower_unary<kSinhName>,
                     .vjp =
                         [](Vjp& v, const NoOptions&) {
                           return Grads{v.gradient() * cosh(v.input(0))};
                         },
                     .residuals = {1, 0}};

constexpr char kCoshName[] = "chlo.cosh";
constexpr Op<> kCosh{.name = "cosh",
                     .infer = infer_inexact,
                     .lower = lower_unary<kCoshName>,
                     .vjp =
                         [](Vjp& v, const NoOptions&) {
                           return Grads{v.gradient() * sinh(v.input(0))};
                         },
                     .residuals = {1, 0}};

constexpr char kAsinhName[] = "chlo.asinh";
constexpr Op<> kAsinh{
    .name = "asinh",
    .infer = infer_inexact,
    .lower = lower_unary<kAsinhName>,
    .vjp =
        [](Vjp& v, const NoOptions&) {
          return Grads{v.gradient() * rsqrt(square(v.input(0)) + 1)};
        },
    .residuals = {1, 0}};

constexpr char kAcoshName[] = "chlo.acosh";
constexpr Op<> kAcosh{.name = "acosh",
                      .infer = infer_inexact,
                      .lower = lower_unary<kAcoshName>,
                      .vjp =
                          [](Vjp& v, const NoOptions&) {
                            // Two roots: of complex numbers, that of the
                            // product may be minus theirs.
                            return Grads{v.gradient() * rsqrt(v.input(0) - 1) *
                                         rsqrt(v.input(0) + 1)};
                          },
                      .residuals = {1, 0}};

constexpr char kAtanhName[] = "chlo.atanh";
constexpr Op<> kAtanh{
    .name = "atanh",
    .infer = infer_inexact,
    .lower = lower_unary<kAtanhName>,
    .vjp =
        [](Vjp& v, const NoOptions&) {
          return Grads{v.gradient() / (1 - square(v.input(0)))};
        },
    .residuals = {1, 0}};

constexpr Op<> kAtan2{
    .name = "atan2",
    .infer = [](Infer& in, const NoOptions&) { return infer_ordered(in); },
    .lower = [](Lower& l,
                const NoOptions&) { return lower_elementwise(l, "atan2"); },
    .vjp =
        [](Vjp& v, const NoOptions&) {
          const Tensor y = v.input(0), x = v.input(1);
          const Tensor g = v.gradient() / (square(x) + square(y));
          return Grads{sum_to(g * x, v.input_spec(0).shape),
                       sum_to(-g * y, v.input_spec(1).shape)};
        },
    .residuals = {3, 0}};

constexpr const OpDef* kCatalog[] = {
    &kDefinition<kTan>,   &kDefinition<kAsin>,  &kDefinition<kAcos>,
    &kDefinition<kAtan>,  &kDefinition<kSinh>,  &kDefinition<kCosh>,
    &kDefinition<kAsinh>, &kDefinition<kAcosh>, &kDefinition<kAtanh>,
    &kDefinition<kAtan2>};

}  // namespace

std::span<const OpDef* const> internal::ops::trigonometry_catalog() {
  return kCatalog;
}

Tensor tan(const Arg& x) { return record_real<kTan>(x); }
Tensor asin(const Arg& x) { return record_real<kAsin>(x); }
Tensor arcsin(const Arg& x) { return asin(x); }
Tensor acos(const Arg& x) { return record_real<kAcos>(x); }
Tensor arccos(const Arg& x) { return acos(x); }
Tensor atan(const Arg& x) { return record_real<kAtan>(x); }
Tensor arctan(const Arg& x) { return atan(x); }
Tensor sinh(const Arg& x) { return record_real<kSinh>(x); }
Tensor cosh(const Arg& x) { return record_real<kCosh>(x); }
Tensor asinh(const Arg& x) { return record_real<kAsinh>(x); }
Tensor arcsinh(const Arg& x) { return asinh(x); }
Tensor acosh(const Arg& x) { return record_real<kAcosh>(x); }
Tensor arccosh(const Arg& x) { return acosh(x); }
Tensor atanh(const Arg& x) { return record_real<kAtanh>(x); }
Tensor arctanh(const Arg& x) { return atanh(x); }

Tensor atan2(const Arg& y, const Arg& x) {
  return record_real_binary<kAtan2>(y, x);
}
Tensor arctan2(const Arg& y, const Arg& x) { return atan2(y, x); }

Tensor sinc(const Arg& x) {
  const Tensor angle = cast(x, floating_dtype(x.dtype())) * M_PI;
  // Not divided by zero, whose gradient would be NaN.
  const Tensor small = equal(angle, 0);
  const Tensor safe = where(small, 1, angle);
  return where(small, 1 - square(angle) / 6, sin(safe) / safe);
}

Tensor deg2rad(const Arg& x) {
  return cast(x, floating_dtype(x.dtype())) * (M_PI / 180);
}

Tensor rad2deg(const Arg& x) {
  return cast(x, floating_dtype(x.dtype())) * (180 / M_PI);
}

}  // namespace systolic
