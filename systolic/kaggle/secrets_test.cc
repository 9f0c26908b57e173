#include "systolic/kaggle/secrets.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "systolic/io/error.h"
#include "systolic/io/test_credentials.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/http_server.h"

namespace systolic::kaggle {
namespace {

using internal::text_of;
using nlohmann::json;
using testing::EnvironmentGuard;
using testing::HttpServer;
using Reply = HttpServer::Reply;

constexpr const char* kUser =
    R"({"type": "authorized_user", "client_id": "i", "client_secret": "s",
        "refresh_token": "r"})";

Reply secret_reply(const std::string& secret) {
  return {.body =
              json({{"wasSuccessful", true}, {"result", {{"secret", secret}}}})
                  .dump()};
}

// A notebook whose service is a test's server.
struct Notebook {
  explicit Notebook(HttpServer::Handler handler)
      : server(std::move(handler)), base("KAGGLE_URL_BASE", server.url()) {}

  const HttpServer server;
  const EnvironmentGuard base;
  const EnvironmentGuard token{"KAGGLE_USER_SECRETS_TOKEN", "jwt"};
  const io::detail::StorageOptionsGuard options{
      {.max_retries = 1, .first_retry_wait = 0.001}};
};

TEST(UserSecretsClientTest, GetsASecretByItsLabel) {
  const Notebook notebook([](const auto&) { return secret_reply("s3"); });
  EXPECT_EQ(UserSecretsClient().get_secret("key"), "s3");
  const HttpServer::Request request = notebook.server.requests().at(0);
  EXPECT_EQ(request.target, "/requests/GetUserSecretByLabelRequest");
  EXPECT_EQ(request.header("x-kaggle-authorization"), "Bearer jwt");
  EXPECT_EQ(json::parse(request.body),
            json({{"Label", "key"}, {"JWE", "jwt"}}));
}

TEST(UserSecretsClientTest, GoogleCredentialsAreUsedForStorage) {
  const Notebook notebook([](const auto&) { return secret_reply(kUser); });
  const io::detail::CredentialsGuard before(io::GoogleCredentials::anonymous());
  const UserSecretsClient secrets;
  secrets.set_tensorflow_credential(secrets.get_gcloud_credential());
  EXPECT_EQ(io::whoami("gs://bucket"), "the user of the given JSON");
  EXPECT_EQ(json::parse(notebook.server.requests().at(0).body)["Label"],
            "__gcloud_sdk_auth__");
}

TEST(UserSecretsClientTest, AccessTokenForStorage) {
  const Notebook notebook([](const auto&) { return secret_reply("token"); });
  EXPECT_EQ(UserSecretsClient().get_gcs_access_token(), "token");
  EXPECT_EQ(json::parse(notebook.server.requests().at(0).body)["Target"], 2);
}

TEST(UserSecretsClientTest, ElsewhereTheTokenIsMissing) {
  const EnvironmentGuard token("KAGGLE_USER_SECRETS_TOKEN");
  EXPECT_EQ(text_of<io::PermissionDeniedError>(
                [] { UserSecretsClient().get_secret("key"); }),
            "get_secret: expected the token of a Kaggle notebook, got "
            "KAGGLE_USER_SECRETS_TOKEN is not set\n"
            "  hint: this works in a notebook on Kaggle; elsewhere give paths "
            "and io::set_google_credentials");
  EXPECT_THROW(UserSecretsClient().get_secret(""), ValueError);
}

TEST(UserSecretsClientTest, AnswersThatAreNoneAreErrors) {
  const Notebook refused([](const auto&) { return Reply{.status = 403}; });
  EXPECT_THROW(UserSecretsClient().get_secret("key"),
               io::PermissionDeniedError);
  for (const char* body :
       {"hi", "[]", R"({"wasSuccessful": false, "errors": ["no"]})",
        R"({"wasSuccessful": true})",
        R"({"wasSuccessful": true, "result": {"secret": ["hidden"]}})"}) {
    const Notebook notebook([&](const auto&) { return Reply{.body = body}; });
    const std::string text = text_of<io::StorageError>(
        [] { UserSecretsClient().get_secret("key"); });
    EXPECT_NE(text, "") << body;
    EXPECT_EQ(text.find("hidden"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace systolic::kaggle
