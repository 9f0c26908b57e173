#include "systolic/stablehlo/work.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "systolic/stablehlo/convolution_gradient.h"
#include "systolic/stablehlo/emitter.h"

namespace systolic::internal::stablehlo {
namespace {

TensorSpec f32(Shape shape) { return {DType::float32, std::move(shape)}; }
const TensorSpec kIndex{DType::int32, Shape::scalar()};

Work work_in(Emitter& e, std::vector<Value> results) {
  e.finish(results);
  return work_of(e.module());
}

Value product(Emitter& e, const Value& x, const Value& y) {
  const int64_t one[] = {1}, zero[] = {0};
  return e.dot_general(x, y, {}, {}, one, zero, DType::float32);
}

// A loop over x * x that turns while its counter is below `limit`.
Value loop(Emitter& e, const Value& x, const Value& limit, int64_t step = 1) {
  const std::vector<Value> initial{e.splat_integer(kIndex, 0), x};
  return e.while_loop(
      initial,
      [&](auto now) {
        return std::vector<Value>{e.compare("LT", now[0], limit)};
      },
      [&](auto now) {
        const Value next =
            e.binary("add", now[0], e.splat_integer(kIndex, step));
        return std::vector<Value>{next, product(e, now[1], now[1])};
      })[1];
}

std::optional<int64_t> unknown(int) { return std::nullopt; }

TEST(Work, OfAProductIsTwoForEachMultiplication) {
  Emitter e("main");
  const Value x = e.argument(f32({8, 16})), y = e.argument(f32({16, 32}));
  const Work work = work_in(e, {product(e, x, y)});
  EXPECT_EQ(work.amount.flops, 2 * 8 * 16 * 32);
  EXPECT_TRUE(work.loops.empty());
  EXPECT_FALSE(work.is_least);
}

TEST(Work, OfABatchOfProducts) {
  Emitter e("main");
  const Value x = e.argument(f32({5, 16, 8})), y = e.argument(f32({5, 4, 16}));
  const int64_t zero[] = {0}, one[] = {1}, two[] = {2};
  const Value z = e.dot_general(x, y, zero, zero, one, two, DType::float32);
  EXPECT_EQ(work_in(e, {z}).amount.flops, 2 * 5 * 8 * 16 * 4);
}

TEST(Work, OfElementwiseOperationsIsNone) {
  Emitter e("main");
  const Value x = e.argument(f32({8}));
  EXPECT_TRUE(work_in(e, {e.binary("add", x, x)}).is_empty());
}

Window window(std::vector<int64_t> size, std::vector<int64_t> strides,
              std::vector<EdgePadding> padding) {
  return {.size = std::move(size),
          .strides = std::move(strides),
          .padding = std::move(padding),
          .base_dilation = {},
          .window_dilation = {}};
}

TEST(Work, OfAConvolutionLeavesPaddingOut) {
  Emitter e("main");
  const Value x = e.argument(f32({2, 4, 5, 3}));
  const Value w = e.argument(f32({3, 3, 3, 7}));
  const Value y = e.convolution(x, w, window({3, 3}, {1, 1}, {{1, 1}, {0, 0}}),
                                Shape{2, 4, 3, 7});
  // Along the first axis: 4 outputs of 3, less one at either end.
  EXPECT_EQ(work_in(e, {y}).amount.flops, 2.0 * 2 * 3 * 7 * (12 - 2) * 9);
}

TEST(Work, OfGroupsIsThatOfTheirFilters) {
  Emitter e("main");
  const Value x = e.argument(f32({1, 4, 4, 8}));
  const Value w = e.argument(f32({1, 1, 2, 12}));
  const Value y = e.convolution(x, w, window({1, 1}, {1, 1}, {{0, 0}, {0, 0}}),
                                Shape{1, 4, 4, 12}, 4);
  EXPECT_EQ(work_in(e, {y}).amount.flops, 2.0 * 16 * 2 * 12);
}

// Both gradients do the multiplications of the convolution itself.
TEST(Work, OfAConvolutionsGradientsIsThatOfTheConvolution) {
  const Shape x{2, 8, 8, 3}, w{3, 3, 3, 4}, y{2, 3, 3, 4};
  const Convolution problem{.input = x,
                            .filter = w,
                            .strides = {2, 2},
                            .dilation = {1, 1},
                            .low = {0, 0},
                            .groups = 1};
  const double forward = 2.0 * 2 * 3 * 4 * 81;
  {
    Emitter e("main");
    const Value dy = e.argument(f32(y)), filter = e.argument(f32(w));
    const Value dx = convolution_input_gradient(e, problem, dy, filter);
    EXPECT_EQ(work_in(e, {dx}).amount.flops, forward);
  }
  Emitter e("main");
  const Value dy = e.argument(f32(y)), input = e.argument(f32(x));
  const Value dw = convolution_filter_gradient(e, problem, dy, input);
  EXPECT_EQ(work_in(e, {dw}).amount.flops, forward);
}

TEST(Work, OfKernelsIsThatOfWhatTheyReplace) {
  const std::string window_text =
      "strides = array<i64: 2, 2>, padding_low = array<i64: 0, 0>, "
      "padding_high = array<i64: 0, 0>, dilation = array<i64: 1, 1>";
  const double forward = 2.0 * 2 * 3 * 4 * 81;
  const TensorSpec x = f32({2, 8, 8, 3}), w = f32({3, 3, 3, 4});
  const TensorSpec y = f32({2, 3, 3, 4});
  const auto flops =
      [](std::string_view target, std::vector<TensorSpec> operands,
         std::vector<TensorSpec> results, const std::string& attributes) {
        Emitter e("main");
        std::vector<Value> values;
        for (const TensorSpec& spec : operands)
          values.push_back(e.argument(spec));
        return work_in(e, e.custom_call(target, values, results, attributes))
            .amount.flops;
      };
  EXPECT_EQ(flops("systolic_conv2d_forward", {x, w}, {y}, window_text),
            forward);
  const std::string_view gradient = "systolic_conv2d_gradient";
  EXPECT_EQ(flops(gradient, {y, x, w}, {x, w},
                  window_text + ", input = true, filter = true"),
            2 * forward);
  EXPECT_EQ(flops(gradient, {y, w}, {x}, window_text + ", input = true"),
            forward);
  EXPECT_EQ(flops(gradient, {y, x}, {w}, window_text + ", filter = true"),
            forward);
  EXPECT_EQ(flops("systolic_matmul", {f32({5, 16, 8}), f32({5, 16, 4})},
                  {f32({5, 8, 4})}, "transpose_x = true"),
            2 * 5 * 16 * 8 * 4);
  EXPECT_EQ(flops("another_kernel", {x, w}, {y}, "a = 1 : i64"), 0);
}

TEST(Work, OfALoopOfKnownLengthIsThatOfAllTurns) {
  Emitter e("main");
  const Value x = e.argument(f32({4, 4}));
  const Work work = work_in(e, {loop(e, x, e.splat_integer(kIndex, 50))});
  EXPECT_EQ(work.amount.flops, 50 * 128);
  EXPECT_EQ(work.flops_once, 128);
  EXPECT_FALSE(work.is_least);
}

TEST(Work, OfALoopOverAnArgumentIsKnownAtTheLaunch) {
  Emitter e("main");
  const Value x = e.argument(f32({4, 4})), turns = e.argument(kIndex);
  const Work work = work_in(e, {loop(e, x, turns)});
  EXPECT_EQ(work.amount.flops, 0);
  ASSERT_EQ(work.loops.size(), 1u);
  EXPECT_EQ(work.loops[0].argument, 1);
  const auto seven = [](int argument) -> std::optional<int64_t> {
    return argument == 1 ? 7 : 0;
  };
  EXPECT_EQ(work.total(seven).flops, 7 * 128);
  EXPECT_EQ(work.total(unknown).flops, 128);
}

TEST(Work, OfLoopsInLoopsIsMultiplied) {
  Emitter e("main");
  const Value x = e.argument(f32({4, 4})), turns = e.argument(kIndex);
  const std::vector<Value> initial{e.splat_integer(kIndex, 0), x};
  const Value y = e.while_loop(
      initial,
      [&](auto now) {
        return std::vector<Value>{e.compare("LT", now[0], turns)};
      },
      [&](auto now) {
        const Value next = e.binary("add", now[0], e.splat_integer(kIndex, 1));
        return std::vector<Value>{next,
                                  loop(e, now[1], e.splat_integer(kIndex, 3))};
      })[1];
  const Work work = work_in(e, {y});
  EXPECT_EQ(work.total([](int) { return 5; }).flops, 15 * 128);
  EXPECT_EQ(work.flops_once, 128);
}

// The compiler's own loops, and those of a user's condition.
TEST(Work, OfALoopThatOnlyTheDeviceEndsIsOneTurn) {
  Emitter e("main");
  const Value x = e.argument(f32({4, 4}));
  const Value limit = e.reduce(Combine::add, e.convert(x, DType::int32),
                               std::vector<int64_t>{0, 1});
  const Work work = work_in(e, {loop(e, x, limit)});
  EXPECT_EQ(work.amount.flops, 128);
  EXPECT_TRUE(work.is_least);
  Emitter twos("main");
  const Value y = twos.argument(f32({4, 4}));
  EXPECT_TRUE(work_in(twos, {loop(twos, y, twos.splat_integer(kIndex, 50), 2)})
                  .is_least);
}

TEST(Work, OfBranchesIsThatOfTheLargest) {
  Emitter e("main");
  const Value x = e.argument(f32({4, 4}));
  const Value which = e.argument({DType::boolean, Shape::scalar()});
  const Emitter::RegionBuilder branches[] = {
      [&](auto) { return std::vector<Value>{x}; },
      [&](auto) {
        return std::vector<Value>{product(e, product(e, x, x), x)};
      }};
  const TensorSpec results[] = {x.spec};
  EXPECT_EQ(work_in(e, e.choose(which, branches, results)).amount.flops,
            2 * 128);
}

TEST(Work, OfCollectivesIsTheBytesTheyTake) {
  Emitter e("main", 8);
  const Value x = e.argument(f32({4, 4}));
  const Value y = e.argument({DType::bfloat16, Shape{10}});
  const Value values[] = {x, y};
  const Work work = work_in(e, e.all_reduce(Combine::add, values, 8));
  EXPECT_EQ(work.amount.exchanged_bytes, 64 + 20);
}

TEST(Work, OfWhatIsNoModuleIsNone) {
  for (const char* text : {"", "}", "})", "}, {", "^bb0(", "\"stablehlo.\"(",
                           "%1 = ", "%1 = \"stablehlo.while\"(%0) ({",
                           "%1 = \"stablehlo.dot_general\"(%0, %0)", "})\n})\n",
                           "\"stablehlo.return\"(%0)"}) {
    EXPECT_TRUE(work_of(text).is_empty()) << text;
  }
}

}  // namespace
}  // namespace systolic::internal::stablehlo
