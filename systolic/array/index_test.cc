#include "systolic/array/index.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/testing/error_text.h"

namespace systolic {
namespace {

ResolvedIndices resolve(const Shape& shape, Indices indices) {
  return resolve_indices(shape, std::span(indices.begin(), indices.size()));
}

// The text without its last line, which names this file.
template <class E>
std::string text_of(const Shape& shape, Indices indices) {
  const std::string text =
      internal::text_of<E>([&] { resolve(shape, indices); });
  const size_t place = text.rfind("\n  at: index_test.cc:");
  return place == std::string::npos ? "without its line: " + text
                                    : text.substr(0, place);
}

TEST(IndexTest, ResolvesStartsStepsAndShapes) {
  ResolvedIndices out =
      resolve({5, 6, 7}, {-1, newaxis, Slice({}, {}, -2), Slice(1, 4)});
  EXPECT_EQ(out.starts[0], 4);
  EXPECT_EQ(out.starts[1], 5);
  EXPECT_EQ(out.steps[1], -2);
  EXPECT_EQ(out.starts[2], 1);
  EXPECT_EQ(out.steps[2], 1);
  EXPECT_EQ(out.sliced, (Shape{1, 3, 3}));
  EXPECT_EQ(out.result, (Shape{1, 3, 3}));
}

TEST(IndexTest, EllipsisTakesWhatIsMissing) {
  EXPECT_EQ(resolve({2, 3, 4}, {ellipsis, 0}).result, (Shape{2, 3}));
  EXPECT_EQ(resolve({2, 3}, {0, ellipsis, 0}).result, Shape::scalar());
  EXPECT_EQ(resolve({2, 3}, {newaxis}).result, (Shape{1, 2, 3}));
  EXPECT_EQ(resolve({2, 3}, {all, all, newaxis}).result, (Shape{2, 3, 1}));
}

// Python's range(*slice(start, stop, step).indices(5)).
TEST(IndexTest, SlicesClipAsInPython) {
  struct Row {
    Slice slice;
    int64_t start, count;
  };
  const Row rows[] = {
      {Slice(), 0, 5},           {Slice(2), 0, 2},
      {Slice(-2, {}), 3, 2},     {Slice(1, -1), 1, 3},
      {Slice(3, 1), 0, 0},       {Slice(-9, 9), 0, 5},
      {Slice({}, {}, 2), 0, 3},  {Slice({}, {}, -1), 4, 5},
      {Slice(9, {}, -2), 4, 3},  {Slice(3, 0, -1), 3, 3},
      {Slice({}, 2, -1), 4, 2},  {Slice(0, {}, -1), 0, 1},
      {Slice(-9, {}, -1), 0, 0}, {Slice(1, 4, 100), 1, 1},
  };
  for (const Row& row : rows) {
    ResolvedIndices out = resolve({5}, {row.slice});
    EXPECT_EQ(out.starts[0], row.start) << Index(row.slice).to_string();
    EXPECT_EQ(out.sliced, (Shape{row.count})) << Index(row.slice).to_string();
  }
}

TEST(IndexTest, PrintsAsPython) {
  EXPECT_EQ(Index(3).to_string(), "3");
  EXPECT_EQ(Index(all).to_string(), ":");
  EXPECT_EQ(Index(Slice(1, {})).to_string(), "1:");
  EXPECT_EQ(Index(Slice({}, 4, -1)).to_string(), ":4:-1");
  EXPECT_EQ(Index(ellipsis).to_string(), "...");
  EXPECT_EQ(Index(newaxis).to_string(), "None");
}

TEST(IndexTest, Errors) {
  EXPECT_EQ(text_of<OutOfRangeError>({2, 3}, {0, 3}),
            "index: expected an index from -3 to 2 for axis 1 of size 3, got "
            "3\n  shape: (2, 3)");
  EXPECT_EQ(text_of<OutOfRangeError>({2, 3}, {-3}),
            "index: expected an index from -2 to 1 for axis 0 of size 2, got "
            "-3\n  shape: (2, 3)");
  EXPECT_EQ(text_of<OutOfRangeError>({0}, {0}),
            "index: axis 0 has no elements to index with 0\n  shape: (0,)");
  EXPECT_EQ(text_of<ValueError>({2, 3}, {0, all, Slice(1, 2)}),
            "index: expected at most 2 indices for shape (2, 3), got 3 in "
            "[0, :, 1:2]");
  EXPECT_EQ(text_of<ValueError>({2, 3}, {ellipsis, ellipsis}),
            "index: expected at most one ellipsis, got [..., ...]");
  EXPECT_EQ(text_of<ValueError>({2, 3}, {Slice({}, {}, 0)}),
            "index: expected a slice step other than 0, got ::0");
}

}  // namespace
}  // namespace systolic
