#include "systolic/base/rethrow.h"

#include <gtest/gtest.h>

#include <exception>
#include <stdexcept>
#include <string>

#include "systolic/base/error.h"
#include "systolic/base/test_place.h"

namespace systolic::internal {
namespace {

struct UsersError : DataError {
  using DataError::DataError;
};

// The text of `error`, caught as a T, after it has got a line.
template <class T, class E>
std::string with_line(const E& error) {
  try {
    try {
      throw error;
    } catch (...) {
      rethrow_with("  in: fit");
    }
  } catch (const T& caught) {
    return caught.what();
  }
}

TEST(RethrowTest, ClassStaysAndTheTextGrows) {
  EXPECT_EQ(with_line<ShapeError>(ShapeError("a")), "a\n  in: fit");
  EXPECT_EQ(with_line<ValueError>(ValueError("a")), "a\n  in: fit");
  EXPECT_EQ(with_line<DataError>(DataError("a")), "a\n  in: fit");
  EXPECT_EQ(with_line<Error>(Error("a")), "a\n  in: fit");
}

TEST(RethrowTest, PlaceOfACallIsAdded) {
  const SourceLocation here = SourceLocation::current();
  std::string text;
  try {
    called_at(here, []() -> int { throw ValueError("a"); });
  } catch (const ValueError& error) {
    text = error.what();
  }
  EXPECT_EQ(text, "a\n  at: rethrow_test.cc:" + std::to_string(here.line()));
  EXPECT_EQ(called_at(here, [] { return 3; }), 3);
}

TEST(RethrowTest, PlaceInTheLibraryIsNot) {
  EXPECT_THROW(
      {
        try {
          called_at(place_in_the_library(), [] { throw ValueError("a"); });
        } catch (const ValueError& error) {
          EXPECT_STREQ(error.what(), "a");
          throw;
        }
      },
      ValueError);
}

TEST(RethrowTest, PlatformErrorKeepsItsCall) {
  try {
    try {
      throw PlatformError("a", "PJRT_Call", 3);
    } catch (...) {
      rethrow_with("  in: fit");
    }
  } catch (const PlatformError& error) {
    EXPECT_EQ(error.call(), "PJRT_Call");
    EXPECT_EQ(error.code(), 3);
    EXPECT_STREQ(error.what(), "a\n  in: fit");
  }
}

TEST(RethrowTest, WhatIsNotOursIsAsItWas) {
  EXPECT_EQ(with_line<std::runtime_error>(std::runtime_error("a")), "a");
  EXPECT_EQ(with_line<UsersError>(UsersError("a")), "a");
}

TEST(RethrowTest, OneWithAnotherNestedInItGetsItsLineToo) {
  try {
    try {
      try {
        throw std::runtime_error("first");
      } catch (...) {
        std::throw_with_nested(DataError("a"));
      }
    } catch (...) {
      rethrow_with("  in: fit");
    }
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "a\n  in: fit");
  }
}

TEST(RethrowTest, StepsAreOneOrARange) {
  EXPECT_EQ(steps_text(3, 3), ", step 3");
  EXPECT_EQ(steps_text(3, 5), ", steps 3 to 5");
}

TEST(RethrowTest, OriginalIsNested) {
  try {
    try {
      throw ValueError("a");
    } catch (...) {
      rethrow_with("  in: fit");
    }
  } catch (const ValueError& error) {
    EXPECT_THROW(
        try { std::rethrow_if_nested(error); } catch (const ValueError& inner) {
          EXPECT_STREQ(inner.what(), "a");
          throw;
        },
        ValueError);
  }
}

}  // namespace
}  // namespace systolic::internal
