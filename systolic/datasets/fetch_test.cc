#include "systolic/datasets/fetch.h"

#include <gtest/gtest.h>

#include <atomic>

#include "systolic/datasets/test_files.h"
#include "systolic/io/test_storage_options.h"
#include "systolic/testing/http_server.h"

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

TEST(FetchTest, AsksAWebServerOnce) {
  if (!can_fetch()) GTEST_SKIP() << "this build has no libcurl";
  const systolic::testing::HttpServer server([](const auto& request) {
    using Reply = systolic::testing::HttpServer::Reply;
    if (request.target == "/moved") {
      return Reply{.status = 302, .headers = {{"Location", "/good"}}};
    }
    if (request.target == "/good") return Reply{.body = "four"};
    if (request.target == "/cut") return Reply{.body = "four", .cut_after = 2};
    return Reply{.status = 503, .body = "busy"};
  });
  EXPECT_EQ(fetch(server.url("/moved")).bytes.size(), 4);
  EXPECT_EQ(server.count(), 2);
  // Not tried again: the table may have another address.
  EXPECT_EQ(fetch(server.url("/busy"), Tries::once).error, "status 503");
  EXPECT_EQ(server.count(), 3);
  const Fetched cut = fetch(server.url("/cut"), Tries::once);
  EXPECT_TRUE(cut.bytes.empty());
  EXPECT_NE(cut.error, "");
}

TEST(FetchTest, AsksForTheLastAddressAgain) {
  if (!can_fetch()) GTEST_SKIP() << "this build has no libcurl";
  const io::detail::StorageOptionsGuard quick({.first_retry_wait = 0.001});
  using Reply = systolic::testing::HttpServer::Reply;
  std::atomic<int> turn = 0;
  const systolic::testing::HttpServer server([&](const auto& request) {
    if (request.target == "/first") return Reply{.status = 503};
    return turn++ == 0 ? Reply{.status = 503} : Reply{.body = "four"};
  });
  const TemporaryFolder folder;
  const SourceFile source =
      source_of("digits", "four", {server.url("/first"), server.url("/last")});
  EXPECT_EQ(
      find_file(source, {.cache = folder.path(), .data_dir = {}}).bytes.size(),
      4u);
  EXPECT_EQ(server.count(), 3u);
}

}  // namespace
}  // namespace systolic::datasets::detail
