// The secrets of a Kaggle notebook's user.
//   kaggle::UserSecretsClient secrets;
//   secrets.set_tensorflow_credential(secrets.get_gcloud_credential());
//   auto files = io::glob("gs://my-private-bucket/*.tfrec");
#pragma once

#include <string>

namespace systolic::kaggle {

// Asks the notebook's service, which KAGGLE_USER_SECRETS_TOKEN opens. Its
// functions throw PermissionDeniedError without the token or the right, and
// StorageError when the service fails.
class UserSecretsClient {
 public:
  // The secret of a label. Throws ValueError for an empty one.
  std::string get_secret(const std::string& label) const;
  // The credentials, as JSON, of the Google Cloud account that the user has
  // joined to the notebook ("Add-ons, Google Cloud SDK").
  std::string get_gcloud_credential() const;
  // Makes all reads and writes of gs:// ask with these credentials.
  void set_tensorflow_credential(const std::string& credential) const;
  // An access token for the user's Google Cloud Storage.
  std::string get_gcs_access_token() const;
};

}  // namespace systolic::kaggle
