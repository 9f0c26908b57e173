// All of the standard library beside all of ours, both with using namespace:
// calls on Tensors and on numbers mean what they look like. Compiled; what
// needs no platform is run, too.
#include <bits/stdc++.h>
#include <gtest/gtest.h>

#include "systolic/systolic.h"

using namespace std;       // NOLINT(google-build-using-namespace)
using namespace systolic;  // NOLINT(google-build-using-namespace)

namespace {

// Where std has a class of a function's name, C++ takes neither: there the
// program writes systolic::less or std::function, or the operator.
[[maybe_unused]] vector<Tensor> names_of_classes(const Tensor& x) {
  return {systolic::any(x > 0),
          systolic::less(x, 1),
          systolic::greater(x, 1),
          systolic::stack({x, x}),
          systolic::complex(x, x),
          systolic::identity(2),
          x<1, x> 1};
}

[[maybe_unused]] Tensor recorded(const Tensor& x) {
  return systolic::function([](Tensor t) { return t + 1; })(x);
}

[[maybe_unused]] vector<Tensor> names_of_functions(const Tensor& x) {
  const Tensor positive = abs(x) + 1;
  return {abs(x),
          ceil(x),
          conj(x),
          cos(x),
          equal(x, x),
          erf(x),
          exp(x),
          expm1(x),
          floor(x),
          imag(x),
          log(positive),
          log1p(positive),
          max(x),
          max(x, {.axis = 0}),
          min(x),
          real(x),
          round(x),
          sin(x),
          sqrt(positive),
          square(x),
          sum(x, {.axis = {0}}),
          systolic::all(x > 0),
          take(x, constant({0})),
          tanh(x),
          transpose(x),
          where(x > 0, x, -x)};
}

// Types and namespaces of the same words: data, array, map, layers.
[[maybe_unused]] void names_of_types() {
  const std::function<Array(Array)> half = [](Array x) { return x / 2; };
  const data::Dataset numbers = data::Dataset::range(3).map(half);
  const array<float, 2> two = {1, 2};
  const models::Sequential model({layers::Dense(1), layers::Flatten()});
  const optional<Tensor> maybe = model(constant({{two[0], two[1]}}));
  const map<string, Array> by_name = {{"all", maybe->numpy()}};
  cout << by_name.size() << *maybe << Shape{2, 3} << size(two);
}

TEST(UsingNamespaceStd, CallsGoByTheirArguments) {
  const Array x = Array::from({-1.5f, 0.5f, 2.f});
  EXPECT_EQ(abs(x).span<float>()[0], abs(-1.5f));
  EXPECT_EQ(sqrt(abs(x)).span<float>()[2], sqrt(2.f));
  EXPECT_EQ(exp(x).span<float>()[1], exp(0.5f));
  EXPECT_EQ(floor(x).span<float>()[0], floor(-1.5f));
  EXPECT_EQ(max(x).item<float>(), max(0.5f, 2.f));
  EXPECT_EQ(min(x).item<float>(), ranges::min(x.span<float>()));
  EXPECT_EQ(sum(x).item<float>(),
            reduce(x.span<float>().begin(), x.span<float>().end()));
  EXPECT_EQ(pow(2.f, 3.f), 8.f);
  EXPECT_TRUE(all_of(x.span<float>().begin(), x.span<float>().end(),
                     [](float value) { return value < 3; }));
}

}  // namespace
