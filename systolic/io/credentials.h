// Who asks Google's storage (gs://).
//   io::set_google_credentials(io::GoogleCredentials::access_token(token));
//   output() << io::whoami("gs://bucket");
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace systolic::io {

namespace detail {
class GoogleIdentity;
}  // namespace detail

// An identity that every read and write of gs:// uses; a copy is the same one.
class GoogleCredentials {
 public:
  // The first there is of: the file that GOOGLE_APPLICATION_CREDENTIALS names,
  // the user's of `gcloud auth application-default login`, the service account
  // of the machine (its metadata server), nobody. Looked for at the first use.
  static GoogleCredentials application_default();
  // A service account's key or a user's credentials. Throws NotFoundError, or
  // DataError for a file of another kind.
  static GoogleCredentials from_file(const std::string& path);
  // The same from the file's text.
  static GoogleCredentials from_json(const std::string& text);
  // An OAuth 2.0 access token as it is.
  static GoogleCredentials access_token(const std::string& token);
  // Access tokens that `next` gives: asked for again every ten minutes. Reads
  // and writes throw PermissionDeniedError where it gives an empty text.
  static GoogleCredentials access_token(std::function<std::string()> next);
  // Nobody: enough for public buckets.
  static GoogleCredentials anonymous();

  explicit GoogleCredentials(std::shared_ptr<detail::GoogleIdentity> identity);
  const std::shared_ptr<detail::GoogleIdentity>& identity() const {
    return identity_;
  }

 private:
  std::shared_ptr<detail::GoogleIdentity> identity_;
};

// Makes all that follows ask with these credentials.
void set_google_credentials(const GoogleCredentials& credentials);
// The credentials in use; application_default() where none were set.
GoogleCredentials google_credentials();

// Who reads and writes the path, where the credentials come from and which
// places were looked at before, in one line.
std::string whoami(const std::string& path);

}  // namespace systolic::io
