#include "systolic/image/contents.h"

#include <gtest/gtest.h>

#include "systolic/image/test_pictures.h"

namespace systolic::image {
namespace {

// Something that gives an Array, as an element of a data set does.
struct Element {
  operator const Array&() const { return array; }
  Array array;
};

std::string_view bytes(const Contents& contents) { return contents.bytes(); }

TEST(Contents, KeepsWhatItIsMadeOf) {
  EXPECT_EQ(bytes("abc"), "abc");
  EXPECT_EQ(bytes(std::string("abc")), "abc");
  const Element element{Array::scalar("of an element")};
  EXPECT_EQ(bytes(element), "of an element");
  // The Array is gone; its elements are kept.
  const Contents kept(Element{Array::scalar("a temporary")});
  EXPECT_EQ(kept.bytes(), "a temporary");
  EXPECT_EQ(kept.where().line(), __LINE__ - 2);
}

TEST(Contents, RefusesOtherArrays) {
  EXPECT_THROW(Contents{Array()}, TypeError);
  EXPECT_THROW(Contents{Array::scalar(1)}, TypeError);
  EXPECT_THROW(Contents{Array::from_strings({"a", "b"})}, ValueError);
}

}  // namespace
}  // namespace systolic::image
