// Tested by: systolic/kaggle/secrets_test.cc
#include "systolic/kaggle/web_client.h"

#include <nlohmann/json.hpp>

#include "systolic/base/message.h"
#include "systolic/base/user_folders.h"
#include "systolic/io/error.h"
#include "systolic/io/http_client.h"

namespace systolic::kaggle::detail {
namespace {

using nlohmann::json;

constexpr const char* kToken = "KAGGLE_USER_SECRETS_TOKEN";

std::string address() {
  const std::string base = internal::environment("KAGGLE_URL_BASE");
  return base.empty() ? "https://www.kaggle.com" : base;
}

}  // namespace

std::string ask_service(const ServiceRequest& request) {
  const std::string token = internal::environment(kToken);
  if (token.empty()) {
    internal::Message(request.who)
        .expected("the token of a Kaggle notebook")
        .got(kToken, " is not set")
        .hint(
            "this works in a notebook on Kaggle; elsewhere give paths and "
            "io::set_google_credentials")
        .raise<io::PermissionDeniedError>();
  }
  json body = json::object();
  for (const auto& [key, value] : request.texts) body[key] = value;
  for (const auto& [key, value] : request.numbers) body[key] = value;
  body["JWE"] = token;
  const std::string url = address() + "/requests/" + request.endpoint;
  const io::detail::HttpAnswer answer = io::detail::send(
      {.method = "POST",
       .url = url,
       .headers = {{"Content-Type", "application/json"},
                   {"X-Kaggle-Authorization", "Bearer " + token}},
       .body = body.dump(),
       .timeout = request.timeout},
      {.who = request.who, .path = url});
  if (!answer.good()) io::detail::raise_refused(request.who, url, answer);
  const json object =
      json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
  const bool done = object.is_object() && object.contains("wasSuccessful") &&
                    object["wasSuccessful"] == true;
  if (done && object.contains("result")) {
    const json& result = object["result"];
    if (result.is_object() && result.contains(request.wanted) &&
        result[request.wanted].is_string()) {
      return result[request.wanted].get<std::string>();
    }
  }
  // What is no refusal may have the secret in another place.
  internal::Message(request.who)
      .expected("an answer with \"", request.wanted, '"')
      .got(done ? io::detail::safe_words(answer)
                : '"' + io::detail::first_words(answer) + '"')
      .detail("address", url)
      .raise<io::StorageError>();
}

}  // namespace systolic::kaggle::detail
