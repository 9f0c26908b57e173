#include "systolic/io/arrow_module.h"

#include <gtest/gtest.h>

#include "systolic/testing/environment_guard.h"
#include "systolic/testing/error_text.h"

namespace systolic::io {
namespace {

// The other side is tests/storage/s3_test.cc, a program of its own.
TEST(ArrowModuleTest, WithoutItTheErrorSaysHowToGetIt) {
  const testing::EnvironmentGuard none("SYSTOLIC_ARROW", "/no/such/file");
  EXPECT_EQ(
      internal::text_of<StorageError>([] { open_file("s3://bucket/file"); }),
      "open_file: expected the part of Systolic that links Apache "
      "Arrow, got this build has none\n"
      "  path: s3://bucket/file\n"
      "  hint: run scripts/install-arrow and build again");
  EXPECT_FALSE(detail::has_arrow_module());
}

}  // namespace
}  // namespace systolic::io
