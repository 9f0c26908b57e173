#include "systolic/stablehlo/emitter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "systolic/base/error.h"

namespace systolic::internal::stablehlo {
namespace {

const TensorSpec kScalar{DType::float32, Shape::scalar()};
const TensorSpec kPair{DType::float32, Shape{2}};

// What stands between the function's braces.
std::string body(Emitter& e, std::span<const Value> results = {}) {
  e.finish(results);
  const std::string text = e.module();
  const std::string opening = " {\n";
  const size_t begin = text.find(opening, text.find("func.func")) + 3;
  return text.substr(begin, text.rfind("return") - begin);
}

// The literal that a splat of `value` is written as.
std::string splat(DType dtype, double value) {
  Emitter e("main");
  e.splat({dtype, Shape::scalar()}, value);
  const std::string text = body(e);
  const size_t begin = text.find("dense<") + 6;
  return text.substr(begin, text.find('>', begin) - begin);
}

TEST(Emitter, WritesAModuleWithOnePublicFunction) {
  Emitter e("main", 8);
  const Value x = e.argument(kPair);
  const Value y = e.argument({DType::int8, Shape::scalar()}, 1);
  const Value results[] = {e.unary("exponential", x), y};
  e.finish(results);
  EXPECT_EQ(e.module(), R"(module @systolic attributes {)"
                        R"(mhlo.num_partitions = 1 : i32, )"
                        R"(mhlo.num_replicas = 8 : i32} {
func.func public @main(%0: tensor<2xf32>, )"
                        R"(%1: tensor<i8> {tf.aliasing_output = 1 : i32}) )"
                        R"(-> (tensor<2xf32>, tensor<i8>) {
%2 = "stablehlo.exponential"(%0) : (tensor<2xf32>) -> (tensor<2xf32>)
return %2, %1 : tensor<2xf32>, tensor<i8>
}
}
)");
  EXPECT_EQ(e.statements(), 1);
}

TEST(Emitter, AFunctionMayGiveNothing) {
  Emitter e("empty");
  e.finish({});
  EXPECT_NE(e.module().find("@empty() -> () {\nreturn\n"), std::string::npos);
}

TEST(Emitter, TypesAreSpeltAsStablehloDoes) {
  const std::pair<DType, const char*> names[] = {
      {DType::boolean, "i1"},
      {DType::int8, "i8"},
      {DType::int16, "i16"},
      {DType::int32, "i32"},
      {DType::int64, "i64"},
      {DType::uint8, "ui8"},
      {DType::uint16, "ui16"},
      {DType::uint32, "ui32"},
      {DType::uint64, "ui64"},
      {DType::float8_e4m3fn, "f8E4M3FN"},
      {DType::float8_e5m2, "f8E5M2"},
      {DType::float16, "f16"},
      {DType::bfloat16, "bf16"},
      {DType::float32, "f32"},
      {DType::float64, "f64"},
      {DType::complex64, "complex<f32>"},
      {DType::complex128, "complex<f64>"},
  };
  for (const auto& [dtype, text] : names) {
    EXPECT_EQ(element_type(dtype), text);
  }
  EXPECT_EQ(tensor_type({DType::bfloat16, Shape{2, 0, 3}}),
            "tensor<2x0x3xbf16>");
  EXPECT_EQ(tensor_type({DType::boolean, Shape::scalar()}), "tensor<i1>");
  EXPECT_EQ(i64_array({}), "array<i64>");
  EXPECT_EQ(i64_array(std::vector<int64_t>{-1, 2}), "array<i64: -1, 2>");
}

TEST(Emitter, StringsHaveNoType) {
  try {
    element_type(DType::string);
    FAIL() << "nothing was thrown";
  } catch (const TypeError& error) {
    EXPECT_STREQ(error.what(),
                 "program: expected a dtype that a device can hold, got string"
                 "\n  hint: strings stay on the host; decode or look them up "
                 "first");
  }
}

TEST(Emitter, FloatsHaveAPointAndTheirShortestDigits) {
  EXPECT_EQ(splat(DType::float32, 0), "0.0e+00");
  EXPECT_EQ(splat(DType::float32, 1), "1.0e+00");
  EXPECT_EQ(splat(DType::float32, -0.5), "-5.0e-01");
  EXPECT_EQ(splat(DType::float64, 0.1), "1.0e-01");
  EXPECT_EQ(splat(DType::float64, 12345.678), "1.2345678e+04");
  EXPECT_EQ(splat(DType::bfloat16, 0x1p-24), "5.960464477539063e-08");
}

