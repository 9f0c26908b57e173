// Google credentials and the storage service for the length of a test.
#pragma once

#include <string>

#include "systolic/io/credentials.h"
#include "systolic/io/test_storage_options.h"
#include "systolic/testing/environment_guard.h"

namespace systolic::io::detail {

// Asks with the credentials and brings back those before.
class CredentialsGuard {
 public:
  explicit CredentialsGuard(const GoogleCredentials& credentials)
      : before_(google_credentials()) {
    set_google_credentials(credentials);
  }
  ~CredentialsGuard() { set_google_credentials(before_); }
  CredentialsGuard(const CredentialsGuard&) = delete;
  CredentialsGuard& operator=(const CredentialsGuard&) = delete;

 private:
  const GoogleCredentials before_;
};

// Sends gs:// to a test's server, as `credentials`, with short waits.
class GcsGuard {
 public:
  explicit GcsGuard(
      const std::string& url,
      const GoogleCredentials& credentials = GoogleCredentials::anonymous())
      : endpoint_("STORAGE_EMULATOR_HOST", url), credentials_(credentials) {}

 private:
  const systolic::testing::EnvironmentGuard endpoint_;
  const CredentialsGuard credentials_;
  const StorageOptionsGuard options_{{.max_retries = 3,
                                      .first_retry_wait = 0.001,
                                      .longest_retry_wait = 0.01}};
};

}  // namespace systolic::io::detail
