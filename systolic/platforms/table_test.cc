#include "systolic/platforms/table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "systolic/base/error.h"

namespace systolic::internal::platforms {
namespace {

TEST(Table, RowsSayWhatToLookForAndHowToInstall) {
  for (const PlatformRow& row : rows()) {
    EXPECT_FALSE(row.title.empty()) << row.name;
    EXPECT_FALSE(row.files.empty()) << row.name;
    EXPECT_FALSE(row.python_files.empty()) << row.name;
    EXPECT_FALSE(row.install.empty()) << row.name;
  }
}

TEST(Table, NamesAreUnique) {
  for (const PlatformRow& row : rows()) EXPECT_EQ(&find_row(row.name), &row);
}

TEST(Table, UnknownNameListsTheNames) {
  try {
    find_row("gpu");
    FAIL() << "nothing was thrown";
  } catch (const NotFoundError& error) {
    EXPECT_STREQ(error.what(),
                 "platform: expected 'cpu', 'tpu' or 'cuda', got 'gpu'");
  }
}

TEST(Table, VariableIsNamedAfterTheRow) {
  EXPECT_EQ(environment_variable(find_row("cpu")), "SYSTOLIC_PLATFORM_CPU");
  EXPECT_EQ(environment_variable(find_row("cuda")), "SYSTOLIC_PLATFORM_CUDA");
}

// Virtual devices need an option that says how many.
TEST(Table, CapabilitiesAgreeWithTheSettings) {
  for (const PlatformRow& row : rows()) {
    const bool can_choose =
        std::find(row.capabilities.begin(), row.capabilities.end(),
                  Capability::virtual_devices) != row.capabilities.end();
    EXPECT_EQ(can_choose, !row.device_count_option.empty()) << row.name;
  }
}

}  // namespace
}  // namespace systolic::internal::platforms
