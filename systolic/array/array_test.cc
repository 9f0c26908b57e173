#include "systolic/array/array.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "systolic/array/elementwise.h"
#include "systolic/base/error.h"
#include "systolic/testing/error_text.h"

namespace systolic {
namespace {

template <class T>
std::vector<T> values(const Array& x) {
  std::span<const T> span = x.span<T>();
  return std::vector<T>(span.begin(), span.end());
}

using internal::text_of;

Array iota(const Shape& shape) {
  Array out = Array::uninitialized({DType::int32, shape});
  int next = 0;
  for (int& value : out.mutable_span<int>()) value = next++;
  return out;
}

TEST(ArrayTest, ComesFromVectorsSpansAndLists) {
  std::vector<float> mine{1, 2, 3, 4, 5, 6};
  Array a = Array::from(mine, {2, 3});
  EXPECT_EQ(a.spec(), (TensorSpec{DType::float32, {2, 3}}));
  EXPECT_EQ(values<float>(a), mine);
  Array b = Array::from(std::span(mine), {3, 2});
  EXPECT_EQ(b.shape(), (Shape{3, 2}));
  Array c = Array::from({int64_t{1}, int64_t{2}});
  EXPECT_EQ(c.spec(), (TensorSpec{DType::int64, {2}}));
  Array d = Array::from(std::vector<bool>{true, false});
  EXPECT_EQ(values<bool>(d), (std::vector<bool>{true, false}));
  Array e = Array::from_strings({"a", "b"}, {2, 1});
  EXPECT_EQ(e.spec(), (TensorSpec{DType::string, {2, 1}}));
  EXPECT_EQ((e[{1, 0}].item<std::string>()), "b");
  EXPECT_EQ(values<std::string>(Array::from(std::vector<std::string>{"x"})),
            std::vector<std::string>{"x"});
  mine[0] = 100;
  EXPECT_EQ(a.span<float>()[0], 1.f);
}

TEST(ArrayTest, AViewBorrows) {
  std::vector<float> mine{1, 2};
  Array view = Array::view(std::span(mine));
  EXPECT_EQ(view.data(), reinterpret_cast<std::byte*>(mine.data()));
  mine[0] = 7;
  EXPECT_EQ(view.span<float>()[0], 7.f);
  view.mutable_span<float>()[1] = 9;
  EXPECT_EQ(mine[1], 2.f);
  EXPECT_EQ(values<float>(view), (std::vector<float>{7, 9}));
}

TEST(ArrayTest, FilledAndScalar) {
  EXPECT_EQ(values<float>(Array::zeros({2})), (std::vector<float>{0, 0}));
  EXPECT_EQ(values<int>(Array::ones({2}, DType::int32)),
            (std::vector<int>{1, 1}));
  EXPECT_EQ(values<double>(Array::full({1}, 0.1, DType::float64))[0], 0.1);
  EXPECT_EQ(values<bool>(Array::full({1}, 2, DType::boolean))[0], true);
  EXPECT_EQ(Array::full({}, 2.5, DType::bfloat16).item<float>(), 2.5f);
  EXPECT_EQ(Array::scalar(3).shape(), Shape::scalar());
  EXPECT_EQ(Array::scalar("text").item<std::string>(), "text");
}

TEST(ArrayTest, CopiesShareUntilOneIsWritten) {
  Array a = iota({4});
  Array b = a;
  EXPECT_EQ(a.data(), b.data());
  b.mutable_span<int>()[0] = 9;
  EXPECT_NE(a.data(), b.data());
  EXPECT_EQ(values<int>(a)[0], 0);
  EXPECT_EQ(values<int>(b)[0], 9);
  const std::byte* before = b.data();
  b.mutable_span<int>()[1] = 9;
  EXPECT_EQ(b.data(), before);
  Array s = Array::from_strings({"a"});
  Array t = s;
  t.mutable_span<std::string>()[0] = "b";
  EXPECT_EQ(s.item<std::string>(), "a");
}

TEST(ArrayTest, MoreThanCanBeCountedIsRefused) {
  Shape shape{1 << 14};
  shape.insert(0, int64_t{1} << 51);
  EXPECT_EQ(text_of<ValueError>([&] {
              Array::uninitialized({DType::uint8, shape});
            }),
            "Array: expected elements that fit into memory, got "
            "uint8[2251799813685248, 16384]");
  EXPECT_THROW(Array::uninitialized({DType::string, shape}), ValueError);
  shape.insert(1, 0);
  EXPECT_EQ(Array::zeros(shape).size(), 0);
}

TEST(ArrayTest, WhatWasMovedFromHoldsNothing) {
  Array a = Array::from({1.f, 2.f});
  const std::byte* memory = a.data();
  Array b = std::move(a);
  EXPECT_EQ(b.data(), memory);
  EXPECT_TRUE(b.is_sole_owner());
  // NOLINTBEGIN(bugprone-use-after-move)
  EXPECT_FALSE(a.is_set());
  EXPECT_EQ(a.data(), nullptr);
  EXPECT_EQ(a.size(), 0);
  EXPECT_FALSE(a.is_sole_owner());
  a = std::move(b);
  EXPECT_FALSE(b.is_set());
  // NOLINTEND(bugprone-use-after-move)
  EXPECT_EQ(a.to_string(), "[1. 2.]");
  Array c = a;
  EXPECT_FALSE(a.is_sole_owner());
}

TEST(ArrayTest, SharesForeignMemoryAndKeepsItAlive) {
  auto owner = std::make_shared<std::vector<int>>(std::vector<int>{1, 2, 3});
  std::weak_ptr<std::vector<int>> watch = owner;
  Array a = Array::share({DType::int32, {3}}, owner->data(), owner);
  owner.reset();
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(values<int>(a), (std::vector<int>{1, 2, 3}));
  a.mutable_span<int>()[0] = 5;
  EXPECT_TRUE(watch.expired());
  EXPECT_EQ(values<int>(a), (std::vector<int>{5, 2, 3}));
}

TEST(ArrayTest, BytesRoundTripAndAreAligned) {
  Array a = iota({3});
  Array b = Array::from_bytes(a.spec(), {a.data(), a.nbytes()});
  EXPECT_EQ(values<int>(b), values<int>(a));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(b.data()) % 64, 0u);
  EXPECT_EQ(a.nbytes(), 12u);
  EXPECT_EQ(text_of<ShapeError>([&] {
              Array::from_bytes({DType::int32, {4}}, {a.data(), 12});
            }),
            "Array::from_bytes: expected 16 bytes for int32[4], got 12");
}

TEST(ArrayTest, ItemConverts) {
  EXPECT_EQ(Array::scalar(2.75f).item<double>(), 2.75);
  EXPECT_EQ(Array::scalar(-2.75f).item<int>(), -2);
  EXPECT_EQ(Array::scalar(uint64_t{1} << 63).item<uint64_t>(),
            uint64_t{1} << 63);
  EXPECT_EQ(Array::scalar((int64_t{1} << 60) + 1).item<int64_t>(),
            (int64_t{1} << 60) + 1);
  EXPECT_TRUE(Array::scalar(0.5f).item<bool>());
  EXPECT_EQ(Array::scalar(bfloat16(1.5f)).item<float>(), 1.5f);
  EXPECT_EQ(Array::scalar(1.5).item<float16>(), float16(1.5f));
  EXPECT_EQ(Array::full({1, 1}, 4).numpy().item<int>(), 4);
}

TEST(ArrayTest, ItemIsNoOtherNumber) {
  EXPECT_EQ(Array::scalar(-1e3).item<int16_t>(), -1000);
  EXPECT_EQ(Array::scalar(-0.5).item<uint8_t>(), 0);
  EXPECT_EQ(Array::scalar(255.9f).item<uint8_t>(), 255);
  EXPECT_EQ(Array::scalar(true).item<int>(), 1);
  EXPECT_EQ(Array::scalar(-0x1p63).item<int64_t>(),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(Array::scalar(0x1.8p63).item<uint64_t>(), uint64_t{3} << 62);
  EXPECT_THROW(Array::scalar(256.f).item<uint8_t>(), ValueError);
  EXPECT_THROW(Array::scalar(-1.f).item<uint8_t>(), ValueError);
  EXPECT_THROW(Array::scalar(-1).item<uint64_t>(), ValueError);
  EXPECT_THROW(Array::scalar(uint64_t{1} << 63).item<int64_t>(), ValueError);
  EXPECT_THROW(Array::scalar(0x1p63).item<int64_t>(), ValueError);
  EXPECT_THROW(Array::scalar(0x1p64).item<uint64_t>(), ValueError);
  EXPECT_THROW(Array::scalar(std::nan("")).item<int>(), ValueError);
  EXPECT_EQ(text_of<ValueError>(
                [] { Array::scalar(int64_t{3'000'000'000}).item<int>(); }),
            "Array::item: expected a number that int32 has, from -2147483648 "
            "to 2147483647, got 3000000000, of int64\n"
            "  hint: read it as int64_t");
}

struct SliceCase {
  std::vector<Index> index;
  std::vector<int64_t> shape;
  std::vector<int> values;
};

// What NumPy gives for np.arange(24).reshape(2, 3, 4)[index].
const std::vector<SliceCase>& recorded_slices() {
  static const std::vector<SliceCase> cases{
      {{1}, {3, 4}, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
      {{-1, -1, -1}, {}, {23}},
      {{all, 1}, {2, 4}, {4, 5, 6, 7, 16, 17, 18, 19}},
      {{Slice(0, 1)}, {1, 3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
      {{ellipsis, 0}, {2, 3}, {0, 4, 8, 12, 16, 20}},
      {{0, ellipsis}, {3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
      {{all, newaxis, 0}, {2, 1, 4}, {0, 1, 2, 3, 12, 13, 14, 15}},
      {{newaxis, ellipsis, newaxis},
       {1, 2, 3, 4, 1},
       {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
        12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
      {{all, Slice({}, {}, -1)}, {2, 3, 4}, {8,  9,  10, 11, 4,  5,  6,  7,
                                             0,  1,  2,  3,  20, 21, 22, 23,
                                             16, 17, 18, 19, 12, 13, 14, 15}},
      {{all, all, Slice({}, {}, 2)},
       {2, 3, 2},
       {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22}},
      {{1, Slice({}, {}, -2), Slice(-3, -1)}, {2, 2}, {21, 22, 13, 14}},
      {{all, Slice(5, {})}, {2, 0, 4}, {}},
      {{all, Slice(-100, 100)}, {2, 3, 4}, {0,  1,  2,  3,  4,  5,  6,  7,
                                            8,  9,  10, 11, 12, 13, 14, 15,
                                            16, 17, 18, 19, 20, 21, 22, 23}},
      {{0, Slice(2, 0, -1), all}, {2, 4}, {8, 9, 10, 11, 4, 5, 6, 7}},
      {{0, 0, Slice({}, 1, -2)}, {1}, {3}},
      {{ellipsis}, {2, 3, 4}, {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                               12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
      {{}, {2, 3, 4}, {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                       12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
      {{Slice(1, {}), 2, Slice(3, 0, -3)}, {1, 1}, {23}},
  };
  return cases;
}

TEST(ArrayTest, SlicesAsNumpy) {
  Array x = iota({2, 3, 4});
  for (const SliceCase& c : recorded_slices()) {
    Array part = x.slice(std::span<const Index>(c.index));
    EXPECT_EQ(part.shape(), Shape(c.shape));
    EXPECT_EQ(values<int>(part), c.values);
  }
  EXPECT_EQ(values<int>(x[{1, 2, 3}]), std::vector<int>{23});
  EXPECT_EQ(values<int>(x[1][0][Slice(2)]), (std::vector<int>{12, 13}));
}

TEST(ArrayTest, AdjacentSlicesShareTheElements) {
  Array x = iota({4, 3});
  EXPECT_EQ(x[2].data(), x.data() + 6 * sizeof(int));
  EXPECT_EQ(x[{Slice(1, 3)}].data(), x.data() + 3 * sizeof(int));
  EXPECT_EQ((x[{1, Slice(0, 2)}].data()), x.data() + 3 * sizeof(int));
  EXPECT_EQ(values<int>(x[{all, 1}]), (std::vector<int>{1, 4, 7, 10}));
  Array row = x[2];
  row.mutable_span<int>()[0] = 99;
  EXPECT_EQ((x[{2, 0}].item<int>()), 6);
  Array strings = Array::from_strings({"a", "b", "c", "d"}, {2, 2});
  EXPECT_EQ((values<std::string>(strings[{all, 1}])),
            (std::vector<std::string>{"b", "d"}));
}

TEST(ArrayTest, Reshapes) {
  Array x = iota({2, 6});
  EXPECT_EQ(x.reshaped({3, -1}).shape(), (Shape{3, 4}));
  EXPECT_EQ(x.reshaped({12}).data(), x.data());
  EXPECT_EQ(iota({0, 3}).reshaped({3, 0}).shape(), (Shape{3, 0}));
  EXPECT_EQ(text_of<ShapeError>([&] {
              x.reshaped({5, -1});
            }),
            "reshape: expected a shape of 12 elements, got (5, None)\n"
            "  input: int32[2, 6]");
  EXPECT_EQ(text_of<ShapeError>([&] {
              x.reshaped({-1, -1});
            }),
            "reshape: expected at most one size of -1, got (None, None)\n"
            "  input: int32[2, 6]");
}

TEST(ArrayTest, Errors) {
  EXPECT_EQ(text_of<ShapeError>([] {
              Array::from({1, 2, 3}, {2, 2});
            }),
            "Array: expected 4 elements for shape (2, 2), got 3");
  EXPECT_EQ(text_of<TypeError>([] { iota({2}).span<float>(); }),
            "Array::span: expected int32 elements, as the array holds, got "
            "span of float32\n  array: int32[2]\n"
            "  hint: read it as its own type, or cast it first");
  EXPECT_EQ(text_of<ValueError>([] {
              iota({2, 2}).item<int>();
            }),
            "Array::item: expected an array of one element, got 4\n"
            "  array: int32[2, 2]\n"
            "  hint: index it first, for example x[{0, 0}].item<float>()");
  const auto line = SourceLocation::current().line() + 1;
  const std::string outside = text_of<OutOfRangeError>([] { iota({2, 2})[2]; });
  EXPECT_EQ(outside,
            "Array::slice: expected an index from -2 to 1 for axis 0 of size "
            "2, got 2\n  shape: (2, 2)\n  at: array_test.cc:" +
                std::to_string(line));
  EXPECT_EQ(text_of<ValueError>([] { Array().item<int>(); }),
            "Array::item: expected an array, got an Array that nothing was "
            "assigned to");
  EXPECT_THROW(Array::scalar("x").item<float>(), TypeError);
  EXPECT_THROW(Array::scalar(1).item<std::string>(), TypeError);
  EXPECT_FALSE(Array().is_set());
}

TEST(ArrayTest, ManyThreadsMayRead) {
  Array x = iota({1000});
  std::vector<std::thread> threads;
  std::vector<int64_t> totals(4);
  for (int64_t& total : totals) {
    threads.emplace_back([&x, &total] {
      for (int i = 0; i < 200; ++i) {
        Array copy = x;
        total += copy[i].item<int>() + (copy + 1)[i].item<int>();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int64_t total : totals) EXPECT_EQ(total, 2 * (199 * 200 / 2) + 200);
}

}  // namespace
}  // namespace systolic
