#include "systolic/kaggle/secrets.h"

#include "systolic/base/error.h"
#include "systolic/base/message.h"
#include "systolic/io/credentials.h"
#include "systolic/kaggle/web_client.h"

namespace systolic::kaggle {
namespace {

constexpr const char* kGoogleLabel = "__gcloud_sdk_auth__";
// What the service calls Google Cloud Storage.
constexpr int kStorageTarget = 2;

}  // namespace

std::string UserSecretsClient::get_secret(const std::string& label) const {
  if (label.empty()) {
    internal::Message("get_secret")
        .expected("the label of a secret")
        .got("an empty one")
        .raise<ValueError>();
  }
  return detail::ask_service({.who = "get_secret",
                              .endpoint = "GetUserSecretByLabelRequest",
                              .texts = {{"Label", label}},
                              .wanted = "secret"});
}

std::string UserSecretsClient::get_gcloud_credential() const {
  return get_secret(kGoogleLabel);
}

void UserSecretsClient::set_tensorflow_credential(
    const std::string& credential) const {
  io::set_google_credentials(io::GoogleCredentials::from_json(credential));
}

std::string UserSecretsClient::get_gcs_access_token() const {
  return detail::ask_service({.who = "get_gcs_access_token",
                              .endpoint = "GetUserSecretRequest",
                              .numbers = {{"Target", kStorageTarget}},
                              .wanted = "secret"});
}

}  // namespace systolic::kaggle
