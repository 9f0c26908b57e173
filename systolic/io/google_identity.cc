#include "systolic/io/google_identity.h"

#include <openssl/evp.h>
#include <openssl/pem.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "systolic/base/message.h"
#include "systolic/base/positive_seconds.h"
#include "systolic/base/user_folders.h"
#include "systolic/io/error.h"
#include "systolic/io/external_identity.h"

namespace systolic::io::detail {
namespace {

using nlohmann::json;

constexpr const char* kTokenAddress = "https://oauth2.googleapis.com/token";
constexpr const char* kMetadata =
    "/computeMetadata/v1/instance/"
    "service-accounts/default/";
// A token is replaced so long before it ends.
constexpr std::chrono::seconds kSpare{300};

std::string token_address(const std::string& file) {
  const std::string address = json_text(file, "/token_uri");
  return address.empty() ? kTokenAddress : address;
}

class User final : public GoogleIdentity {
 public:
  User(const std::string& file, std::string origin)
      : origin_(std::move(origin)),
        address_(token_address(file)),
        form_("grant_type=refresh_token&client_id=" +
              percent_encoded(required_text(file, "/client_id", origin_)) +
              "&client_secret=" +
              percent_encoded(required_text(file, "/client_secret", origin_)) +
              "&refresh_token=" +
              percent_encoded(required_text(file, "/refresh_token", origin_))) {
  }

  std::string name() override { return "the user of " + origin_; }

 protected:
  AccessToken fetch() override {
    return ask_for_token(address_, form_, origin_);
  }

 private:
  const std::string origin_;
  const std::string address_;
  const std::string form_;
};

class ServiceAccount final : public GoogleIdentity {
 public:
  ServiceAccount(const std::string& file, std::string origin)
      : origin_(std::move(origin)),
        address_(token_address(file)),
        email_(required_text(file, "/client_email", origin_)),
        key_(required_text(file, "/private_key", origin_)),
        key_id_(json_text(file, "/private_key_id")) {}

  std::string name() override {
    return "service account " + email_ + " (" + origin_ + ")";
  }

 protected:
  AccessToken fetch() override {
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
    const json claims = {{"iss", email_},
                         {"scope", kGoogleScope},
                         {"aud", address_},
                         {"iat", now},
                         {"exp", now + 3600}};
    return ask_for_token(
        address_,
        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
        "&assertion=" +
            signed_claim(claims.dump(), key_id_, key_, origin_),
        origin_);
  }

 private:
  const std::string origin_;
  const std::string address_;
  const std::string email_;
  const std::string key_;
  const std::string key_id_;
};

// How many seconds the metadata server has for an answer: one, since most
// machines have none, or what this variable of Google's libraries says.
double metadata_timeout() {
  constexpr const char* kVariable = "GCE_METADATA_TIMEOUT";
  const std::string text = internal::environment(kVariable);
  return text.empty() ? 1 : internal::positive_seconds(kVariable, text);
}

// Asks the metadata server of the machine.
HttpRequest metadata_request(const std::string& what) {
  std::string host = internal::environment("GCE_METADATA_HOST");
  // The address, since looking up its name may take long elsewhere.
  if (host.empty()) host = "169.254.169.254";
  return {.url = "http://" + host + kMetadata + what,
          .headers = {{"Metadata-Flavor", "Google"}},
          .timeout = metadata_timeout()};
}

class Machine final : public GoogleIdentity {
 public:
  explicit Machine(std::string email) : email_(std::move(email)) {}

  std::string name() override {
    return "service account " + email_ + " (of this machine)";
  }

 protected:
  AccessToken fetch() override {
    return parse_token(
        send(metadata_request("token"),
             {.who = "google credentials", .path = "the metadata server"}),
        "the metadata server");
  }

