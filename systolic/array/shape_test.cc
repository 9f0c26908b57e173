#include "systolic/array/shape.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/testing/error_text.h"

namespace systolic {
namespace {

static_assert(std::is_trivially_copyable_v<Shape>);

using internal::text_of;

TEST(ShapeTest, KnowsItsSizes) {
  Shape shape{2, 3, 4};
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape[0], 2);
  EXPECT_EQ(shape[-1], 4);
  EXPECT_EQ(shape.elements(), 24);
  EXPECT_EQ((Shape{2, 0}).elements(), 0);
  std::vector<int64_t> dims(shape.begin(), shape.end());
  EXPECT_EQ(Shape(dims), shape);
  EXPECT_NE(shape, (Shape{2, 3}));
  EXPECT_EQ(Shape::filled(2, 7), (Shape{7, 7}));
}

TEST(ShapeTest, UnsetAndScalarDiffer) {
  Shape unset;
  EXPECT_FALSE(unset.is_set());
  EXPECT_EQ(unset.rank(), 0);
  EXPECT_EQ(unset.elements(), 0);
  EXPECT_TRUE(Shape::scalar().is_set());
  EXPECT_EQ(Shape::scalar().elements(), 1);
  EXPECT_NE(unset, Shape::scalar());
  EXPECT_EQ(unset, Shape());
}

TEST(ShapeTest, Edits) {
  Shape shape{2, 3};
  shape.push_back(5);
  shape.insert(0, 1);
  shape.insert(2, 9);
  EXPECT_EQ(shape, (Shape{1, 2, 9, 3, 5}));
  shape.erase(2);
  shape.erase(-1);
  shape.set(-1, 8);
  EXPECT_EQ(shape, (Shape{1, 2, 8}));
  // What was erased leaves no trace.
  EXPECT_EQ(shape.hash(), (Shape{1, 2, 8}).hash());
}

TEST(ShapeTest, HashesTellShapesApart) {
  EXPECT_EQ((Shape{2, 3}).hash(), (Shape{2, 3}).hash());
  EXPECT_NE((Shape{2, 3}).hash(), (Shape{3, 2}).hash());
  EXPECT_NE((Shape{1}).hash(), (Shape{1, 1}).hash());
  EXPECT_NE(Shape().hash(), Shape::scalar().hash());
}

TEST(ShapeTest, PrintsAsPythonsTuple) {
  EXPECT_EQ((Shape{2, 2}).to_string(), "(2, 2)");
  EXPECT_EQ((Shape{3}).to_string(), "(3,)");
  EXPECT_EQ(Shape::scalar().to_string(), "()");
  EXPECT_EQ((Shape{-1, 10}).to_string(), "(None, 10)");
  std::ostringstream out;
  out << Shape();
  EXPECT_EQ(out.str(), "<unset>");
}

TEST(ShapeTest, Errors) {
  EXPECT_EQ(text_of<OutOfRangeError>([] {
              (Shape{2, 3})[2];
            }),
            "Shape: expected an axis from -2 to 1, got 2\n  shape: (2, 3)");
  EXPECT_EQ(text_of<OutOfRangeError>([] { Shape::scalar()[-1]; }),
            "Shape: there is no axis -1 in ()");
  EXPECT_EQ(text_of<ShapeError>([] {
              (Shape{-1, 3}).elements();
            }),
            "Shape: expected known sizes, got (None, 3)\n"
            "  hint: the number of elements is not known before the data is "
            "there");
  EXPECT_EQ(text_of<ShapeError>([] {
              Shape{2, -3};
            }),
            "Shape: expected sizes of 0 or more, or -1 for unknown, got -3");
  EXPECT_EQ(text_of<ShapeError>([] { Shape::filled(13, 1); }),
            "Shape: expected at most 12 axes, got 13");
  EXPECT_FALSE((Shape{-1, 3}).is_known());
  EXPECT_TRUE((Shape{1, 3}).is_known());
}

TEST(BroadcastTest, FollowsNumpy) {
  EXPECT_EQ(broadcast({2, 3}, {3}), (Shape{2, 3}));
  EXPECT_EQ(broadcast({3}, {2, 1}), (Shape{2, 3}));
  EXPECT_EQ(broadcast({2, 1, 4}, {3, 1}), (Shape{2, 3, 4}));
  EXPECT_EQ(broadcast(Shape::scalar(), {2}), (Shape{2}));
  EXPECT_EQ(broadcast({0}, {1}), (Shape{0}));
  EXPECT_EQ(broadcast({-1, 3}, {1, 3}), (Shape{-1, 3}));
  EXPECT_EQ(broadcast({-1, 3}, {5, 1}), (Shape{5, 3}));
}

TEST(BroadcastTest, NamesTheAxisThatDiffers) {
  EXPECT_EQ(text_of<ShapeError>([] {
              broadcast({2, 3}, {4, 1, 4}, "add");
            }),
            "add: expected shapes that broadcast, got (2, 3) and (4, 1, 4)\n"
            "  hint: axis -1 has sizes 3 and 4; they must be equal, or one of "
            "them 1");
  EXPECT_THROW(broadcast({0}, {2}), ShapeError);
}

}  // namespace
}  // namespace systolic
