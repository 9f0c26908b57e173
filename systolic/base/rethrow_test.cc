#include "systolic/base/rethrow.h"

#include <gtest/gtest.h>

#include <exception>
#include <stdexcept>
#include <string>

#include "systolic/base/error.h"

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