 private:
  const std::string email_;
};

}  // namespace

HttpHeaders GoogleIdentity::headers() {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (token_.text.empty() || now >= until_) {
    token_ = fetch();
    until_ = now + token_.lasts - std::min(kSpare, token_.lasts / 2);
  }
  if (token_.text.empty()) return {};
  return {{"Authorization", "Bearer " + token_.text}};
}

std::shared_ptr<GoogleIdentity> identity_of_json(const std::string& text,
                                                 const std::string& origin) {
  const std::string type = json_text(text, "/type");
  if (type == "authorized_user") return std::make_shared<User>(text, origin);
  if (type == "service_account") {
    return std::make_shared<ServiceAccount>(text, origin);
  }
  if (type == "external_account") return external_account(text, origin);
  if (type == "impersonated_service_account") {
    return impersonated_account(text, origin);
  }
  internal::Message("google credentials")
      .expected(
          "JSON whose \"type\" is service_account, authorized_user, "
          "external_account or impersonated_service_account")
      .got(type.empty() ? "something else" : "\"" + type + "\"")
      .detail("file", origin)
      .raise<DataError>();
}

std::shared_ptr<GoogleIdentity> identity_of_machine() {
  const HttpAnswer answer =
      send_once(metadata_request("email"), {.who = "google credentials"});
  // Other servers answer at that address in other places.
  if (!answer.good() || answer.header("metadata-flavor") != "Google") return {};
  return std::make_shared<Machine>(answer.body);
}

std::string json_text(const std::string& text, const std::string& place) {
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  const json::json_pointer at(place);
  if (object.is_discarded() || !object.contains(at)) return "";
  return object[at].is_string() ? object[at].get<std::string>() : "";
}

std::string required_text(const std::string& text, const std::string& place,
                          const std::string& origin) {
  std::string found = json_text(text, place);
  if (!found.empty()) return found;
  internal::Message("google credentials")
      .expected("a field \"", place.substr(1), '"')
      .got("none")
      .detail("file", origin)
      .raise<DataError>();
}

AccessToken ask_for_token(const std::string& url, const std::string& form,
                          const std::string& origin) {
  const HttpRequest request = {
      .method = "POST",
      .url = url,
      .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
      .body = form};
  return parse_token(send(request, {.who = "google credentials", .path = url}),
                     origin);
}

AccessToken parse_token(const HttpAnswer& answer, const std::string& origin) {
  const std::string token = json_text(answer.body, "/access_token");
  if (!answer.good() || token.empty()) raise_no_token(answer, origin);
  const json lasts = json::parse(answer.body)["expires_in"];
  constexpr int64_t kUnknown = 600;
  return {token,
          std::chrono::seconds(lasts.is_number_integer() ? lasts.get<int64_t>()
                                                         : kUnknown)};
}

void raise_no_token(const HttpAnswer& answer, const std::string& origin) {
  internal::Message("google credentials")
      .expected("an access token for ", origin)
      .got("status ", answer.status)
      .detail("answer", safe_words(answer))
      .hint(
          "the credentials may have ended: make new ones, for example with "
          "`gcloud auth application-default login`")
      .raise<PermissionDeniedError>();
}

std::string base64_url(const std::string& bytes) {
  // Four characters for three bytes, and the zero that OpenSSL writes.
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()),
                      static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(size));
  for (char& c : text) {
    if (c == '+') c = '-';
    if (c == '/') c = '_';
  }
  text.resize(text.find_last_not_of('=') + 1);
  return text;
}

std::string signed_claim(const std::string& claims, const std::string& key_id,
                         const std::string& private_key,
                         const std::string& origin) {
  json header = {{"alg", "RS256"}, {"typ", "JWT"}};
  if (!key_id.empty()) header["kid"] = key_id;
  const std::string text = base64_url(header.dump()) + "." + base64_url(claims);
  const std::unique_ptr<BIO, int (*)(BIO*)> memory(
      BIO_new_mem_buf(private_key.data(), static_cast<int>(private_key.size())),
      BIO_free);
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(
      PEM_read_bio_PrivateKey(memory.get(), nullptr, nullptr, nullptr),
      EVP_PKEY_free);
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(
      EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  size_t size = 0;
  std::string signature;
  bool good =
      key != nullptr &&
      EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr,
                         key.get()) == 1 &&
      EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) == 1;
  if (good) {
    signature.resize(size);
    good = EVP_DigestSign(context.get(),
                          reinterpret_cast<unsigned char*>(signature.data()),
                          &size, bytes, text.size()) == 1;
    signature.resize(size);
  }
  if (!good) {
    internal::Message("google credentials")
        .expected("a private key in PEM form")
        .got("something else in \"private_key\"")
        .detail("file", origin)
        .raise<DataError>();
  }
  return text + "." + base64_url(signature);
}

}  // namespace systolic::io::detail
