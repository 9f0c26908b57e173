#include "systolic/array/manipulation.h"

#include <gtest/gtest.h>

#include <string>

#include "systolic/array/cast.h"
#include "systolic/base/error.h"
#include "systolic/testing/error_text.h"

namespace systolic {
namespace {

using internal::text_of;

Array iota(const Shape& shape) {
  Array out = Array::uninitialized({DType::int32, shape});
  int next = 0;
  for (int& value : out.mutable_span<int>()) value = next++;
  return out;
}

TEST(ManipulationTest, ExpandAndSqueeze) {
  Array x = iota({2, 3});
  EXPECT_EQ(expand_dims(x, -1).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(expand_dims(x, 0).shape(), (Shape{1, 2, 3}));
  EXPECT_EQ(expand_dims(x, 1).data(), x.data());
  Array y = reshape(x, {1, 2, 1, 3});
  EXPECT_EQ(squeeze(y).shape(), (Shape{2, 3}));
  EXPECT_EQ(squeeze(y, 2).shape(), (Shape{1, 2, 3}));
  EXPECT_EQ(squeeze(y, {0, -2}).shape(), (Shape{2, 3}));
  EXPECT_EQ(text_of<ShapeError>([&] { squeeze(y, 1); }),
            "squeeze: expected size 1 in axis 1, got 2\n"
            "  input: int32[1, 2, 1, 3]");
  EXPECT_EQ(text_of<OutOfRangeError>([&] { expand_dims(x, 3); }),
            "expand_dims: expected an axis from -3 to 2 for an input of rank "
            "3, got axis = 3");
}

TEST(ManipulationTest, Transposes) {
  Array x = iota({2, 3});
  EXPECT_EQ(transpose(x).to_string(), "[[0 3]\n [1 4]\n [2 5]]");
  EXPECT_EQ(transpose(x, {0, 1}).data(), x.data());
  Array cube = transpose(iota({2, 3, 4}), {2, 0, 1});
  EXPECT_EQ(cube.shape(), (Shape{4, 2, 3}));
  EXPECT_EQ((cube[{3, 1, 2}].item<int>()), 23);
  EXPECT_EQ((cube[{1, 0, 2}].item<int>()), 9);
  Array words = Array::from_strings({"a", "b", "c", "d"}, {2, 2});
  EXPECT_EQ(transpose(words).to_string(), "[[b'a' b'c']\n [b'b' b'd']]");
  EXPECT_EQ(transpose(cast<double>(x)).to_string(),
            "[[0. 3.]\n [1. 4.]\n [2. 5.]]");
  EXPECT_EQ(transpose(cast<int8_t>(x)).to_string(), "[[0 3]\n [1 4]\n [2 5]]");
  EXPECT_EQ(text_of<ValueError>([&] { transpose(x, 0); }),
            "transpose: expected each of the 2 axes once, got axes = 0\n"
            "  input: int32[2, 3]");
  EXPECT_EQ(text_of<ValueError>([&] {
              transpose(x, {0, 0});
            }),
            "transpose: expected each axis once, got axis = (0, 0)");
}

TEST(ManipulationTest, BroadcastTo) {
  EXPECT_EQ(broadcast_to(iota({3}), {2, 3}).to_string(), "[[0 1 2]\n [0 1 2]]");
  EXPECT_EQ(broadcast_to(iota({2, 1}), {2, 2}).to_string(), "[[0 0]\n [1 1]]");
  EXPECT_EQ(broadcast_to(Array::scalar(7), {2}).to_string(), "[7 7]");
  EXPECT_EQ(text_of<ShapeError>([] {
              broadcast_to(iota({3}), {3, 2});
            }),
            "broadcast_to: expected an input that broadcasts to (3, 2), got "
            "(3,)\n  input: int32[3]");
  EXPECT_THROW(broadcast_to(iota({2, 1}), {2}), ShapeError);
}

TEST(ManipulationTest, NeighboursAreJoinedWithoutACopy) {
  const Array all = Array::from({1, 2, 3, 4, 5, 6}, {3, 2});
  const Array rows = stack({all[0], all[1], all[2]});
  EXPECT_EQ(rows.data(), all.data());
  EXPECT_EQ(rows.to_string(), all.to_string());
  const Array tail =
      concatenate({all.slice({Slice(1, 2)}), all.slice({Slice(2, 3)})});
  EXPECT_EQ(tail.data(), all[1].data());
  EXPECT_EQ(tail.to_string(), "[[3 4]\n [5 6]]");
  // Whoever writes gets elements of its own.
  Array written = rows;
  written.mutable_span<int>()[0] = 9;
  EXPECT_EQ(all[0].to_string(), "[1 2]");

  EXPECT_NE(stack({all[0], all[2]}).data(), all.data());
  EXPECT_EQ(stack({all[1], all[0]}).to_string(), "[[3 4]\n [1 2]]");
  EXPECT_EQ(stack({all[0], all[1]}, 1).to_string(), "[[1 3]\n [2 4]]");
  const std::vector<int> borrowed{1, 2};
  const Array one = Array::view(std::span(borrowed).first(1)),
              two = Array::view(std::span(borrowed).last(1));
  EXPECT_NE(stack({one, two}).data(), one.data());
}

TEST(ManipulationTest, Stacks) {
  Array a = Array::from({1, 2});
  Array b = Array::from({3, 4});
  EXPECT_EQ(stack({a, b}).to_string(), "[[1 2]\n [3 4]]");
  EXPECT_EQ(stack({a, b}, -1).to_string(), "[[1 3]\n [2 4]]");
  EXPECT_EQ(stack(std::vector<Array>(3, a), 1).shape(), (Shape{2, 3}));
  EXPECT_EQ(stack({a, cast<float>(b)}).dtype(), DType::float32);
  EXPECT_EQ(stack({Array::scalar(1), Array::scalar(2)}).to_string(), "[1 2]");
  Array words = stack({Array::scalar("x"), Array::scalar("y")});
  EXPECT_EQ(words.to_string(), "[b'x' b'y']");
  EXPECT_EQ(text_of<ShapeError>([&] {
              stack({a, Array::zeros({3})});
            }),
            "stack: expected arrays of one shape, got (2,) and (3,)\n"
            "  array 0: int32[2]\n  array 1: float32[3]");
  EXPECT_EQ(text_of<ValueError>([] { stack(std::vector<Array>()); }),
            "stack: expected at least one array, got none");
}

TEST(ManipulationTest, Concatenates) {
  Array a = iota({2, 2});
  Array b = iota({1, 2});
  EXPECT_EQ(concatenate({a, b}).to_string(), "[[0 1]\n [2 3]\n [0 1]]");
  EXPECT_EQ(concat({a, iota({2, 1})}, -1).to_string(), "[[0 1 0]\n [2 3 1]]");
  EXPECT_EQ(concat(std::vector<Array>{b, b}).shape(), (Shape{2, 2}));
  EXPECT_EQ(concat({a, iota({0, 2})}).shape(), (Shape{2, 2}));
  EXPECT_EQ(concat({iota({0, 2}), a}).to_string(), "[[0 1]\n [2 3]]");
  EXPECT_EQ(concat({a, Array::full({1, 2}, 0.5)}).dtype(), DType::float32);
  EXPECT_EQ(
      text_of<ShapeError>([&] {
        concat({a, iota({2, 3})}, 0);
      }),
      "concatenate: expected equal sizes in all axes but axis 0, got (2, 2) "
      "and (2, 3)\n  array 0: int32[2, 2]\n  array 1: int32[2, 3]");
  EXPECT_THROW(concat({a, iota({2})}), ShapeError);
  EXPECT_THROW(concat({Array::scalar(1)}), OutOfRangeError);
}

}  // namespace
}  // namespace systolic
