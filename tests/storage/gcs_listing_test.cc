// C094: a listing of a huge bucket is streamed.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "systolic/io/file_system.h"
#include "systolic/io/test_credentials.h"
#include "systolic/testing/http_server.h"

namespace systolic::testing {
namespace {

constexpr int kNames = 1'000'000;
constexpr int kPage = 1000;

// The page of names "d/0000000.x" ... that the request asks for.
HttpServer::Reply page(const HttpServer::Request& request) {
  const size_t at = request.target.find("pageToken=");
  const int begin =
      at == std::string::npos ? 0 : std::atoi(request.target.c_str() + at + 10);
  std::string body = R"({"items": [)";
  for (int i = begin; i < begin + kPage; ++i) {
    char item[80];
    std::snprintf(item, sizeof item, R"(%s{"name": "d/%07d.x", "size": "1"})",
                  i == begin ? "" : ",", i);
    body += item;
  }
  body += "]";
  const int end = begin + kPage;
  if (end < kNames) {
    body += R"(, "nextPageToken": ")" + std::to_string(end) + "\"";
  }
  return {.body = body + "}"};
}

// A line of /proc/self/status, in bytes.
int64_t status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) {
      return std::atoll(line.c_str() + name.size() + 1) * 1024;
    }
  }
  return -1;
}

TEST(GcsListingTest, MillionNamesAreNotKept) {
  const HttpServer server(page);
  const io::detail::GcsGuard gcs(server.url());
  const int64_t before = status_bytes("VmRSS");
  // From here on the peak is a new one.
  std::ofstream("/proc/self/clear_refs") << "5";
  EXPECT_EQ(io::glob("gs://b/d/*00007.x").size(), 10u);
  const int64_t peak = status_bytes("VmHWM");
  ASSERT_GT(before, 0);
  EXPECT_LT(peak - before, 50'000'000);
  EXPECT_EQ(server.count(), static_cast<size_t>(kNames / kPage));
}

}  // namespace
}  // namespace systolic::testing
