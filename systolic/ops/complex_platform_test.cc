#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/graph/tape.h"
#include "systolic/graph/value_and_grad.h"
#include "systolic/ops/complex.h"
#include "systolic/ops/ops.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

std::vector<OpSample> internal::ops::complex_samples() {
  const Array x = Array::from({1.5, -2.25, 0.75, 3., -0.5, 2.}, {2, 3});
  const Array row = Array::from({0.5, 1.25, -1.75});
  return {
      {.op = "complex",
       .call = [](const Tensors& in) { return Tensors{complex(in[0], in[1])}; },
       .inputs = {x, row}},
      {.op = "imag",
       .call =
           [](const Tensors& in) {
             return Tensors{imag(in[0] * in[0]), angle(in[0])};
           },
       .inputs = {complex(x, x + 1)},
       .dtypes = contracts::kComplex}};
}

namespace {

using internal::ops::Comparisons;
using internal::ops::message_of;
using C64 = std::complex<float>;

Array vector() { return Array::from({C64(1, 2), C64(-3, 0.5), C64(0, -1)}); }

// The calls of tests/parity/families/complex_numbers.py.
internal::ops::Calls calls() {
  const auto one = [](Tensor (*f)(const Arg&)) {
    return [f](const Tensors& in) { return Tensors{f(in[0])}; };
  };
  const auto two = [](Tensor (*f)(const Arg&, const Arg&)) {
    return [f](const Tensors& in) { return Tensors{f(in[0], in[1])}; };
  };
  using C128 = std::complex<double>;
  const Array w =
      Array::from({C128(1.5, -0.5), C128(0.25, 1), C128(-0.5, 0.75),
                   C128(0.75, 0.25), C128(-1, 0.5), C128(1.25, -1.5)},
                  {2, 3});
  const Array positive =
      Array::from({true, false, true, false, true, true}, {2, 3});
  const auto call = [](auto f) {
    return [f](const Tensors& in) { return Tensors{f(in)}; };
  };
  return {
      {"complex", two(complex)},
      {"real", one(real)},
      {"imag", one(imag)},
      {"conj", one(conj)},
      {"angle", one(angle)},
      {"abs", one(abs)},
      {"cast", call([w](const Tensors& in) {
         return cast(in[0], DType::complex128) * w;
       })},
      {"exp", one(exp)},
      {"expm1", one(expm1)},
      {"log", one(log)},
      {"log1p", one(log1p)},
      {"sqrt", one(sqrt)},
      {"rsqrt", one(rsqrt)},
      {"square", one(square)},
      {"reciprocal", one(reciprocal)},
      {"sin", one(sin)},
      {"cos", one(cos)},
      {"tan", one(tan)},
      {"sinh", one(sinh)},
      {"cosh", one(cosh)},
      {"tanh", one(tanh)},
      {"asinh", one(asinh)},
      {"acosh", one(acosh)},
      {"atanh", one(atanh)},
      {"sigmoid", one(sigmoid)},
      {"add", two(add)},
      {"subtract", two(subtract)},
      {"multiply", two(multiply)},
      {"divide", two(divide)},
      {"power", two(power)},
      {"matmul", call([](const Tensors& in) {
         return matmul(in[0], in[1], {.transpose_b = true});
       })},
      {"matmul adjoint", call([](const Tensors& in) {
         return matmul(in[0], in[1], {.adjoint_a = true});
       })},
      {"einsum", call([](const Tensors& in) {
         return einsum("ij,kj->ik", {in[0], in[1]});
       })},
      {"tensordot", call([](const Tensors& in) {
         return tensordot(in[0], in[1], {.axes = {{0, 1}, {0, 1}}});
       })},
      {"sum", call([](const Tensors& in) { return sum(in[0], {.axis = 0}); })},
      {"mean", call([](const Tensors& in) { return mean(in[0]); })},
      {"prod",
       call([](const Tensors& in) { return prod(in[0], {.axis = 1}); })},
      {"cumsum",
       call([](const Tensors& in) { return cumsum(in[0], {.axis = 1}); })},
      {"cumprod",
       call([](const Tensors& in) { return cumprod(in[0], {.axis = 1}); })},
      {"where", call([positive](const Tensors& in) {
         return where(positive, in[0] * in[1], in[0]);
       })},
      {"concatenate", call([](const Tensors& in) {
         return concatenate({in[0] * in[1], in[1]}, 0);
       })},
      {"take", call([](const Tensors& in) {
         return take(in[0], Array::from({2, 0, 2}), {.axis = 1}) *
                stop_gradient(in[0]);
       })},
      {"pad", call([](const Tensors& in) {
         return pad(in[0], {{1, 0}, {0, 2}});
       })},
      {"transpose", call([w](const Tensors& in) {
         return transpose(in[0]) * transpose(w);
       })},
      {"segment_sum", call([](const Tensors& in) {
         return segment_sum(in[0], Array::from({1, 1}), {.num_segments = 2});
       })},
      {"fft", call([w](const Tensors& in) { return fft(in[0]) * w; })},
      {"ifft", call([w](const Tensors& in) { return ifft(in[0]) * w; })},
      {"fft2", call([w](const Tensors& in) { return fft2(in[0]) * w; })},
      {"loss", call([](const Tensors& in) {
         return sum(square(abs(exp(in[0]) * in[1] - 1)));
       })}};
}

TEST(Complex, ValuesAndGradientsAreTensorFlows) {
  const internal::ops::Calls all = calls();
  Comparisons list;
  size_t found = 0;
  for (const golden::Case& c : golden::load("complex")) {
    const auto call = all.find(c.name());
    ASSERT_NE(call, all.end()) << c.name();
    ++found;
    Tensors inputs;
    for (const auto& [name, value] : c.group("input")) {
      inputs.push_back(Arg(value).tensor());
    }
    GradientTape tape;
    for (const Tensor& input : inputs) tape.watch(input);
    try {
      const Tensor output = call->second(inputs)[0];
      list.add(c.name(), output, c.array("output"), {1e-10, 1e-10});
      const Tensors gradients = tape.gradient(output, inputs);
      size_t i = 0;
      for (const auto& [name, wanted] : c.group("gradient")) {
        list.add(c.name() + ", gradient " + name, gradients[i++], wanted,
                 {1e-10, 1e-10});
      }
    } catch (const Error& error) {
      ADD_FAILURE() << c.name() << ": " << error.what();
    }
  }
  EXPECT_EQ(found, all.size());
}

TEST(Complex, NumbersBesideThem) {
  const Tensor z = constant(vector());
  Comparisons all;
  all.add("1i", z * std::complex<double>(0, 1), vector() * C64(0, 1));
  all.add("of floats", constant({1.f, 2.f}) + C64(0, 1),
          Array::from({C64(1, 1), C64(2, 1)}));
  all.add("real", z * 2 + 0.5, vector() * 2 + 0.5);
  all.add("not zero", logical_not(z), logical_not(vector()));
  all.add("infinite", isfinite(z / 0), Array::from({false, false, false}));
  all.add("sign", sign(constant(Array::from({C64(3, 4), C64()}))),
          Array::from({C64(0.6f, 0.8f), C64()}));
  all.add("variance", var(z), Array::scalar(4.3888889f), {1e-6, 1e-6});
  all.add("vdot", vdot(z, z), Array::scalar(C64(15.25, 0)));
  const double infinity = std::numeric_limits<double>::infinity();
  all.add("infinity", z + infinity, vector() + infinity);
  EXPECT_EQ(z.numpy().repr(), vector().repr());
  EXPECT_EQ(complex(1, 2).dtype(), DType::complex64);
  EXPECT_EQ(imag(constant({1.f, 2.f})).numpy().to_string(), "[0. 0.]");
}

TEST(Complex, PrintsAsEveryTensor) {
  std::ostringstream out;
  out << constant(Array::scalar(C64(1, -2))) << constant(vector());
  EXPECT_NE(out.str().find("(1-2j), shape=(), dtype=complex64"),
            std::string::npos);
  EXPECT_NE(out.str().find("[ 1.+2.j  -3.+0.5j  0.-1.j ], shape=(3,)"),
            std::string::npos);
}

// A Variable that goes down its gradient reaches the least loss: the gradient
// is TensorFlow's, not its conjugate.
TEST(Complex, DescentGoesDown) {
  Variable z(Array::from({C64(1, 1), C64(-2, 0.5)}));
  const Array goal = Array::from({C64(-0.5, 2), C64(1, -1)});
  const auto loss = [&] { return sum(square(abs(z - goal))); };
  const double before = loss().numpy().item<double>();
  for (int i = 0; i < 5; ++i) {
    GradientTape tape;
    const Tensor value = loss();
    z.assign_sub(tape.gradient(value, z) * 0.25);
  }
  EXPECT_LT(loss().numpy().item<double>(), 1e-2 * before);
}

TEST(Complex, WhatHasNoMeaningIsRefused) {
  const Tensor z = constant(vector());
  EXPECT_EQ(message_of<TypeError>([&] { (void)max(z); })
                .substr(0, 100)
                .find("max: expected real numbers, got complex64"),
            0u);
  EXPECT_NE(message_of<TypeError>([&] {
              (void)max(z);
            }).find("hint: take real(x), imag(x) or abs(x) first"),
            std::string::npos);
  EXPECT_NE(message_of<TypeError>([&] { (void)cast(z, DType::float32); })
                .find("a cast would lose the imaginary part: take real(x) or "
                      "abs(x)"),
            std::string::npos);
  for (const auto f : {floor, erf, cbrt, round}) {
    EXPECT_THROW((void)f(z), TypeError);
  }
  EXPECT_THROW((void)(z < 1), TypeError);
  EXPECT_THROW((void)sort(z), TypeError);
  EXPECT_THROW((void)complex(z, 1), TypeError);
}

TEST(Complex, Float8IsStorage) {
  const Array values = Array::from({1.f, 2.3f, -500.f, 1e-4f, 0.3f});
  Comparisons all;
  for (const DType dtype : {DType::float8_e4m3fn, DType::float8_e5m2}) {
    const Tensor x = cast(constant(values), dtype);
    all.add("there", x, cast(values, dtype));
    all.add("and back", cast(x, DType::float32),
            cast(cast(values, dtype), DType::float32));
    all.add("from the host",
            cast(constant(cast(values, dtype)), DType::float32),
            cast(cast(values, dtype), DType::float32));
    all.add("moved", transpose(reshape(x, {5, 1})),
            cast(values, dtype).reshaped({1, 5}));
    EXPECT_NE(message_of<TypeError>([&] { (void)(x + x); })
                  .find("hint: cast it first, for example cast(x, "
                        "DType::bfloat16)"),
              std::string::npos);
    EXPECT_THROW((void)exp(x), TypeError);
    EXPECT_THROW((void)sum(x), TypeError);
    EXPECT_THROW((void)matmul(x, x), TypeError);
    EXPECT_THROW((void)abs(x), TypeError);
    EXPECT_THROW((void)(x * 2), TypeError);
  }
}

}  // namespace
}  // namespace systolic
