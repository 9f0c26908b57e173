#include "systolic/base/error.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace systolic {
namespace {

TEST(ErrorTest, ShapeErrorIsAValueErrorAndAnError) {
  try {
    throw ShapeError("text");
  } catch (const ValueError& e) {
    EXPECT_STREQ(e.what(), "text");
  }
  EXPECT_TRUE((std::is_base_of_v<Error, ShapeError>));
  EXPECT_FALSE((std::is_base_of_v<ValueError, TypeError>));
  EXPECT_TRUE((std::is_base_of_v<std::runtime_error, DataError>));
}

TEST(ErrorTest, PlatformErrorKnowsItsCall) {
  PlatformError error("PJRT_Client_Create: no device", "PJRT_Client_Create", 5);
  EXPECT_STREQ(error.what(), "PJRT_Client_Create: no device");
  EXPECT_EQ(error.call(), "PJRT_Client_Create");
  EXPECT_EQ(error.code(), 5);
  PlatformError other("no library");
  EXPECT_EQ(other.call(), "");
  EXPECT_EQ(other.code(), 0);
}

TEST(ErrorTest, InternalErrorAsksForAReport) {
  EXPECT_STREQ(InternalError("emitter: empty region").what(),
               "emitter: empty region\n"
               "  hint: this is a bug in Systolic; please report it with this "
               "text and the program that led to it");
}

}  // namespace
}  // namespace systolic
