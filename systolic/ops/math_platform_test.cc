#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "systolic/array/arrays.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/complex.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

std::vector<OpSample> internal::ops::math_samples() {
  using Binary = Tensor (*)(const Arg&, const Arg&);
  const Array x = Array::from({1.5, -2.25, 0.75, 3., -0.5, 2.}, {2, 3});
  const Array row = Array::from({0.5, 1.25, -1.75});
  const Array positive = Array::from({0.5, 1.25, 1.75, 2., 3., 0.75}, {2, 3});
  const Array column = Array::from({0.25, 2.5}, {2, 1});
  const Array whole = Array::from({7., 4., 9., 1., 6., 12.}, {2, 3});
  const Array divisor = Array::from({2., 5., 3.});
  const auto two = [](Binary f) {
    return [f](const Tensors& in) { return Tensors{f(in[0], in[1])}; };
  };
  const auto everything = contracts::numbers();
  std::vector<OpSample> samples{
      {.op = "add", .call = two(add), .inputs = {x, x + 1}},
      {.op = "add", .name = "row", .call = two(add), .inputs = {x, row}},
      {.op = "add",
       .name = "whole numbers",
       .call = two(add),
       .inputs = {whole, divisor},
       .dtypes = contracts::any_dtype()},
      {.op = "subtract", .call = two(subtract), .inputs = {column, row}},
      {.op = "subtract",
       .name = "whole numbers",
       .call = two(subtract),
       .inputs = {whole, divisor},
       .dtypes = everything},
      {.op = "multiply", .call = two(multiply), .inputs = {column, x}},
      {.op = "multiply",
       .name = "whole numbers",
       .call = two(multiply),
       .inputs = {whole, divisor},
       .dtypes = contracts::any_dtype()},
      {.op = "multiply",
       .name = "with itself",
       .call = [](const Tensors& in) { return Tensors{in[0] * in[0]}; },
       .inputs = {x}},
      {.op = "divide",
       .call = two(divide),
       .inputs = {x, positive},
       .dtypes = contracts::kInexact},
      {.op = "divide", .name = "row", .call = two(divide), .inputs = {row, x}},
      {.op = "floor_divide",
       .call = two(floor_divide),
       .inputs = {whole, divisor},
       .dtypes = contracts::floats_and_integers(),
       .gradient = false},
      // Nowhere near a whole quotient, where it jumps.
      {.op = "mod",
       .call = two(mod),
       .inputs = {x, Array::from({0.875, 2.5}, {2, 1})}},
      {.op = "mod",
       .name = "whole numbers",
       .call = two(mod),
       .inputs = {whole, divisor},
       .dtypes = contracts::kIntegers,
       .gradient = false},
      {.op = "power",
       .call = two(power),
       .inputs = {positive, row},
       .dtypes = contracts::kInexact,
       .error = 2},
      {.op = "power",
       .name = "of negative numbers",
       .call = [](const Tensors& in) { return Tensors{power(in[0], 3)}; },
       .inputs = {x}},
      {.op = "maximum", .call = two(maximum), .inputs = {x, row}},
      {.op = "maximum",
       .name = "whole numbers",
       .call = two(maximum),
       .inputs = {whole, divisor},
       .dtypes = contracts::any_real(),
       .gradient = false},
      {.op = "minimum", .call = two(minimum), .inputs = {column, x}},
      {.op = "minimum",
       .name = "whole numbers",
       .call = two(minimum),
       .inputs = {whole, divisor},
       .dtypes = contracts::any_real(),
       .gradient = false},
      {.op = "compare",
       .call = two(less),
       .inputs = {whole, divisor},
       .dtypes = contracts::any_real(),
       .gradient = false},
      {.op = "equal",
       .call = two(equal),
       .inputs = {whole, whole + divisor - 3},
       .dtypes = contracts::any_dtype(),
       .gradient = false},
      {.op = "where",
       .call =
           [](const Tensors& in) {
             return Tensors{where(in[2], in[0], in[1])};
           },
       .inputs = {x, row, Array::from({true, false}, {2, 1})},
       .dtypes = contracts::any_dtype()},
      {.op = "stop_gradient",
       .call =
           [](const Tensors& in) {
             return Tensors{in[0] * stop_gradient(in[1])};
           },
       .inputs = {x, row},
       .dtypes = contracts::kInexact,
       .sources = {0}},
      {.op = "negative",
       .call = [](const Tensors& in) { return Tensors{-in[0]}; },
       .inputs = {x},
       .dtypes = {DType::float32, DType::float64, DType::bfloat16,
                  DType::float16, DType::int8, DType::int32, DType::int64,
                  DType::complex64, DType::complex128}},
      {.op = "broadcast_to",
       .call =
           [](const Tensors& in) {
             return Tensors{broadcast_to(in[0], {4, 2, 3})};
           },
       .inputs = {column},
       .dtypes = contracts::any_dtype()},
      {.op = "sum_to",
       .call =
           [](const Tensors& in) {
             return Tensors{graph::sum_to(in[0], {3}),
                            graph::sum_to(in[0], {2, 1}),
                            graph::sum_to(in[0], Shape::scalar())};
           },
       .inputs = {x},
       .dtypes = contracts::kInexact,
       .error = 2},
      {.op = "real",
       .call = [](const Tensors& in) { return Tensors{real(in[0])}; },
       .inputs = {complex(x, x + 1)},
       .dtypes = contracts::kComplex},
      {.op = "conj",
       .call = [](const Tensors& in) { return Tensors{conj(in[0]) * in[0]}; },
       .inputs = {complex(x, x + 1)},
       .dtypes = contracts::kComplex}};
  const std::pair<const char*, Binary> logic[] = {{"logical_and", logical_and},
                                                  {"logical_or", logical_or},
                                                  {"logical_xor", logical_xor}};
  for (const auto& [op, f] : logic) {
    samples.push_back({.op = op,
                       .call = two(f),
                       .inputs = {abs(whole - 4), divisor - 2},
                       .dtypes = contracts::any_dtype(),
                       .gradient = false});
  }
  samples.push_back(
      {.op = "logical_not",
       .call = [](const Tensors& in) { return Tensors{logical_not(in[0])}; },
       .inputs = {abs(whole - 4)},
       .dtypes = contracts::any_dtype(),
       .gradient = false});
  for (DType dtype : contracts::any_dtype()) {
    std::vector<DType> others = contracts::any_dtype();
    std::erase(others, dtype);
    // Complex numbers stay complex.
    if (!is_complex(dtype) && dtype != DType::boolean) {
      std::erase_if(others, is_complex);
    }
    samples.push_back(
        {.op = "cast",
         .name = "to " + std::string(name(dtype)),
         // float64, the usual input, comes from float32.
         .call =
             [dtype](const Tensors& in) {
               const bool wide = dtype == DType::float64;
               return Tensors{
                   cast(wide ? cast(in[0], DType::float32) : in[0], dtype)};
             },
         .inputs = {positive},
         .dtypes = others,
         .gradient = dtype == DType::float64 || dtype == DType::float32 ||
                     is_complex(dtype),
         .second_gradient = false,
         // Differences of what went through float32.
         .error = is_inexact(dtype) ? 3e3 : 1});
  }
  return samples;
}