TEST(Emitter, NonFiniteFloatsAreTheirBits) {
  EXPECT_EQ(splat(DType::float32, INFINITY), "0x7F800000");
  EXPECT_EQ(splat(DType::float32, -INFINITY), "0xFF800000");
  EXPECT_EQ(splat(DType::float64, -INFINITY), "0xFFF0000000000000");
  EXPECT_EQ(splat(DType::bfloat16, INFINITY), "0x7F80");
  EXPECT_EQ(splat(DType::float16, INFINITY), "0x7C00");
  EXPECT_EQ(splat(DType::float32, NAN).substr(0, 5), "0x7FC");
}

// MLIR refuses a number that its type can not hold.
TEST(Emitter, FloatsBeyondTheirTypeAreInfinite) {
  EXPECT_EQ(splat(DType::float32, 1e300), "0x7F800000");
  EXPECT_EQ(splat(DType::float16, -1e6), "0xFC00");
  EXPECT_EQ(splat(DType::float64, 1e300), "1.0e+300");
}

TEST(Emitter, ComplexNumbersArePairs) {
  EXPECT_EQ(splat(DType::complex64, -0.5), "(-5.0e-01, 0.0)");
  EXPECT_EQ(splat(DType::complex128, INFINITY), "(0x7FF0000000000000, 0.0)");
}

TEST(Emitter, IntegersKeepEveryDigit) {
  const auto integer = [](DType dtype, int64_t value) {
    Emitter e("main");
    e.splat_integer({dtype, Shape::scalar()}, value);
    const std::string text = body(e);
    const size_t begin = text.find("dense<") + 6;
    return text.substr(begin, text.find('>', begin) - begin);
  };
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(integer(DType::int64, kMost), "9223372036854775807");
  EXPECT_EQ(integer(DType::int64, -kMost - 1), "-9223372036854775808");
  EXPECT_EQ(integer(DType::uint64, -1), "18446744073709551615");
  EXPECT_EQ(integer(DType::float32, 3), "3.0e+00");
  EXPECT_EQ(integer(DType::boolean, 3), "true");
  EXPECT_EQ(splat(DType::boolean, 0), "false");
  EXPECT_EQ(splat(DType::int32, -7), "-7");
}

// A C++ scalar may lie outside the dtype that it takes.
TEST(Emitter, IntegersWrapAroundInTheirType) {
  const auto integer = [](DType dtype, int64_t value) {
    Emitter e("main");
    e.splat_integer({dtype, Shape::scalar()}, value);
    const std::string text = body(e);
    const size_t begin = text.find("dense<") + 6;
    return text.substr(begin, text.find('>', begin) - begin);
  };
  EXPECT_EQ(integer(DType::uint8, -1), "255");
  EXPECT_EQ(integer(DType::uint32, -2), "4294967294");
  EXPECT_EQ(integer(DType::int8, 300), "44");
  EXPECT_EQ(integer(DType::int32, int64_t{1} << 31), "-2147483648");
}

TEST(Emitter, ConstantsAreTheirBytes) {
  Emitter e("main");
  e.constant(Array::from({1.f, -2.f}));
  e.constant(Array::from(std::vector<int16_t>{1, 258}));
  e.constant(Array::from({true, false, true}, {1, 3}));
  e.constant(Array::zeros({0, 2}));
  EXPECT_EQ(
      body(e),
      R"(%0 = "stablehlo.constant"() {value = dense<"0x0000803F000000C0"> : )"
      R"(tensor<2xf32>} : () -> (tensor<2xf32>)
%1 = "stablehlo.constant"() {value = dense<"0x01000201"> : tensor<2xi16>} )"
      R"(: () -> (tensor<2xi16>)
%2 = "stablehlo.constant"() {value = dense<[true, false, true]> : )"
      R"(tensor<3xi1>} : () -> (tensor<3xi1>)
%3 = "stablehlo.reshape"(%2) : (tensor<3xi1>) -> (tensor<1x3xi1>)
%4 = "stablehlo.constant"() {value = dense<[]> : tensor<0xf32>} : () -> )"
      R"((tensor<0xf32>)
%5 = "stablehlo.reshape"(%4) : (tensor<0xf32>) -> (tensor<0x2xf32>)
)");
}

TEST(Emitter, StatementsWithSeveralResultsAreNumbered) {
  Emitter e("main");
  const Value x = e.argument(kPair);
  const TensorSpec specs[] = {kPair, kScalar};
  const auto results = e.statement("optimization_barrier", std::span(&x, 1),
                                   specs, "a = 1 : i32");
  e.binary("add", results[0], results[0]);
  EXPECT_EQ(body(e),
            R"(%1:2 = "stablehlo.optimization_barrier"(%0) {a = 1 : i32} : )"
            R"((tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>)
%2 = "stablehlo.add"(%1#0, %1#0) : (tensor<2xf32>, tensor<2xf32>) -> )"
            R"((tensor<2xf32>)
)");
}

TEST(Emitter, AnUndefinedValueIsAFault) {
  Emitter e("main");
  try {
    e.unary("negate", Value{.spec = kPair});
    FAIL() << "nothing was thrown";
  } catch (const InternalError& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 36),
              "emitter: an undefined value was used");
  }
}

