#include "systolic/io/credentials.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/io/error.h"
#include "systolic/io/file_system.h"
#include "systolic/io/google_identity.h"
#include "systolic/io/test_credentials.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/http_server.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::io {
namespace {

using detail::CredentialsGuard;
using detail::GcsGuard;
using detail::HttpHeaders;
using internal::text_of;
using testing::EnvironmentGuard;
using testing::HttpServer;

constexpr const char* kUser =
    R"({"type": "authorized_user", "client_id": "i", "client_secret": "s",
        "refresh_token": "r"})";

// A machine of which nothing is known.
class CredentialsTest : public ::testing::Test {
 protected:
  const testing::TemporaryFolder folder_;
  const std::string gcloud_ = folder_.path().string();
  const EnvironmentGuard file_{"GOOGLE_APPLICATION_CREDENTIALS"};
  const EnvironmentGuard user_{"CLOUDSDK_CONFIG", gcloud_};
  const EnvironmentGuard machine_{"NO_GCE_CHECK", "true"};
};

TEST_F(CredentialsTest, NobodyWhereNothingIsFoundSaysWhereItLooked) {
  const CredentialsGuard guard(GoogleCredentials::application_default());
  EXPECT_EQ(whoami("gs://bucket"),
            "nobody (anonymous) (tried: GOOGLE_APPLICATION_CREDENTIALS: not "
            "set; " +
                gcloud_ +
                "/application_default_credentials.json: not there; metadata "
                "server: NO_GCE_CHECK is set)");
  EXPECT_EQ(google_credentials().identity()->headers(), HttpHeaders());
}

// It is waited for a second, once; otherwise its answer would come in the end.
TEST_F(CredentialsTest, MachineThatIsSilentIsNone) {
  const EnvironmentGuard look("NO_GCE_CHECK");
  const HttpServer silent([](const auto&) {
    return HttpServer::Reply{
        .headers = {{"Metadata-Flavor", "Google"}}, .body = "m@x", .delay = 20};
  });
  const EnvironmentGuard host("GCE_METADATA_HOST",
                              silent.url().substr(std::strlen("http://")));
  const CredentialsGuard guard(GoogleCredentials::application_default());
  EXPECT_TRUE(whoami("gs://b").ends_with("metadata server: none)"));
  // On a machine that is held up the request may still be on its way.
  while (silent.count() == 0) std::this_thread::yield();
  EXPECT_EQ(silent.count(), 1u);
}

TEST_F(CredentialsTest, MachineThatMissesOnceIsAskedAgain) {
  const EnvironmentGuard look("NO_GCE_CHECK");
  std::atomic<int> turn = 0;
  const HttpServer server([&](const auto& request) {
    if (turn++ == 0) return HttpServer::Reply{.hang_up = true};
    const bool email = request.target.ends_with("email");
    return HttpServer::Reply{
        .headers = {{"Metadata-Flavor", "Google"}},
        .body = email ? "m@x" : R"({"access_token": "t", "expires_in": 3600})"};
  });
  const EnvironmentGuard host("GCE_METADATA_HOST",
                              server.url().substr(std::strlen("http://")));
  const EnvironmentGuard patience("GCE_METADATA_TIMEOUT", "60");
  const auto identity = GoogleCredentials::application_default().identity();
  EXPECT_EQ(identity->headers(), HttpHeaders());
  EXPECT_EQ(identity->headers(), (HttpHeaders{{"Authorization", "Bearer t"}}));
}

// Each of the first calls looks again and replaces what the one before found.
TEST_F(CredentialsTest, ManyThreadsMayLookAtOnce) {
  const EnvironmentGuard look("NO_GCE_CHECK");
  const EnvironmentGuard host("GCE_METADATA_HOST", "127.0.0.1:1");
  for (int round = 0; round < 20; ++round) {
    const CredentialsGuard guard(GoogleCredentials::application_default());
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&] {
        if (!whoami("gs://b").ends_with("metadata server: none)")) ++wrong;
      });
    }
    threads.clear();
    EXPECT_EQ(wrong, 0);
  }
}

TEST_F(CredentialsTest, FunctionThatGivesNoTokenIsNotNobody) {
  int calls = 0;
  const auto identity = GoogleCredentials::access_token([&]() -> std::string {
                          return ++calls == 1 ? "" : "t";
                        }).identity();
  EXPECT_EQ(text_of<PermissionDeniedError>([&] { identity->headers(); }),
            "google credentials: expected an access token, got an empty text\n"
            "  hint: io::GoogleCredentials::anonymous() asks as nobody");
  const HttpHeaders bearer = {{"Authorization", "Bearer t"}};
  EXPECT_EQ(identity->headers(), bearer);
  EXPECT_EQ(identity->headers(), bearer);
  EXPECT_EQ(calls, 2);
}

