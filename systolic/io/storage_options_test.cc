#include "systolic/io/storage_options.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/io/test_storage_options.h"
#include "systolic/testing/error_text.h"

namespace systolic::io {
namespace {

TEST(StorageOptionsTest, AreThoseLastSet) {
  const detail::StorageOptionsGuard guard({.max_retries = 3});
  EXPECT_EQ(storage_options().max_retries, 3);
}

TEST(StorageOptionsTest, WrongOnesAreRefusedAndChangeNothing) {
  const detail::StorageOptionsGuard guard({.max_retries = 3});
  EXPECT_EQ(internal::text_of<ValueError>(
                [] { set_storage_options({.max_retries = -1}); }),
            "set_storage_options: expected max_retries of at least 0, got -1");
  EXPECT_THROW(set_storage_options({.stall_timeout = 0}), ValueError);
  EXPECT_THROW(set_storage_options({.read_ahead = -1}), ValueError);
  EXPECT_THROW(set_storage_options({.block_size = 0}), ValueError);
  EXPECT_THROW(set_storage_options({.parallel_requests = 0}), ValueError);
  EXPECT_EQ(storage_options().max_retries, 3);
}

}  // namespace
}  // namespace systolic::io
