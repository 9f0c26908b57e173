#include "systolic/datasets/fetch.h"

#include <gtest/gtest.h>

#include "systolic/datasets/test_files.h"

namespace systolic::datasets::detail {
namespace {

TEST(FetchTest, GivesTheBytes) {
  if (!can_fetch()) GTEST_SKIP() << "this build has no libcurl";
  const TemporaryFolder folder;
  const std::string text = idx_text({500, 300}, 251);
  write_text(folder.path() / "file", text);
  const Fetched fetched = fetch("file://" + (folder.path() / "file").string());
  EXPECT_EQ(fetched.error, "");
  EXPECT_EQ(sha256(fetched.bytes), sha256(std::as_bytes(std::span(text))));
}

TEST(FetchTest, SaysWhyThereIsNothing) {
  const Fetched fetched = fetch("file:///no/such/file");
  EXPECT_TRUE(fetched.bytes.empty());
  EXPECT_NE(fetched.error, "");
}

}  // namespace
}  // namespace systolic::datasets::detail
