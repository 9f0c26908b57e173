// The text of an exception, for tests that compare it.
//   EXPECT_EQ(text_of<ShapeError>([&] { matmul(a, b); }), "matmul: ...");
#pragma once

#include <string>

namespace systolic::internal {

// What `f` throws as an E says; another text where it throws nothing. Other
// exceptions pass through.
template <class E, class F>
std::string text_of(F f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace systolic::internal
