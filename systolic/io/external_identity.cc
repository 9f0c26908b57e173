#include "systolic/io/external_identity.h"

#include <time.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/io/error.h"
#include "systolic/io/file_system.h"

namespace systolic::io::detail {
namespace {

using nlohmann::json;

constexpr const char* kWho = "google credentials";

// "robot@project" of ".../serviceAccounts/robot@project:generateAccessToken".
std::string account_of(const std::string& url) {
  const size_t begin = url.rfind('/') + 1;
  return url.substr(begin, url.find(':', begin) - begin);
}

// How long a token lasts that ends at "2030-01-02T03:04:05Z".
std::chrono::seconds lasts_until(const std::string& end) {
  constexpr std::chrono::seconds kUnknown{600};
  struct tm date {};
  if (strptime(end.c_str(), "%Y-%m-%dT%H:%M:%S", &date) == nullptr) {
    return kUnknown;
  }
  return std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::system_clock::from_time_t(timegm(&date)) -
      std::chrono::system_clock::now());
}

// Acting as a service account.
struct Impersonation {
  std::string url;
  json delegates = json::array();
  int64_t lifetime = 3600;

  // The account's token, for one who asks with `headers`.
  AccessToken ask(HttpHeaders headers, const std::string& origin) const {
    json body = {{"scope", {kGoogleScope}},
                 {"lifetime", std::to_string(lifetime) + "s"}};
    if (!delegates.empty()) body["delegates"] = delegates;
    headers.emplace_back("Content-Type", "application/json");
    const HttpAnswer answer = send({.method = "POST",
                                    .url = url,
                                    .headers = std::move(headers),
                                    .body = body.dump()},
                                   {.who = kWho, .path = url});
    const std::string token = json_text(answer.body, "/accessToken");
    if (!answer.good() || token.empty()) {
      raise_no_token(answer, origin + " as " + account_of(url));
    }
    return {token, lasts_until(json_text(answer.body, "/expireTime"))};
  }
};

class ExternalAccount final : public GoogleIdentity {
 public:
  ExternalAccount(const std::string& text, std::string origin)
      : origin_(std::move(origin)),
        text_(text),
        file_(json_text(text, "/credential_source/file")),
        url_(json_text(text, "/credential_source/url")),
        address_(required_text(text, "/token_url", origin_)),
        form_(
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-"
            "exchange&requested_token_type=urn%3Aietf%3Aparams%3Aoauth%3A"
            "token-type%3Aaccess_token&scope=" +
            percent_encoded(kGoogleScope) + "&audience=" +
            percent_encoded(required_text(text, "/audience", origin_)) +
            "&subject_token_type=" +
            percent_encoded(
                required_text(text, "/subject_token_type", origin_))) {
    impersonation_.url = json_text(text, "/service_account_impersonation_url");
    const json options =
        json::parse(text).value("service_account_impersonation", json());
    if (options.contains("token_lifetime_seconds") &&
        options["token_lifetime_seconds"].is_number_integer()) {
      impersonation_.lifetime = options["token_lifetime_seconds"];
    }
    if (file_.empty() && url_.empty()) {
      internal::Message(kWho)
          .expected("a \"credential_source\" with a \"file\" or a \"url\"")
          .got("another one, such as Amazon's or a program")
          .detail("file", origin_)
          .hint("get a token by yourself: GoogleCredentials::access_token()")
          .raise<DataError>();
    }
  }

  std::string name() override {
    const std::string as =
        impersonation_.url.empty()
            ? ""
            : " as service account " + account_of(impersonation_.url);
    return "workload identity of " + origin_ + as;
  }

 protected:
  AccessToken fetch() override {
    AccessToken token = ask_for_token(
        address_, form_ + "&subject_token=" + percent_encoded(subject_token()),
        origin_);
    if (impersonation_.url.empty()) return token;
    return impersonation_.ask({{"Authorization", "Bearer " + token.text}},
                              origin_);
  }

 private:
  // What says who asks, to be exchanged: read each time, since others replace
  // it before it ends.
  std::string subject_token() const {
    std::string subject = file_.empty() ? subject_of_url() : read_file(file_);
    if (json_text(text_, "/credential_source/format/type") == "json") {
      const std::string key = required_text(
          text_, "/credential_source/format/subject_token_field_name", origin_);
      subject = required_text(subject, "/" + key, file_.empty() ? url_ : file_);
    }
    subject.resize(subject.find_last_not_of(" \t\r\n") + 1);
    return subject;
  }

  std::string subject_of_url() const {
    HttpRequest request = {.url = url_};
    const json source = json::parse(text_)["credential_source"];
    const json headers = source.value("headers", json::object());
    for (const auto& [name, value] : headers.items()) {
      if (value.is_string()) {
        request.headers.emplace_back(name, value.get<std::string>());
      }
    }
    const HttpAnswer answer = send(request, {.who = kWho, .path = url_});
    if (!answer.good()) raise_no_token(answer, url_);
    return answer.body;
  }

  const std::string origin_;
  const std::string text_;
  const std::string file_;
  const std::string url_;
  const std::string address_;
  const std::string form_;
  Impersonation impersonation_;
};

class ImpersonatedAccount final : public GoogleIdentity {
 public:
  ImpersonatedAccount(const std::string& text, std::string origin)
      : origin_(std::move(origin)) {
    const json file = json::parse(text);
    impersonation_.url =
        required_text(text, "/service_account_impersonation_url", origin_);
    impersonation_.delegates = file.value("delegates", json::array());
    source_ = identity_of_json(
        file.value("source_credentials", json::object()).dump(), origin_);
  }

  std::string name() override {
    return "service account " + account_of(impersonation_.url) + ", asked by " +
           source_->name();
  }

 protected:
  AccessToken fetch() override {
    return impersonation_.ask(source_->headers(), origin_);
  }

 private:
  const std::string origin_;
  Impersonation impersonation_;
  std::shared_ptr<GoogleIdentity> source_;
};

}  // namespace

std::shared_ptr<GoogleIdentity> external_account(const std::string& text,
                                                 const std::string& origin) {
  return std::make_shared<ExternalAccount>(text, origin);
}

std::shared_ptr<GoogleIdentity> impersonated_account(
    const std::string& text, const std::string& origin) {
  return std::make_shared<ImpersonatedAccount>(text, origin);
}

}  // namespace systolic::io::detail
