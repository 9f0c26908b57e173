#include "systolic/data/element_error.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/data/pipeline_options.h"
#include "systolic/io/error.h"

namespace systolic::data::detail {
namespace {

// Throws `error` with the place of element 17 of a map.
template <class E>
void rethrow(const E& error) {
  std::rethrow_exception(
      error_for_element(std::make_exception_ptr(error), "map", 17));
}

TEST(ElementErrorTest, KeepsTheClassAndNamesTheElement) {
  try {
    rethrow(ShapeError("matmul: no"));
    FAIL();
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(), "map (element 17): matmul: no");
  }
  EXPECT_THROW(rethrow(TypeError("t")), TypeError);
  EXPECT_THROW(rethrow(NotFoundError("n")), NotFoundError);
  EXPECT_THROW(rethrow(ValueError("v")), ValueError);
  EXPECT_THROW(rethrow(ResourceExhaustedError("r")), ResourceExhaustedError);
  EXPECT_THROW(rethrow(io::StorageError("s")), io::StorageError);
  EXPECT_THROW(rethrow(io::PermissionDeniedError("p")),
               io::PermissionDeniedError);
  EXPECT_THROW(rethrow(std::bad_alloc()), std::bad_alloc);
}

TEST(ElementErrorTest, SaysTheRecordOnce) {
  const auto text_for = [](const char* text) {
    try {
      std::rethrow_exception(error_for_element(
          std::make_exception_ptr(DataError(text)), "map", 17, "a, record 1"));
    } catch (const DataError& error) {
      return std::string(error.what());
    }
  };
  const std::string place = "map (element 17; a, record 1): ";
  EXPECT_EQ(text_for("no"), place + "no");
  EXPECT_EQ(text_for("no\n  from: a, record 1\n  got: x"),
            place + "no\n  got: x");
  EXPECT_EQ(text_for("no\n  from: a, record 1"), place + "no");
  EXPECT_EQ(text_for("no\n  from: a, record 12"),
            place + "no\n  from: a, record 12");
}

TEST(ElementErrorTest, ForeignExceptionsAreNestedInDataError) {
  try {
    rethrow(std::domain_error("mine"));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "map (element 17): mine");
    EXPECT_THROW(std::rethrow_if_nested(error), std::domain_error);
  }
  EXPECT_THROW(rethrow(3), DataError);
}

TEST(ElementErrorTest, OutOfRangeDoesNotReadAsTheEnd) {
  EXPECT_THROW(rethrow(OutOfRangeError("index")), DataError);
}

TEST(ElementErrorTest, PlatformErrorsKeepCallAndCode) {
  try {
    rethrow(PlatformError("failed", "PJRT_Call", 13));
    FAIL();
  } catch (const PlatformError& error) {
    EXPECT_EQ(error.call(), "PJRT_Call");
    EXPECT_EQ(error.code(), 13);
  }
}

}  // namespace
}  // namespace systolic::data::detail
