// The code of docs/guides/storage.md, and that it does what the page says.
#include <gtest/gtest.h>
#include <systolic/systolic.h>

#include <sstream>

#include "systolic/io/test_credentials.h"
#include "systolic/records/records.h"
#include "systolic/testing/http_server.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic {
namespace {

using testing::HttpServer;

TEST(StorageGuide, FilesByTheirPaths) {
  const testing::TemporaryFolder temporary;
  const std::string folder = temporary.path().string();
  std::ostringstream out;
  const OutputGuard guard(out);
  // [files]
  io::write_file(folder + "/notes/a.txt", "one");  // whole or not at all
  io::copy(folder + "/notes/a.txt", folder + "/notes/b.txt");
  for (const std::string& path : io::glob(folder + "/**/*.txt")) {
    const std::string text = io::read_file(path);
    const io::FileStat stat = io::stat(path);
    output() << path << " has " << stat.size << " bytes: " << text << "\n";
  }
  io::rename(folder + "/notes", folder + "/kept");
  io::remove_tree(folder + "/kept");
  // [files]
  EXPECT_FALSE(io::exists(folder + "/kept"));
  // [parts]
  const auto file = io::create_file(folder + "/large");
  const std::vector<float> values(1000, 1.f);
  file->append(std::as_bytes(std::span(values)));
  file->close();  // now it is there
  const auto opened = io::open_file(folder + "/large");
  std::vector<float> part(10);
  opened->read_at(400, std::as_writable_bytes(std::span(part)));
  // [parts]
  EXPECT_EQ(part[9], 1.f);
}

TEST(StorageGuide, OptionsAndCredentials) {
  const HttpServer server([](const HttpServer::Request&) {
    return HttpServer::Reply{
        .body = R"({"items": [{"name": "tfrecords/a.tfrec"}]})"};
  });
  const io::detail::GcsGuard guard(server.url());
  std::ostringstream out;
  const OutputGuard output_guard(out);
  const std::string token = "token";
  // [options]
  io::StorageOptions options = io::storage_options();
  options.max_retries = 2;  // of each request
  options.longest_retry_wait = 5;
  options.stall_timeout = 10;  // seconds without a byte
  options.cache_folder = "/mnt/disk/systolic-blocks";
  options.cache_bytes = int64_t{50} << 30;
  io::set_storage_options(options);
  // [options]
  EXPECT_EQ(io::storage_options().max_retries, 2);
  options.cache_folder.clear();
  io::set_storage_options(options);
  // [credentials]
  io::set_google_credentials(io::GoogleCredentials::access_token(token));
  output() << io::whoami("gs://my-bucket") << "\n";
  const auto files = io::glob("gs://my-bucket/tfrecords/*.tfrec");
  // [credentials]
  EXPECT_EQ(files.size(), 1u);
  EXPECT_EQ(out.str(), "the owner of the given access token\n");
}

TEST(StorageGuide, Kaggle) {
  const HttpServer server([](const HttpServer::Request&) {
    const std::string user =
        R"({\"type\": \"authorized_user\", \"client_id\": \"i\",)"
        R"(\"client_secret\": \"s\", \"refresh_token\": \"r\"})";
    return HttpServer::Reply{.body = R"({"wasSuccessful": true, "result":
        {"destinationBucket": "gs://kds-1", "secret": ")" +
                                     user + "\"}}"};
  });
  const testing::EnvironmentGuard base("KAGGLE_URL_BASE", server.url());
  const testing::EnvironmentGuard token("KAGGLE_USER_SECRETS_TOKEN", "t");
  const io::detail::CredentialsGuard before(io::GoogleCredentials::anonymous());
  // [kaggle]
  const kaggle::UserSecretsClient user_secrets;
  const auto user_credential = user_secrets.get_gcloud_credential();
  user_secrets.set_tensorflow_credential(user_credential);
  const std::string path = kaggle::KaggleDatasets().get_gcs_path();
  // [kaggle]
  EXPECT_EQ(path, "gs://kds-1");
}

TEST(StorageGuide, Tables) {
  const std::string path = "systolic/records/testdata/rows.parquet";
  // [tables]
  const auto table =
      data::ParquetDataset(path, {.columns = {"real", "id"}})
          .map([](const data::Element& row) {
            return std::pair(row["real"].to<float>(), row["id"].to<int64_t>());
          })
          .batch(4);
  // [tables]
  try {
    EXPECT_EQ(table.iterator().next().size(), 2u);
  } catch (const io::StorageError&) {
    GTEST_SKIP() << "run scripts/install-arrow and build again";
  }
}

}  // namespace
}  // namespace systolic