namespace {

using internal::ops::Comparisons;
using internal::ops::message_of;

const Array kReal = Array::from({1.5f, -2.25f, 0.f, 3.f, -0.5f, 2.f}, {2, 3});
const Array kRow = Array::from({0.5f, -2.25f, 4.f});
const Array kColumn = Array::from({1.f, -3.f}, {2, 1});
const Array kInts = Array::from({7, -7, 2, 0, 5, -1}, {2, 3});
const Array kIntRow = Array::from({2, -3, 4});
const Array kBytes = Array::from(std::vector<uint8_t>{1, 0, 200});
const Array kBools = Array::from({true, false, true});
const Array kHalf = cast(kRow, DType::bfloat16);

// Every pair of operands, and what C++ numbers make of them.
TEST(Math, BinaryOpsAreThoseOfArrays) {
  Comparisons all;
  const auto compare = [&](const char* name, auto f) {
    int pair = 0;
    for (const auto& [a, b] :
         {std::pair{kReal, kReal}, std::pair{kReal, kRow},
          std::pair{kColumn, kRow}, std::pair{kInts, kIntRow},
          std::pair{kReal, kIntRow}, std::pair{kBytes, kIntRow},
          std::pair{kHalf, kBytes}, std::pair{kBools, kIntRow},
          std::pair{kHalf, kRow}}) {
      all.add(std::string(name) + " of pair " + std::to_string(pair++),
              f(constant(a), constant(b)), f(a, b));
    }
    all.add(std::string(name) + " of bfloat16 and 2.5", f(constant(kHalf), 2.5),
            f(kHalf, 2.5));
    all.add(std::string(name) + " of int32 and 2.5", f(constant(kInts), 2.5),
            f(kInts, 2.5));
    all.add(std::string(name) + " of 3 and int32", f(3, constant(kInts)),
            f(3, kInts));
    all.add(std::string(name) + " of uint8 and 3", f(constant(kBytes), 3),
            f(kBytes, 3));
    all.add(std::string(name) + " of bool and 2", f(constant(kBools), 2),
            f(kBools, 2));
    all.add(std::string(name) + " of true and float32", f(true, constant(kRow)),
            f(true, kRow));
  };
#define SAME(f) \
  compare(#f, [](const auto& a, const auto& b) { return f(a, b); })
  SAME(add);
  SAME(subtract);
  SAME(multiply);
  SAME(divide);
  SAME(maximum);
  SAME(minimum);
  SAME(equal);
  SAME(not_equal);
  SAME(less);
  SAME(less_equal);
  SAME(greater);
  SAME(greater_equal);
  SAME(logical_and);
  SAME(logical_or);
  SAME(logical_xor);
#undef SAME
  all.add("power", power(constant(abs(kReal)), constant(kRow)),
          power(abs(kReal), kRow));
  all.add("power of ints", power(constant(kInts), 3), power(kInts, 3));
  all.add("x ** 0.5", power(constant(abs(kReal)), 0.5), power(abs(kReal), 0.5));
}

TEST(Math, OperatorsAreTheFunctions) {
  Comparisons all;
  const Tensor x = constant(kReal), y = constant(kRow);
  all.add("+", x + y, kReal + kRow);
  all.add("-", x - y, kReal - kRow);
  all.add("*", x * y, kReal * kRow);
  all.add("/", x / y, kReal / kRow);
  all.add("unary -", -x, -kReal);
  all.add("<", x < y, kReal < kRow);
  all.add("<=", x <= y, kReal <= kRow);
  all.add(">", x > y, kReal > kRow);
  all.add(">=", x >= y, kReal >= kRow);
  all.add("2 - x", 2 - x, 2 - kReal);
  all.add("x + Array", x + kRow, kReal + kRow);
}

TEST(Math, SelectionAndRest) {
  Comparisons all;
  const Tensor x = constant(kReal);
  all.add("where", where(constant(kColumn) > 0, x, constant(kRow)),
          where(kColumn > 0, kReal, kRow));
  all.add("where with numbers", where(x > 0, 1, 0.5),
          Array::from({1.f, 0.5f, 0.5f, 1.f, 0.5f, 1.f}, {2, 3}));
  all.add("where of numbers as truth", where(x, x, -1),
          where(kReal, kReal, -1));
  all.add("logical_not", logical_not(x), logical_not(kReal));
  all.add("clip", clip(x, -1, 1.75),
          Array::from({1.5f, -1.f, 0.f, 1.75f, -0.5f, 1.75f}, {2, 3}));
  all.add("clip of ints", clip(constant(kInts), -2, 3),
          Array::from({3, -2, 2, 0, 3, -1}, {2, 3}));
  all.add("broadcast_to", broadcast_to(constant(kRow), {2, 3}),
          broadcast_to(kRow, {2, 3}));
  for (DType dtype : contracts::any_dtype()) {
    // Negative values to unsigned are not defined: absolute ones.
    all.add("cast", cast(abs(x), dtype), cast(abs(kReal), dtype));
    all.add("cast from int", cast(constant(kIntRow * kIntRow), dtype),
            cast(kIntRow * kIntRow, dtype));
  }
}

// As Python: the quotient rounds down, the rest has the divisor's sign.
TEST(Math, DivisionRoundsDown) {
  const Array a = Array::from({7, -7, 7, -7, 6, -6});
  const Array b = Array::from({3, 3, -3, -3, 3, -3});
  Comparisons all;
  all.add("ints", floor_divide(constant(a), constant(b)),
          Array::from({2, -3, -3, 2, 2, 2}));
  all.add("rest", mod(constant(a), constant(b)),
          Array::from({1, 2, -2, -1, 0, 0}));
  const Tensor real = constant(cast<float>(a)) / 2;
  all.add("floats", floor_divide(real, constant(b)),
          Array::from({1.f, -2.f, -2.f, 1.f, 1.f, 1.f}));
  all.add("rest of floats", real % constant(b),
          Array::from({0.5f, 2.5f, -2.5f, -0.5f, 0.f, 0.f}));
  all.add("unsigned", floor_divide(constant(kBytes), 3),
          Array::from(std::vector<uint8_t>{0, 0, 66}));
}

TEST(Math, NanIsNeitherLostNorMade) {
  const float nan = NAN, inf = INFINITY;
  const Tensor x = constant(Array::from({nan, 1.f, inf}));
  Comparisons all;
  all.add("maximum", isfinite(maximum(x, 2)),
          Array::from({false, true, false}));
  all.add("clip", isfinite(clip(x, 0, 5)), Array::from({false, true, true}));
  all.add("equal", equal(x, x), Array::from({false, true, true}));
  all.add("not_equal", not_equal(x, x), Array::from({true, false, false}));
}

// Scalars keep all their bits, and infinity is a number like any other.
TEST(Math, ExtremeScalars) {
  Comparisons all;
  const Tensor wide = constant(Array::from(std::vector<int64_t>{0, 1}));
  constexpr int64_t kBig = (int64_t{1} << 53) + 1;
  all.add("int64", wide + kBig,
          Array::from(std::vector<int64_t>{kBig, kBig + 1}));
  const Tensor x = constant(kRow);
  all.add("infinity", minimum(x, INFINITY), kRow);
  all.add("-infinity", maximum(x, -std::numeric_limits<double>::infinity()),
          kRow);
  all.add("beyond float32", minimum(x, 1e300), kRow);
  all.add("smallest", constant(Array::from({0.f})) + 1e-45,
          Array::from({1e-45f}));
  all.add("int32's least", maximum(constant(kInts), -2147483647 - 1), kInts);
}

TEST(Math, GradientsAtCorners) {
  GradientTape tape;
  const Tensor x = constant(Array::from({0.f, 1.f, 1.f, 2.f}));
  tape.watch(x);
  const Tensor one = constant(Array::from({1.f, 1.f, 1.f, 1.f}));
  // Between equals each has half; 0 to the 0 has none; clip passes at limits.
  const Tensor total =
      sum(maximum(x, one) + 10 * power(x, 0) + 100 * clip(x, 0, 2));
  const Array gradient = tape.gradient(total, x).numpy();
  EXPECT_EQ(gradient.to_string(), "[100.  100.5 100.5 101. ]");
}

TEST(Math, ShapesThatDoNotFitAreToldWhereTheyMeet) {
  const Tensor x = constant(Array::zeros({32, 10}));
  const Tensor y = constant(Array::zeros({32}));
  const int line = __LINE__ + 1;
  const std::string text = message_of<ShapeError>([&] { x + y; });
  EXPECT_EQ(text,
            "add: expected shapes that broadcast together, got (32, 10) and "
            "(32,)\n"
            "  input 0: float32[32, 10]\n"
            "  input 1: float32[32]\n"
            "  hint: sizes must be equal or 1, counted from the last axis\n"
            "  at: math_platform_test.cc:" +
                std::to_string(line));
  EXPECT_NE(message_of<ShapeError>([&] { where(x > 0, x, y); }), "");
  EXPECT_NE(message_of<ShapeError>([&] { broadcast_to(x, {10}); }), "");
}

TEST(Math, ScalarsThatDoNotFitAreToldWhereTheyStand) {
  const Tensor x = constant(kBytes);
  const int line = __LINE__ + 1;
  const std::string text = message_of<ValueError>([&] { x * 300; });
  EXPECT_EQ(text,
            "scalar: expected a number in the range of uint8, got 300\n"
            "  hint: cast the Tensor to a wider dtype first\n"
            "  at: math_platform_test.cc:" +
                std::to_string(line));
  EXPECT_NE(message_of<ValueError>([&] { x - (-1); }), "");
  EXPECT_EQ(message_of<ValueError>([&] { x + 255; }), "");
  EXPECT_EQ(message_of<ValueError>([&] { x + 300.5; }), "");
}

TEST(Math, UndefinedTensorsAreRefused) {
  const Tensor x = constant(kRow);
  EXPECT_NE(message_of<ValueError>([&] {
              x + Tensor();
            }).find("an undefined one (Tensor())"),
            std::string::npos);
}

}  // namespace
}  // namespace systolic