TEST_F(CredentialsTest, FileOfTheEnvironmentComesFirst) {
  write_file(gcloud_ + "/application_default_credentials.json", kUser);
  const std::string key = gcloud_ + "/key.json";
  write_file(key, kUser);
  {
    const CredentialsGuard guard(GoogleCredentials::application_default());
    EXPECT_TRUE(whoami("gs://b").starts_with(
        "the user of " + gcloud_ + "/application_default_credentials.json"));
  }
  const EnvironmentGuard file("GOOGLE_APPLICATION_CREDENTIALS", key);
  const CredentialsGuard guard(GoogleCredentials::application_default());
  EXPECT_EQ(whoami("gs://b"),
            "the user of " + key +
                " (tried: GOOGLE_APPLICATION_CREDENTIALS: " + key + ")");
}

TEST_F(CredentialsTest, FileOfTheEnvironmentThatIsNotThereIsAnError) {
  const EnvironmentGuard file("GOOGLE_APPLICATION_CREDENTIALS",
                              gcloud_ + "/none");
  const CredentialsGuard guard(GoogleCredentials::application_default());
  EXPECT_THROW(whoami("gs://b"), NotFoundError);
}

TEST_F(CredentialsTest, GivenOnesAreUsedByEveryRequest) {
  const HttpServer server([](const HttpServer::Request& request) {
    return testing::file_reply(request, "{}");
  });
  const GcsGuard gcs(server.url(), GoogleCredentials::access_token("mine"));
  read_file("gs://b/f");
  glob("gs://b/*");
  write_file("gs://b/f", "x");
  for (const HttpServer::Request& request : server.requests()) {
    EXPECT_EQ(request.header("authorization"), "Bearer mine") << request.target;
  }
  EXPECT_GE(server.count(), 3u);
  EXPECT_EQ(whoami("gs://b"), "the owner of the given access token");
}

TEST_F(CredentialsTest, WithoutCredentialsTheErrorSaysWhatWasTried) {
  const HttpServer server([](const auto&) {
    return HttpServer::Reply{
        .status = 401,
        .body = R"({"error": {"message": "Anonymous caller does not have )"
                R"(storage.objects.get access to the object."}})"};
  });
  const GcsGuard gcs(server.url(), GoogleCredentials::application_default());
  const std::string text =
      text_of<PermissionDeniedError>([] { open_file("gs://private/f"); });
  EXPECT_EQ(text,
            "open_file: nobody (anonymous) lacks storage.objects.get on the "
            "bucket \"private\"\n  path: gs://private/f\n  status: 401\n"
            "  credentials tried: GOOGLE_APPLICATION_CREDENTIALS: not set; " +
                gcloud_ +
                "/application_default_credentials.json: not there; metadata "
                "server: NO_GCE_CHECK is set\n"
                "  hint: run `gcloud auth application-default login`, set "
                "GOOGLE_APPLICATION_CREDENTIALS to a key file, or call "
                "io::set_google_credentials");
  EXPECT_EQ(server.count(), 1u);
}

TEST_F(CredentialsTest, RefusalNamesWhoWhatAndTheBucket) {
  const HttpServer server([](const auto&) {
    return HttpServer::Reply{
        .status = 403,
        .body = R"({"error": {"message": "robot does not have )"
                R"(storage.objects.list access to the bucket."}})"};
  });
  const GcsGuard gcs(server.url(), GoogleCredentials::access_token("t"));
  const std::string text =
      text_of<PermissionDeniedError>([] { glob("gs://private/*.tfrec"); });
  EXPECT_TRUE(text.starts_with(
      "list_directory: the owner of the given access token lacks "
      "storage.objects.list on the bucket \"private\"\n"))
      << text;
  EXPECT_EQ(server.count(), 1u);
}

TEST_F(CredentialsTest, FromAFileOrItsText) {
  const std::string key = gcloud_ + "/key.json";
  write_file(key, kUser);
  EXPECT_EQ(GoogleCredentials::from_file(key).identity()->name(),
            "the user of " + key);
  EXPECT_EQ(GoogleCredentials::from_json(kUser).identity()->name(),
            "the user of the given JSON");
}

}  // namespace
}  // namespace systolic::io
