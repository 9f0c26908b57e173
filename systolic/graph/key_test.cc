#include "systolic/graph/key.h"

#include <gtest/gtest.h>

namespace systolic::internal::graph {
namespace {

template <class... T>
std::vector<uint64_t> words_of(const T&... values) {
  std::vector<uint64_t> words;
  KeyWriter writer(words);
  (writer("field", values), ...);
  return words;
}

enum class Colour : uint8_t { red, green };

TEST(KeyTest, EqualValuesGiveEqualWords) {
  EXPECT_EQ(words_of(3, true, 2.5, Shape{1, 2}, std::string("same")),
            words_of(3, true, 2.5, Shape{1, 2}, std::string("same")));
}

TEST(KeyTest, OtherValuesGiveOtherWords) {
  EXPECT_NE(words_of(3), words_of(4));
  EXPECT_NE(words_of(int64_t{1} << 40), words_of(int64_t{1} << 41));
  EXPECT_NE(words_of(0.0), words_of(-0.0));
  EXPECT_NE(words_of(Colour::red), words_of(Colour::green));
  EXPECT_NE(words_of(std::string("same")), words_of(std::string("valid")));
  EXPECT_NE(words_of(Shape{2, 3}), words_of(Shape{3, 2}));
  EXPECT_NE(words_of(Shape()), words_of(Shape::scalar()));
  EXPECT_NE(words_of(TensorSpec{DType::int32, Shape{2}}),
            words_of(TensorSpec{DType::float32, Shape{2}}));
  EXPECT_NE(words_of(std::optional<int>()), words_of(std::optional<int>(0)));
}

// Fields of unknown length say how long they are: what one of them lacks can
// not come from the next.
TEST(KeyTest, FieldsDoNotRunIntoEachOther) {
  const std::vector<int64_t> none, one{1}, two{1, 2}, second{2};
  EXPECT_NE(words_of(one, second), words_of(two, none));
  EXPECT_NE(words_of(Shape{1}, Shape{2}), words_of(Shape{1, 2}, Shape()));
  EXPECT_NE(words_of(std::string("a"), std::string("b")),
            words_of(std::string("ab"), std::string()));
}

}  // namespace
}  // namespace systolic::internal::graph
