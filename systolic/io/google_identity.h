// Where access tokens for Google's storage come from, and until when they last.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "systolic/io/http_client.h"

namespace systolic::io::detail {

// An access token; empty for nobody.
struct AccessToken {
  std::string text;
  std::chrono::seconds lasts{0};
};

// One who asks; safe to use from any thread.
class GoogleIdentity {
 public:
  virtual ~GoogleIdentity() = default;

  // The header that says who asks; none for nobody. Fetches a token where
  // there is none that lasts. Throws PermissionDeniedError or StorageError.
  HttpHeaders headers();
  // Who it is: "service account robot@project", "nobody (anonymous)".
  virtual std::string name() = 0;
  // The places that name() or headers() looked at, for errors; empty where
  // none were.
  virtual std::string tried() { return ""; }

 protected:
  // A new token.
  virtual AccessToken fetch() = 0;

 private:
  std::mutex mutex_;
  AccessToken token_;
  std::chrono::steady_clock::time_point until_;
};

// The identity of the text of a credentials file; `origin` is its path.
// Throws DataError for a text of another kind.
std::shared_ptr<GoogleIdentity> identity_of_json(const std::string& text,
                                                 const std::string& origin);

// The service account of this machine, if a metadata server tells one within a
// second.
std::shared_ptr<GoogleIdentity> identity_of_machine();

// What is asked for: all of Google's storage.
inline constexpr const char* kGoogleScope =
    "https://www.googleapis.com/auth/cloud-platform";

// The string at a place such as "/source/file" of a JSON text; empty where
// there is none.
std::string json_text(const std::string& text, const std::string& place);
// The same, which has to be there. Throws DataError that names `origin`.
std::string required_text(const std::string& text, const std::string& place,
                          const std::string& origin);

// Sends a form to a token server. Throws as parse_token().
AccessToken ask_for_token(const std::string& url, const std::string& form,
                          const std::string& origin);

// Throws the PermissionDeniedError of a token server's refusal.
[[noreturn]] void raise_no_token(const HttpAnswer& answer,
                                 const std::string& origin);

// What a token server answered as a token. Throws PermissionDeniedError that
// names `origin` for a refusal.
AccessToken parse_token(const HttpAnswer& answer, const std::string& origin);

// A signed claim that lasts an hour: "header.claims.signature", RS256. Throws
// DataError for a key that OpenSSL does not take.
std::string signed_claim(const std::string& claims, const std::string& key_id,
                         const std::string& private_key,
                         const std::string& origin);

// Base 64 with - and _ and without = at the end.
std::string base64_url(const std::string& bytes);

}  // namespace systolic::io::detail
