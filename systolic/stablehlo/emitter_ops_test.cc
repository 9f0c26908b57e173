// The text of every statement that has a method of its own.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "systolic/stablehlo/emitter.h"

namespace systolic::internal::stablehlo {
namespace {

using Sizes = std::vector<int64_t>;

TensorSpec f32(Shape shape) { return {DType::float32, std::move(shape)}; }
TensorSpec i32(Shape shape) { return {DType::int32, std::move(shape)}; }

// A module being written, and what was written since the last look.
class Written {
 public:
  Emitter e{"main"};

  Value argument(const TensorSpec& spec) { return e.argument(spec); }

  // The statements since the last call; %n is the first value of these.
  std::string text() {
    Emitter copy = e;
    copy.finish({});
    const std::string module = copy.module();
    const size_t begin = module.find(") {\n") + 4;
    const std::string all =
        module.substr(begin, module.rfind("return\n") - begin);
    const std::string fresh = all.substr(seen_);
    seen_ = all.size();
    return fresh;
  }

 private:
  size_t seen_ = 0;
};

TEST(EmitterOps, Elementwise) {
  Written w;
  const Value x = w.argument(f32({2})), y = w.argument(f32({2}));
  w.e.unary("tanh", x);
  EXPECT_EQ(w.text(),
            "%2 = \"stablehlo.tanh\"(%0) : (tensor<2xf32>) -> "
            "(tensor<2xf32>)\n");
  w.e.binary("power", x, y);
  EXPECT_EQ(w.text(),
            "%3 = \"stablehlo.power\"(%0, %1) : (tensor<2xf32>, "
            "tensor<2xf32>) -> (tensor<2xf32>)\n");
  const Value less = w.e.compare("LT", x, y);
  EXPECT_EQ(w.text(),
            "%4 = \"stablehlo.compare\"(%0, %1) {comparison_direction = "
            "#stablehlo<comparison_direction LT>} : (tensor<2xf32>, "
            "tensor<2xf32>) -> (tensor<2xi1>)\n");
  w.e.select(less, x, y);
  EXPECT_EQ(w.text(),
            "%5 = \"stablehlo.select\"(%4, %0, %1) : (tensor<2xi1>, "
            "tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>)\n");
}

TEST(EmitterOps, ConversionToBoolAsksForNonzero) {
  Written w;
  const Value x = w.argument(f32({2}));
  EXPECT_EQ(w.e.convert(x, DType::float32).id, x.id);
  EXPECT_EQ(w.text(), "");
  w.e.convert(x, DType::int8);
  EXPECT_EQ(w.text(),
            "%1 = \"stablehlo.convert\"(%0) : (tensor<2xf32>) -> "
            "(tensor<2xi8>)\n");
  EXPECT_EQ(w.e.convert(x, DType::boolean).spec.dtype, DType::boolean);
  EXPECT_EQ(w.text(),
            "%2 = \"stablehlo.constant\"() {value = dense<0.0e+00> : "
            "tensor<2xf32>} : () -> (tensor<2xf32>)\n"
            "%3 = \"stablehlo.compare\"(%0, %2) {comparison_direction = "
            "#stablehlo<comparison_direction NE>} : (tensor<2xf32>, "
            "tensor<2xf32>) -> (tensor<2xi1>)\n");
}

TEST(EmitterOps, Movement) {
  Written w;
  const Value x = w.argument(f32({2, 3}));
  w.e.broadcast(x, {4, 2, 3});
  EXPECT_EQ(w.text(),
            "%1 = \"stablehlo.broadcast_in_dim\"(%0) {broadcast_dimensions = "
            "array<i64: 1, 2>} : (tensor<2x3xf32>) -> (tensor<4x2x3xf32>)\n");
  w.e.reshape(x, {6});
  EXPECT_EQ(w.text(),
            "%2 = \"stablehlo.reshape\"(%0) : (tensor<2x3xf32>) -> "
            "(tensor<6xf32>)\n");
  w.e.transpose(x, Sizes{1, 0});
  EXPECT_EQ(w.text(),
            "%3 = \"stablehlo.transpose\"(%0) {permutation = array<i64: 1, 0>}"
            " : (tensor<2x3xf32>) -> (tensor<3x2xf32>)\n");
  w.e.reverse(x, Sizes{1});
  EXPECT_EQ(w.text(),
            "%4 = \"stablehlo.reverse\"(%0) {dimensions = array<i64: 1>} : "
            "(tensor<2x3xf32>) -> (tensor<2x3xf32>)\n");
  const Value both[] = {x, x};
  w.e.concatenate(both, 1);
  EXPECT_EQ(w.text(),
            "%5 = \"stablehlo.concatenate\"(%0, %0) {dimension = 1 : i64} : "
            "(tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x6xf32>)\n");
  w.e.iota(i32({3}), 0);
  EXPECT_EQ(w.text(),
            "%6 = \"stablehlo.iota\"() {iota_dimension = 0 : i64} : () -> "
            "(tensor<3xi32>)\n");
}

TEST(EmitterOps, NothingIsWrittenForNothing) {
  Written w;
  const Value x = w.argument(f32({2, 3}));
  EXPECT_EQ(w.e.broadcast(x, {2, 3}).id, x.id);
  EXPECT_EQ(w.e.reshape(x, {2, 3}).id, x.id);
  EXPECT_EQ(w.e.transpose(x, Sizes{0, 1}).id, x.id);
  EXPECT_EQ(w.text(), "");
}

TEST(EmitterOps, Slices) {
  Written w;
  const Value x = w.argument(f32({5, 4})),
              at = w.argument(i32(Shape::scalar()));
  w.e.slice(x, Sizes{1, 0}, Sizes{5, 4}, Sizes{3, 2});
  EXPECT_EQ(w.text(),
            "%2 = \"stablehlo.slice\"(%0) {start_indices = array<i64: 1, 0>, "
            "limit_indices = array<i64: 5, 4>, strides = array<i64: 3, 2>} : "
            "(tensor<5x4xf32>) -> (tensor<2x2xf32>)\n");
  const Value starts[] = {at, at};
  const Value block = w.e.dynamic_slice(x, starts, Sizes{1, 4});
  EXPECT_EQ(w.text(),
            "%3 = \"stablehlo.dynamic_slice\"(%0, %1, %1) {slice_sizes = "
            "array<i64: 1, 4>} : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) "
            "-> (tensor<1x4xf32>)\n");
  w.e.dynamic_update_slice(x, block, starts);
  EXPECT_EQ(w.text(),
            "%4 = \"stablehlo.dynamic_update_slice\"(%0, %3, %1, %1) : "
            "(tensor<5x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> "
            "(tensor<5x4xf32>)\n");
}

TEST(EmitterOps, Padding) {
  Written w;
  const Value x = w.argument(f32({3})), zero = w.argument(f32(Shape::scalar()));
  const EdgePadding edges[] = {{2, -1}};
  w.e.pad(x, zero, edges, Sizes{1});
  EXPECT_EQ(w.text(),
            "%2 = \"stablehlo.pad\"(%0, %1) {edge_padding_low = array<i64: 2>,"
            " edge_padding_high = array<i64: -1>, interior_padding = "
            "array<i64: 1>} : (tensor<3xf32>, tensor<f32>) -> "
            "(tensor<6xf32>)\n");
}

TEST(EmitterOps, Reductions) {
  Written w;
  const Value x = w.argument(f32({2, 3}));
  w.e.reduce(Combine::maximum, x, Sizes{1});
  EXPECT_EQ(w.text(),
            "%1 = \"stablehlo.constant\"() {value = dense<0xFF800000> : "
            "tensor<f32>} : () -> (tensor<f32>)\n"
            "%5 = \"stablehlo.reduce\"(%0, %1) ({\n"
            "^bb0(%2: tensor<f32>, %3: tensor<f32>):\n"
            "%4 = \"stablehlo.maximum\"(%2, %3) : (tensor<f32>, tensor<f32>) "
            "-> (tensor<f32>)\n"
            "\"stablehlo.return\"(%4) : (tensor<f32>) -> ()\n"
            "}) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) "
            "-> (tensor<2xf32>)\n");
}

// The first value of a reduction: what changes nothing.
TEST(EmitterOps, NeutralElements) {
  const auto neutral = [](Combine combine, DType dtype) {
    Written w;
    w.e.reduce(combine, w.argument({dtype, Shape{2}}), Sizes{0});
    const std::string text = w.text();
    const size_t begin = text.find("dense<") + 6;
    return text.substr(begin, text.find('>', begin) - begin);
  };
  EXPECT_EQ(neutral(Combine::add, DType::int32), "0");
  EXPECT_EQ(neutral(Combine::multiply, DType::bfloat16), "1.0e+00");
  EXPECT_EQ(neutral(Combine::logical_and, DType::boolean), "true");
  EXPECT_EQ(neutral(Combine::logical_or, DType::boolean), "false");
  EXPECT_EQ(neutral(Combine::maximum, DType::boolean), "false");
  EXPECT_EQ(neutral(Combine::minimum, DType::boolean), "true");
  EXPECT_EQ(neutral(Combine::maximum, DType::int8), "-128");
  EXPECT_EQ(neutral(Combine::minimum, DType::int8), "127");
  EXPECT_EQ(neutral(Combine::minimum, DType::uint16), "65535");
  EXPECT_EQ(neutral(Combine::maximum, DType::uint32), "0");
  EXPECT_EQ(neutral(Combine::minimum, DType::uint64), "18446744073709551615");
  EXPECT_EQ(neutral(Combine::maximum, DType::int64), "-9223372036854775808");
  EXPECT_EQ(neutral(Combine::minimum, DType::float64), "0x7FF0000000000000");
}

TEST(EmitterOps, PositionsOfExtrema) {
  Written w;
  const Value x = w.argument(f32({2, 3}));
  const Value at = w.e.arg_reduce(true, x, 1);
  EXPECT_EQ(at.spec, i32({2}));
  const std::string text = w.text();
  // NaN counts as the largest.
  EXPECT_NE(text.find("comparison_direction NE>} : (tensor<f32>"),
            std::string::npos);
  EXPECT_NE(text.find("}) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, "
                      "tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> "
                      "(tensor<2xf32>, tensor<2xi32>)\n"),
            std::string::npos);
}

TEST(EmitterOps, Windows) {
  Written w;
  const Value x = w.argument(f32({1, 5, 4, 2}));
  const Window window{.size = {1, 2, 2, 1},
                      .strides = {1, 2, 2, 1},
                      .padding = {{0, 0}, {0, 1}, {0, 0}, {0, 0}},
                      .base_dilation = {},
                      .window_dilation = {}};
  const Value y = w.e.reduce_window(Combine::maximum, x, window);
  EXPECT_EQ(y.spec, f32({1, 3, 2, 2}));
  const std::string attributes =
      "{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = "
      "array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], [0, 1], [0, 0], "
      "[0, 0]]> : tensor<4x2xi64>}";
  EXPECT_NE(w.text().find("}) " + attributes +
                          " : (tensor<1x5x4x2xf32>, tensor<f32>) -> "
                          "(tensor<1x3x2x2xf32>)\n"),
            std::string::npos);
  EXPECT_EQ(w.e.select_and_scatter(x, y, window).spec, x.spec);
  const std::string text = w.text();
  EXPECT_NE(text.find("comparison_direction GE"), std::string::npos);
  EXPECT_NE(text.find("}) " + attributes +
                      " : (tensor<1x5x4x2xf32>, tensor<1x3x2x2xf32>, "
                      "tensor<f32>) -> (tensor<1x5x4x2xf32>)\n"),
            std::string::npos);
}

TEST(EmitterOps, Convolution) {
  Written w;
  const Value x = w.argument(f32({1, 6, 6, 4}));
  const Value filter = w.argument(f32({3, 3, 2, 8}));
  const Window window{.size = {},
                      .strides = {1, 2},
                      .padding = {{1, 1}, {0, -1}},
                      .base_dilation = {2, 1},
                      .window_dilation = {1, 2}};
  w.e.convolution(x, filter, window, {1, 11, 1, 8}, 2);
  EXPECT_EQ(
      w.text(),
      "%2 = \"stablehlo.convolution\"(%0, %1) {window_strides = array<i64: 1, "
      "2>, padding = dense<[[1, 1], [0, -1]]> : tensor<2x2xi64>, lhs_dilation "
      "= array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, dimension_numbers "
      "= #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, "
      "feature_group_count = 2 : i64, batch_group_count = 1 : i64} : "
      "(tensor<1x6x6x4xf32>, tensor<3x3x2x8xf32>) -> "
      "(tensor<1x11x1x8xf32>)\n");
}

TEST(EmitterOps, Products) {
  Written w;
  const Value x = w.argument(f32({5, 2, 3})), y = w.argument(f32({5, 4, 3}));
  w.e.dot_general(x, y, Sizes{0}, Sizes{0}, Sizes{2}, Sizes{2}, DType::float32);
  EXPECT_EQ(w.text(),
            "%2 = \"stablehlo.dot_general\"(%0, %1) {dot_dimension_numbers = "
            "#stablehlo.dot<lhs_batching_dimensions = [0], "
            "rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], "
            "rhs_contracting_dimensions = [2]>} : (tensor<5x2x3xf32>, "
            "tensor<5x4x3xf32>) -> (tensor<5x2x4xf32>)\n");
}

TEST(EmitterOps, RowsByPosition) {
  Written w;
  const Value x = w.argument(f32({2, 5, 3})), at = w.argument(i32({4}));
  const Value rows = w.e.take(x, at, 1);
  EXPECT_EQ(
      w.text(),
      "%2 = \"stablehlo.gather\"(%0, %1) {dimension_numbers = "
      "#stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], "
      "start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: "
      "2, 1, 3>, indices_are_sorted = false} : (tensor<2x5x3xf32>, "
      "tensor<4xi32>) -> (tensor<2x4x3xf32>)\n");
  EXPECT_EQ(w.e.scatter_add_rows({2, 5, 3}, at, rows, 1).spec, x.spec);
  EXPECT_NE(w.text().find(
                "}) {scatter_dimension_numbers = "
                "#stablehlo.scatter<update_window_dims = [0, 2], "
                "inserted_window_dims = [1], scatter_dims_to_operand_dims = "
                "[1], index_vector_dim = 1>, indices_are_sorted = false, "
                "unique_indices = false} : (tensor<2x5x3xf32>, tensor<4xi32>, "
                "tensor<2x4x3xf32>) -> (tensor<2x5x3xf32>)\n"),
            std::string::npos);
}

}  // namespace
}  // namespace systolic::internal::stablehlo
