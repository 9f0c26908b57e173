#include "systolic/io/credentials.h"

#include <optional>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/base/user_folders.h"
#include "systolic/io/file_system.h"
#include "systolic/io/gcs.h"
#include "systolic/io/google_identity.h"
#include "systolic/io/path.h"

namespace systolic::io {
namespace {

using detail::AccessToken;
using detail::GoogleIdentity;

// A token that does not say how long it lasts is asked for again five minutes
// before this, ten minutes after it was given.
constexpr std::chrono::seconds kGivenLasts{900};
// How long the base class keeps the token of an identity that keeps its own.
constexpr std::chrono::seconds kLookAgain{60};

class Nobody final : public GoogleIdentity {
 public:
  std::string name() override { return "nobody (anonymous)"; }

 protected:
  AccessToken fetch() override { return {}; }
};

class Given final : public GoogleIdentity {
 public:
  explicit Given(std::function<std::string()> next) : next_(std::move(next)) {}

  std::string name() override { return "the owner of the given access token"; }

 protected:
  AccessToken fetch() override {
    std::string token = next_();
    if (token.empty()) {
      internal::Message("google credentials")
          .expected("an access token")
          .got("an empty text")
          .hint("io::GoogleCredentials::anonymous() asks as nobody")
          .raise<PermissionDeniedError>();
    }
    return {std::move(token), kGivenLasts};
  }

 private:
  const std::function<std::string()> next_;
};

// Looks for the first place that has credentials.
class Default final : public GoogleIdentity {
 public:
  std::string name() override { return found()->name(); }
  std::string tried() override {
    const std::lock_guard lock(mutex_);
    return tried_;
  }

 protected:
  AccessToken fetch() override {
    const HttpHeadersText token(found()->headers());
    return {token.text, kLookAgain};
  }

 private:
  // The token of "Bearer <token>".
  struct HttpHeadersText {
    explicit HttpHeadersText(const detail::HttpHeaders& headers) {
      constexpr size_t kBearer = 7;
      if (!headers.empty()) text = headers.front().second.substr(kBearer);
    }
    std::string text;
  };

  // Shared: another thread may look again while this one is used.
  std::shared_ptr<GoogleIdentity> found() {
    const std::lock_guard lock(mutex_);
    // A metadata server may be slow once; that it is not there is believed
    // behind some tries.
    constexpr int kMostMisses = 3;
    if (found_ == nullptr || (missed_ && misses_ < kMostMisses)) {
      found_ = look();
    }
    return found_;
  }

  void note(const std::string& what) {
    tried_ += (tried_.empty() ? "" : "; ") + what;
  }

  std::shared_ptr<GoogleIdentity> look() {
    tried_.clear();
    missed_ = false;
    const std::string file =
        internal::environment("GOOGLE_APPLICATION_CREDENTIALS");
    if (!file.empty()) {
      note("GOOGLE_APPLICATION_CREDENTIALS: " + file);
      return detail::identity_of_json(read_file(file), file);
    }
    note("GOOGLE_APPLICATION_CREDENTIALS: not set");
    std::string folder = internal::environment("CLOUDSDK_CONFIG");
    if (folder.empty()) {
      folder = (internal::home_folder() / ".config" / "gcloud").string();
    }
    const std::string user =
        join_path(folder, "application_default_credentials.json");
    if (exists(user)) {
      note(user);
      return detail::identity_of_json(read_file(user), user);
    }
    note(user + ": not there");
    if (internal::environment("NO_GCE_CHECK") == "true") {
      note("metadata server: NO_GCE_CHECK is set");
    } else if (auto machine = detail::identity_of_machine()) {
      note("metadata server");
      return machine;
    } else {
      note("metadata server: none");
      missed_ = true;
      ++misses_;
    }
    return std::make_shared<Nobody>();
  }

  std::mutex mutex_;
  std::shared_ptr<GoogleIdentity> found_;
  std::string tried_;
  bool missed_ = false;  // whether the metadata server did not answer last time
  int misses_ = 0;       // how often it did not
};

std::mutex mutex;

std::optional<GoogleCredentials>& current() {
  static std::optional<GoogleCredentials> credentials;
  return credentials;
}

}  // namespace

GoogleCredentials::GoogleCredentials(std::shared_ptr<GoogleIdentity> identity)
    : identity_(std::move(identity)) {}

GoogleCredentials GoogleCredentials::application_default() {
  return GoogleCredentials(std::make_shared<Default>());
}

GoogleCredentials GoogleCredentials::from_file(const std::string& path) {
  return GoogleCredentials(detail::identity_of_json(read_file(path), path));
}

GoogleCredentials GoogleCredentials::from_json(const std::string& text) {
  return GoogleCredentials(detail::identity_of_json(text, "the given JSON"));
}

GoogleCredentials GoogleCredentials::access_token(const std::string& token) {
  return access_token([token] { return token; });
}

GoogleCredentials GoogleCredentials::access_token(
    std::function<std::string()> next) {
  return GoogleCredentials(std::make_shared<Given>(std::move(next)));
}

GoogleCredentials GoogleCredentials::anonymous() {
  return GoogleCredentials(std::make_shared<Nobody>());
}

void set_google_credentials(const GoogleCredentials& credentials) {
  const std::lock_guard lock(mutex);
  current() = credentials;
}

GoogleCredentials google_credentials() {
  const std::lock_guard lock(mutex);
  if (!current()) {
    // An emulator knows nobody, and is on this machine.
    current() = detail::gcs_is_emulated()
                    ? GoogleCredentials::anonymous()
                    : GoogleCredentials::application_default();
  }
  return *current();
}

std::string whoami(const std::string& path) {
  if (detail::scheme_of(path) != "gs") {
    return path + ": the credentials of its own place of storage";
  }
  GoogleIdentity& identity = *google_credentials().identity();
  const std::string name = identity.name();
  const std::string tried = identity.tried();
  return name + (tried.empty() ? "" : " (tried: " + tried + ")");
}

}  // namespace systolic::io
