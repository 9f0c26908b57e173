#include "systolic/kaggle/datasets.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "systolic/io/file_system.h"
#include "systolic/io/test_credentials.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/http_server.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::kaggle {
namespace {

using nlohmann::json;
using testing::EnvironmentGuard;
using testing::HttpServer;

class KaggleDatasetsTest : public ::testing::Test {
 protected:
  json last_request() const {
    return json::parse(server_.requests().back().body);
  }

  const testing::TemporaryFolder folder_;
  const std::string input_ = (folder_.path() / "input").string();
  const KaggleDatasets datasets_{{.input_folder = input_}};
  const HttpServer server_{[](const auto&) {
    return HttpServer::Reply{.body = R"({"wasSuccessful": true,
                    "result": {"destinationBucket": "gs://kds-1234"}})"};
  }};
  const EnvironmentGuard base_{"KAGGLE_URL_BASE", server_.url()};
  const EnvironmentGuard token_{"KAGGLE_USER_SECRETS_TOKEN", "jwt"};
  const EnvironmentGuard tpu_{"TPU_NAME"};
};

TEST_F(KaggleDatasetsTest, BucketWhereNothingIsMounted) {
  EXPECT_EQ(datasets_.get_gcs_path("flowers"), "gs://kds-1234");
  EXPECT_EQ(
      last_request(),
      json({{"MountSlug", "flowers"}, {"IntegrationType", 1}, {"JWE", "jwt"}}));
  EXPECT_EQ(server_.requests().back().target,
            "/requests/CopyDatasetVersionToKnownGcsBucketRequest");
  const EnvironmentGuard tpu("TPU_NAME", "grpc://10.0.0.2:8470");
  EXPECT_EQ(datasets_.get_gcs_path(), "gs://kds-1234");
  EXPECT_EQ(last_request(), json({{"IntegrationType", 2}, {"JWE", "jwt"}}));
}

TEST_F(KaggleDatasetsTest, MountedFolderComesFirst) {
  io::write_file(input_ + "/flowers/a.tfrec", "x");
  EXPECT_EQ(datasets_.get_gcs_path("flowers"), input_ + "/flowers");
  EXPECT_EQ(datasets_.get_gcs_path(), input_ + "/flowers");
  EXPECT_EQ(server_.count(), 0u);
  EXPECT_EQ(datasets_.get_gcs_path("others"), "gs://kds-1234");
  // Which of two is meant, the service knows.
  io::write_file(input_ + "/others/a.tfrec", "x");
  EXPECT_EQ(datasets_.get_gcs_path(), "gs://kds-1234");
}

TEST_F(KaggleDatasetsTest, TheSameCodeReadsBoth) {
  const auto read = [&] {
    std::string all;
    const std::string path = datasets_.get_gcs_path("flowers");
    for (const std::string& file : io::glob(path + "/*.tfrec")) {
      all += io::read_file(file);
    }
    return all;
  };
  const HttpServer bucket([](const HttpServer::Request& request) {
    if (request.target.starts_with("/storage/v1/b/kds-1234/o?")) {
      return HttpServer::Reply{.body = R"({"items": [{"name": "a.tfrec"}]})"};
    }
    return testing::file_reply(request, "records");
  });
  const io::detail::GcsGuard gcs(bucket.url());
  EXPECT_EQ(read(), "records");
  EXPECT_TRUE(bucket.requests().back().target.starts_with(
      "/download/storage/v1/b/kds-1234/o/a.tfrec?"));
  const size_t before = bucket.count();
  io::write_file(input_ + "/flowers/a.tfrec", "records");
  EXPECT_EQ(read(), "records");
  EXPECT_EQ(bucket.count(), before);
}

}  // namespace
}  // namespace systolic::kaggle
