#include "systolic/io/external_identity.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "systolic/io/error.h"
#include "systolic/io/file_system.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/http_server.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::io::detail {
namespace {

using internal::text_of;
using nlohmann::json;
using systolic::testing::HttpServer;
using systolic::testing::TemporaryFolder;

constexpr const char* kAct =
    "/v1/projects/-/serviceAccounts/robot@project:generateAccessToken";

// Who says who asks, who exchanges that, and who lets act as an account.
class ExternalIdentityTest : public ::testing::Test {
 protected:
  json file(const json& source) const {
    return {{"type", "external_account"},
            {"audience", "//iam/pool"},
            {"subject_token_type", "urn:jwt"},
            {"token_url", server_.url("/sts")},
            {"credential_source", source}};
  }
  static HttpHeaders headers_of(const json& file) {
    return identity_of_json(file.dump(), "adc.json")->headers();
  }

  const TemporaryFolder folder_;
  const HttpServer server_{[](const HttpServer::Request& request) {
    HttpServer::Reply reply;
    if (request.target == "/subject") {
      reply.body = R"({"id": "from the address"})";
      if (request.header("flavor") != "ours") reply.status = 403;
    } else if (request.target == "/sts") {
      reply.body = R"({"access_token": "exchanged", "expires_in": 3600})";
    } else if (request.target == "/refresh") {
      reply.body = R"({"access_token": "user", "expires_in": 3600})";
    } else {
      reply.body =
          R"({"accessToken": "robot", "expireTime": "2100-01-01T00:00:00Z"})";
    }
    return reply;
  }};
};

TEST_F(ExternalIdentityTest, ATokenOfAFileIsExchanged) {
  const std::string path = (folder_.path() / "token").string();
  io::write_file(path, "a.jwt/1\n");
  const json account = file({{"file", path}});
  const auto identity = identity_of_json(account.dump(), "adc.json");
  EXPECT_EQ(identity->name(), "workload identity of adc.json");
  EXPECT_EQ(identity->headers(),
            (HttpHeaders{{"Authorization", "Bearer exchanged"}}));
  identity->headers();
  ASSERT_EQ(server_.count(), 1u);
  EXPECT_EQ(server_.requests()[0].body,
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3A"
            "token-exchange&requested_token_type=urn%3Aietf%3Aparams%3Aoauth"
            "%3Atoken-type%3Aaccess_token&scope=https%3A%2F%2F"
            "www.googleapis.com%2Fauth%2Fcloud-platform"
            "&audience=%2F%2Fiam%2Fpool&subject_token_type=urn%3Ajwt"
            "&subject_token=a.jwt%2F1");
  io::remove(path);
  EXPECT_NE(text_of<NotFoundError>([&] { headers_of(account); }).find(path),
            std::string::npos);
}

TEST_F(ExternalIdentityTest, ATokenOfAnAddressActsAsAnAccount) {
  json account = file(
      {{"url", server_.url("/subject")},
       {"headers", {{"Flavor", "ours"}}},
       {"format", {{"type", "json"}, {"subject_token_field_name", "id"}}}});
  account["service_account_impersonation_url"] = server_.url(kAct);
  account["service_account_impersonation"] = {{"token_lifetime_seconds", 900}};
  const auto identity = identity_of_json(account.dump(), "adc.json");
  EXPECT_EQ(identity->name(),
            "workload identity of adc.json as service account robot@project");
  EXPECT_EQ(identity->headers(),
            (HttpHeaders{{"Authorization", "Bearer robot"}}));
  identity->headers();
  const auto requests = server_.requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_TRUE(requests[1].body.ends_with("&subject_token=from%20the%20address"))
      << requests[1].body;
  EXPECT_EQ(requests[2].target, kAct);
  EXPECT_EQ(requests[2].header("authorization"), "Bearer exchanged");
  const json body = json::parse(requests[2].body);
  EXPECT_EQ(body["lifetime"], "900s");
  EXPECT_EQ(body["scope"][0], kGoogleScope);

  account["credential_source"].erase("headers");
  EXPECT_THROW(headers_of(account), PermissionDeniedError);
  account["credential_source"]["headers"] = {{"Flavor", "ours"}};
  account["credential_source"]["format"]["subject_token_field_name"] = "other";
  EXPECT_EQ(text_of<DataError>([&] { headers_of(account); }),
            "google credentials: expected a field \"other\", got none\n"
            "  file: " +
                server_.url("/subject"));
}

TEST_F(ExternalIdentityTest, AUserActsAsAnAccount) {
  const json account = {
      {"type", "impersonated_service_account"},
      {"service_account_impersonation_url", server_.url(kAct)},
      {"delegates", {"other@project"}},
      {"source_credentials",
       {{"type", "authorized_user"},
        {"client_id", "id"},
        {"client_secret", "s"},
        {"refresh_token", "r"},
        {"token_uri", server_.url("/refresh")}}}};
  const auto identity = identity_of_json(account.dump(), "adc.json");
  EXPECT_EQ(identity->name(),
            "service account robot@project, asked by the user of adc.json");
  EXPECT_EQ(identity->headers(),
            (HttpHeaders{{"Authorization", "Bearer robot"}}));
  const auto requests = server_.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[1].header("authorization"), "Bearer user");
  EXPECT_EQ(json::parse(requests[1].body)["delegates"][0], "other@project");
}

TEST_F(ExternalIdentityTest, WhoMayNotActIsToldAsWhom) {
  const HttpServer refusing([](const auto&) {
    return HttpServer::Reply{.status = 403, .body = "denied"};
  });
  const std::string path = (folder_.path() / "token").string();
  io::write_file(path, "jwt");
  json account = file({{"file", path}});
  account["service_account_impersonation_url"] = refusing.url(kAct);
  const std::string text =
      text_of<PermissionDeniedError>([&] { headers_of(account); });
  EXPECT_EQ(text.substr(0, text.find("\n  hint")),
            "google credentials: expected an access token for adc.json as "
            "robot@project, got status 403\n  answer: denied");
}

TEST_F(ExternalIdentityTest, OtherSourcesAreRefused) {
  EXPECT_EQ(text_of<DataError>([&] {
              headers_of(file({{"environment_id", "aws1"}}));
            }),
            "google credentials: expected a \"credential_source\" with a "
            "\"file\" or a \"url\", got another one, such as Amazon's or a "
            "program\n"
            "  file: adc.json\n"
            "  hint: get a token by yourself: "
            "GoogleCredentials::access_token()");
  json lacking = file({{"file", "token"}});
  lacking.erase("audience");
  EXPECT_THROW(headers_of(lacking), DataError);
  EXPECT_THROW(headers_of({{"type", "impersonated_service_account"}}),
               DataError);
}

}  // namespace
}  // namespace systolic::io::detail
