#include "systolic/layers/class_text.h"

#include <gtest/gtest.h>

namespace systolic::internal {
namespace {

struct Residual {};
template <class T>
struct Wrapped {
  struct Inner {};
};

TEST(ClassText, IsTheNameWithoutItsSurroundings) {
  struct Local {};
  EXPECT_EQ(class_text(typeid(Residual)), "Residual");
  EXPECT_EQ(class_text(typeid(Wrapped<std::string>)), "Wrapped");
  EXPECT_EQ(class_text(typeid(Wrapped<Residual>::Inner)), "Inner");
  EXPECT_EQ(class_text(typeid(Local)), "Local");
}

TEST(ClassText, ReadsWrittenNames) {
  EXPECT_EQ(last_name("Dense"), "Dense");
  EXPECT_EQ(last_name("a::(anonymous namespace)::B<c::d>"), "B");
  EXPECT_EQ(last_name("f(int)::{lambda()#1}::operator()() const::Own"), "Own");
}

}  // namespace
}  // namespace systolic::internal
