#include "systolic/io/google_identity.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <nlohmann/json.hpp>

#include "systolic/io/error.h"
#include "systolic/io/test_storage_options.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/http_server.h"

namespace systolic::io::detail {
namespace {

using internal::text_of;
using nlohmann::json;
using systolic::testing::EnvironmentGuard;
using systolic::testing::HttpServer;

using Key = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;

std::string pem_of(EVP_PKEY* key) {
  const std::unique_ptr<BIO, int (*)(BIO*)> out(BIO_new(BIO_s_mem()), BIO_free);
  PEM_write_bio_PrivateKey(out.get(), key, nullptr, nullptr, 0, nullptr,
                           nullptr);
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  return {data, static_cast<size_t>(size)};
}

std::string from_base64_url(std::string text) {
  for (char& c : text) {
    if (c == '-') c = '+';
    if (c == '_') c = '/';
  }
  const size_t fill = (4 - text.size() % 4) % 4;
  text.append(fill, '=');
  std::string bytes(text.size(), '\0');
  const int size =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                      reinterpret_cast<const unsigned char*>(text.data()),
                      static_cast<int>(text.size()));
  bytes.resize(static_cast<size_t>(size) - fill);
  return bytes;
}

TEST(GoogleIdentityTest, Base64ForAddresses) {
  EXPECT_EQ(base64_url(""), "");
  EXPECT_EQ(base64_url("a"), "YQ");
  EXPECT_EQ(base64_url("\xfb\xff"), "-_8");
}

TEST(GoogleIdentityTest, ServiceAccountSendsASignedClaim) {
  const Key key(EVP_RSA_gen(2048), EVP_PKEY_free);
  const HttpServer server([](const auto&) {
    return HttpServer::Reply{
        .body = R"({"access_token": "t1", "expires_in": 3600})"};
  });
  const json file = {{"type", "service_account"},
                     {"client_email", "robot@project"},
                     {"private_key", pem_of(key.get())},
                     {"private_key_id", "k7"},
                     {"token_uri", server.url("/token")}};
  const auto identity = identity_of_json(file.dump(), "key.json");
  EXPECT_EQ(identity->name(), "service account robot@project (key.json)");
  EXPECT_EQ(identity->headers(), (HttpHeaders{{"Authorization", "Bearer t1"}}));
  identity->headers();
  ASSERT_EQ(server.count(), 1u);

  const std::string form = server.requests()[0].body;
  const std::string jwt = form.substr(form.rfind('=') + 1);
  const size_t dot = jwt.rfind('.');
  const std::string signature = from_base64_url(jwt.substr(dot + 1));
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(
      EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr,
                       key.get());
  EXPECT_EQ(
      EVP_DigestVerify(context.get(),
                       reinterpret_cast<const unsigned char*>(signature.data()),
                       signature.size(),
                       reinterpret_cast<const unsigned char*>(jwt.data()), dot),
      1);
  const size_t first = jwt.find('.');
  const json header = json::parse(from_base64_url(jwt.substr(0, first)));
  EXPECT_EQ(header["kid"], "k7");
  const json claims =
      json::parse(from_base64_url(jwt.substr(first + 1, dot - first - 1)));
  EXPECT_EQ(claims["iss"], "robot@project");
  EXPECT_EQ(claims["aud"], server.url("/token"));
  EXPECT_EQ(claims["exp"].get<int64_t>() - claims["iat"].get<int64_t>(), 3600);
}

TEST(GoogleIdentityTest, UserSendsTheRefreshToken) {
  const HttpServer server([](const auto&) {
    return HttpServer::Reply{
        .body = R"({"access_token": "t2", "expires_in": 3600})"};
  });
  const json file = {{"type", "authorized_user"},
                     {"client_id", "id"},
                     {"client_secret", "a&b"},
                     {"refresh_token", "1//r"},
                     {"token_uri", server.url("/token")}};
  const auto identity = identity_of_json(file.dump(), "adc.json");
  EXPECT_EQ(identity->headers(), (HttpHeaders{{"Authorization", "Bearer t2"}}));
  EXPECT_EQ(server.requests()[0].body,
            "grant_type=refresh_token&client_id=id&client_secret=a%26b"
            "&refresh_token=1%2F%2Fr");
}

TEST(GoogleIdentityTest, RefusedTokenNamesTheFile) {
  const HttpServer server([](const auto&) {
    return HttpServer::Reply{.status = 400,
                             .body = R"({"error": "invalid_grant"})"};
  });
  const json file = {{"type", "authorized_user"},
                     {"client_id", "id"},
                     {"client_secret", "s"},
                     {"refresh_token", "r"},
                     {"token_uri", server.url()}};
  const auto identity = identity_of_json(file.dump(), "adc.json");
  const std::string text =
      text_of<PermissionDeniedError>([&] { identity->headers(); });
  EXPECT_EQ(text.substr(0, text.find("\n  hint")),
            "google credentials: expected an access token for adc.json, got "
            "status 400\n  answer: {\"error\": \"invalid_grant\"}");
  EXPECT_EQ(server.count(), 1u);
}

TEST(GoogleIdentityTest, TokenOfAnotherKindIsNotShown) {
  const auto text_for = [](const std::string& body) {
    return text_of<PermissionDeniedError>(
        [&] { parse_token({.status = 200, .body = body}, "key.json"); });
  };
  const std::string text =
      text_for(R"({"id_token": "secret", "expires_in": 3600})");
  EXPECT_EQ(text.substr(0, text.find("\n  hint")),
            "google credentials: expected an access token for key.json, got "
            "status 200\n  answer: an object of the fields \"expires_in\" "
            "\"id_token\"");
  EXPECT_EQ(text_for("secret").find("secret"), std::string::npos);
  // It would ask as nobody.
  EXPECT_NE(text_for(R"({"access_token": ""})"), "");
}

TEST(GoogleIdentityTest, FilesOfOtherKindsAreNamed) {
  EXPECT_EQ(
      text_of<DataError>([] { identity_of_json(R"({"type": "other"})", "f"); }),
      "google credentials: expected JSON whose \"type\" is "
      "service_account, authorized_user, external_account or "
      "impersonated_service_account, got \"other\"\n  file: f");
  EXPECT_THROW(identity_of_json("[1]", "f"), DataError);
  EXPECT_THROW(identity_of_json("not json", "f"), DataError);
  EXPECT_THROW(identity_of_json(R"({"type": "authorized_user"})", "f"),
               DataError);
  EXPECT_THROW(signed_claim("{}", "", "no key", "f"), DataError);
}

TEST(GoogleIdentityTest, MachineIsKnownByItsMetadataServer) {
  const HttpServer server([](const HttpServer::Request& request) {
    HttpServer::Reply reply;
    reply.headers.emplace_back("Metadata-Flavor", "Google");
    const bool token = request.target.ends_with("/token");
    reply.body =
        token ? R"({"access_token": "t3", "expires_in": 60})" : "vm@project";
    if (request.header("metadata-flavor") != "Google") reply.status = 403;
    return reply;
  });
  const EnvironmentGuard host("GCE_METADATA_HOST", server.url().substr(7));
  const EnvironmentGuard patience("GCE_METADATA_TIMEOUT", "60");
  const auto identity = identity_of_machine();
  ASSERT_NE(identity, nullptr);
  EXPECT_EQ(identity->name(), "service account vm@project (of this machine)");
  EXPECT_EQ(identity->headers(), (HttpHeaders{{"Authorization", "Bearer t3"}}));
}

TEST(GoogleIdentityTest, PatienceWithTheMachineIsANumber) {
  for (const std::string text : {"soon", "0", "-1", "inf", "1s"}) {
    const EnvironmentGuard patience("GCE_METADATA_TIMEOUT", text);
    EXPECT_EQ(text_of<ValueError>([] { identity_of_machine(); }),
              "GCE_METADATA_TIMEOUT: expected a number of seconds above 0, got "
              "\"" +
                  text + "\"");
  }
}

TEST(GoogleIdentityTest, OtherServersAreNoMetadataServer) {
  const HttpServer server(
      [](const auto&) { return HttpServer::Reply{.body = "welcome"}; });
  const EnvironmentGuard host("GCE_METADATA_HOST", server.url().substr(7));
  EXPECT_EQ(identity_of_machine(), nullptr);
}

}  // namespace
}  // namespace systolic::io::detail
