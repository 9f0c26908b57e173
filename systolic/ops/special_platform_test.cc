#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "systolic/array/arrays.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/arithmetic.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/special.h"
#include "systolic/ops/test_ops.h"
#include "systolic/ops/trigonometry.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

std::vector<OpSample> internal::ops::special_samples() {
  const Array x = Array::from({0.25, 1.75, 2.5, 0.375, 4.5, 3.25}, {2, 3});
  const Array row = Array::from({0.5, 1.25, 3.75});
  const auto one = [](Tensor (*f)(const Arg&)) {
    return [f](const Tensors& in) { return Tensors{f(in[0])}; };
  };
  const auto two = [](Tensor (*f)(const Arg&, const Arg&)) {
    return [f](const Tensors& in) { return Tensors{f(in[0], in[1])}; };
  };
  return {
      {.op = "erfc",
       .call = one(erfc),
       .inputs = {Array::from({-1.5, -0.25, 0.5, 1.25})},
       .error = 2},
      {.op = "lgamma", .call = one(lgamma), .inputs = {x}, .error = 4},
      {.op = "digamma", .call = one(digamma), .inputs = {x}, .error = 4},
      {.op = "polygamma",
       .call = [](const Tensors& in) { return Tensors{polygamma(2, in[0])}; },
       .inputs = {x + 1},
       .error = 20},
      {.op = "zeta",
       .call = [](const Tensors& in) { return Tensors{zeta(3, in[0])}; },
       .inputs = {x + 1},
       .error = 4},
      {.op = "igamma",
       .call = two(igamma),
       .inputs = {row, x},
       .sources = {1},
       .error = 4},
      {.op = "igammac",
       .call = two(igammac),
       .inputs = {row, x},
       .sources = {1},
       .error = 4},
      {.op = "betainc",
       .call =
           [](const Tensors& in) {
             return Tensors{betainc(in[0], in[1], in[2])};
           },
       .inputs = {row, Array::from({2., 0.75}, {2, 1}),
                  Array::from({0.125, 0.5, 0.875})},
       .sources = {2},
       .error = 4},
      {.op = "bessel_i0e", .call = one(bessel_i0e), .inputs = {x}, .error = 2},
      {.op = "bessel_i1e", .call = one(bessel_i1e), .inputs = {x}, .error = 2}};
}

namespace {

using internal::ops::Comparisons;
using internal::ops::message_of;

using Unary = Tensor (*)(const Arg&);
using Binary = Tensor (*)(const Arg&, const Arg&);

Tensors inputs_of(const golden::Case& c, DType dtype) {
  Tensors inputs;
  for (const auto& [name, array] : c.group("inputs")) {
    inputs.push_back(constant(cast(array, dtype)));
  }
  return inputs;
}

struct Errors {
  double float64;
  double float32;
};

void compare(const char* family, const std::map<std::string, Unary>& unary,
             const std::map<std::string, Binary>& binary,
             const std::map<std::string, Errors>& errors) {
  Comparisons all;
  for (const golden::Case& c : golden::load(family)) {
    for (const DType dtype : {DType::float64, DType::float32}) {
      const Tensors in = inputs_of(c, dtype);
      Tensor got;
      if (unary.count(c.name())) {
        got = unary.at(c.name())(in[0]);
      } else if (binary.count(c.name())) {
        got = binary.at(c.name())(in[0], in[1]);
      } else {
        ASSERT_EQ(c.name(), "betainc");
        got = betainc(in[0], in[1], in[2]);
      }
      const Errors most =
          errors.count(c.name()) ? errors.at(c.name()) : Errors{1e-14, 2e-6};
      const double error =
          dtype == DType::float64 ? most.float64 : most.float32;
      all.add(c.name() + " in " + std::string(name(dtype)), got,
              cast(c.array("output"), dtype), {error, error / 10});
    }
  }
}

TEST(Special, ValuesAreSciPys) {
  compare("special",
          {{"erf", erf},
           {"erfc", erfc},
           {"erfinv", erfinv},
           {"ndtr", ndtr},
           {"lgamma", lgamma},
           {"digamma", digamma},
           {"bessel_i0e", bessel_i0e},
           {"bessel_i1e", bessel_i1e},
           {"bessel_i0", bessel_i0},
           {"bessel_i1", bessel_i1}},
          {{"polygamma", polygamma},
           {"zeta", zeta},
           {"betaln", betaln},
           {"igamma", igamma},
           {"igammac", igammac}},
          {{"lgamma", {1e-14, 5e-6}},
           {"betaln", {1e-13, 1e-5}},
           {"igamma", {1e-12, 2e-5}},
           {"igammac", {1e-12, 2e-5}},
           {"betainc", {1e-12, 2e-5}}});
}

TEST(Elementwise, ValuesAreNumPys) {
  compare("elementwise",
          {{"tan", tan},
           {"asin", asin},
           {"acos", acos},
           {"atan", atan},
           {"sinh", sinh},
           {"cosh", cosh},
           {"asinh", asinh},
           {"acosh", acosh},
           {"atanh", atanh},
           {"sinc", sinc},
           {"deg2rad", deg2rad},
           {"rad2deg", rad2deg},
           {"exp2", exp2},
           {"log2", log2},
           {"log10", log10},
           {"logit", logit},
           {"cbrt", cbrt},
           {"trunc", trunc},
           {"rint", rint}},
          {{"atan2", atan2},
           {"fmod", fmod},
           {"mod", mod},
           {"floor_divide", floor_divide},
           {"hypot", hypot},
           {"logaddexp", logaddexp},
           {"logaddexp2", logaddexp2},
           {"xlogy", xlogy},
           {"xlog1py", xlog1py}},
          {});
}

TEST(Special, EndsAndWhatIsOutside) {
  const double inf = INFINITY;
  Comparisons all;
  all.add("lgamma", lgamma(constant(Array::from({0., -1., inf}))),
          Array::from({inf, inf, inf}));
  all.add("igamma",
          igamma(constant(Array::from({1., 1., 2.})),
                 constant(Array::from({0., inf, 0.}))),
          Array::from({0., 1., 0.}));
  all.add("isnan",
          isnan(igamma(
              constant(Array::from({-1., 1., 0., static_cast<double>(NAN)})),
              constant(Array::from({1., -1., 1., 1.})))),
          Array::from({true, true, true, true}));
  all.add("betainc",
          isnan(betainc(constant(Array::from({-1., 1.})), 1.,
                        constant(Array::from({0.5, 2.})))),
          Array::from({true, true}));
  all.add("whole numbers", lgamma(constant(Array::from({1, 2}))),
          Array::from({0.f, 0.f}));
}

TEST(Special, ParametersHaveNoGradient) {
  const Tensor a = constant(Array::from({0.5}));
  GradientTape tape;
  tape.watch(a);
  const Tensor y = sum(igamma(a, constant(Array::from({1.5}))));
  EXPECT_EQ(
      message_of<ValueError>([&] { (void)tape.gradient(y, a); }).substr(0, 6),
      "igamma");
}

}  // namespace
}  // namespace systolic