TEST(Emitter, LoopsHaveTheirConditionAndBodyAsRegions) {
  Emitter e("main");
  const TensorSpec index{DType::int32, Shape::scalar()};
  const Value initial[] = {e.splat(index, 0)};
  const auto last = e.while_loop(
      initial,
      [&](std::span<const Value> v) {
        return std::vector{e.compare("LT", v[0], e.splat(index, 5))};
      },
      [&](std::span<const Value> v) {
        return std::vector{e.binary("add", v[0], v[0])};
      });
  ASSERT_EQ(last.size(), 1u);
  EXPECT_EQ(last[0].spec, index);
  EXPECT_EQ(
      body(e),
      R"(%0 = "stablehlo.constant"() {value = dense<0> : tensor<i32>} : () -> )"
      R"((tensor<i32>)
%6 = "stablehlo.while"(%0) ({
^bb0(%1: tensor<i32>):
%2 = "stablehlo.constant"() {value = dense<5> : tensor<i32>} : () -> )"
      R"((tensor<i32>)
%3 = "stablehlo.compare"(%1, %2) {comparison_direction = )"
      R"(#stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) )"
      R"(-> (tensor<i1>)
"stablehlo.return"(%3) : (tensor<i1>) -> ()
}, {
^bb0(%4: tensor<i32>):
%5 = "stablehlo.add"(%4, %4) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
"stablehlo.return"(%5) : (tensor<i32>) -> ()
}) : (tensor<i32>) -> (tensor<i32>)
)");
}

TEST(Emitter, ACollectiveHoldsTheValuesOfOneDtype) {
  Emitter e("main", 2);
  const TensorSpec half{DType::bfloat16, Shape{3}};
  const Value values[] = {e.argument(kPair), e.argument(half),
                          e.argument(kScalar)};
  const auto sums = e.all_reduce(Combine::add, values, 2);
  EXPECT_EQ(sums[0].spec, kPair);
  EXPECT_EQ(sums[1].spec, half);
  EXPECT_EQ(sums[2].spec, kScalar);
  // The first and the third in one collective.
  EXPECT_EQ(sums[0].id, sums[2].id);
  EXPECT_NE(sums[0].id, sums[1].id);
  EXPECT_EQ(body(e),
            R"(%6:2 = "stablehlo.all_reduce"(%0, %2) ({
^bb0(%3: tensor<f32>, %4: tensor<f32>):
%5 = "stablehlo.add"(%3, %4) : (tensor<f32>, tensor<f32>) -> (tensor<f32>)
"stablehlo.return"(%5) : (tensor<f32>) -> ()
}) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>, )"
            R"(tensor<f32>) -> (tensor<2xf32>, tensor<f32>)
%10 = "stablehlo.all_reduce"(%1) ({
^bb0(%7: tensor<bf16>, %8: tensor<bf16>):
%9 = "stablehlo.add"(%7, %8) : (tensor<bf16>, tensor<bf16>) -> (tensor<bf16>)
"stablehlo.return"(%9) : (tensor<bf16>) -> ()
}) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<3xbf16>) )"
            R"(-> (tensor<3xbf16>)
)");
}

TEST(Emitter, CustomCallsAreTypedFfi) {
  Emitter e("main");
  const Value x = e.argument(kPair);
  e.custom_call("systolic_f", std::span(&x, 1), std::span(&kPair, 1),
                "groups = 1 : i64");
  e.custom_call("systolic_g", {}, {}, "");
  EXPECT_EQ(body(e), R"(%1 = "stablehlo.custom_call"(%0) {call_target_name = )"
                     R"("systolic_f", api_version = 4 : i32, backend_config = )"
                     R"({groups = 1 : i64}} : (tensor<2xf32>) -> (tensor<2xf32>)
"stablehlo.custom_call"() {call_target_name = "systolic_g", )"
                     R"(api_version = 4 : i32} : () -> ()
)");
}

TEST(Emitter, RandomBitsAndTheReplicasNumber) {
  Emitter e("main");
  const Value state = e.argument({DType::uint64, Shape{2}});
  const Value bits = e.random_bits(state, {DType::uint32, Shape{8}});
  EXPECT_EQ(bits.index, 1);
  EXPECT_EQ(e.replica_id().spec, (TensorSpec{DType::uint32, Shape::scalar()}));
  EXPECT_EQ(body(e),
            R"(%1:2 = "stablehlo.rng_bit_generator"(%0) {rng_algorithm = )"
            R"(#stablehlo<rng_algorithm PHILOX>} : (tensor<2xui64>) -> )"
            R"((tensor<2xui64>, tensor<8xui32>)
%2 = "stablehlo.replica_id"() : () -> (tensor<ui32>)
)");
}

}  // namespace
}  // namespace systolic::internal::stablehlo
