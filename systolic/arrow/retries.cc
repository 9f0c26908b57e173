// Tested by: tests/storage/s3_test.cc
#include "systolic/arrow/retries.h"

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "systolic/io/retry_wait.h"

namespace systolic::arrow_module {
namespace {

// What Arrow calls the errors that come without words of their own, by the
// client's numbers.
struct ErrorName {
  int type;
  std::string_view name;
};
constexpr std::array kErrorNames{ErrorName{1, "INTERNAL_FAILURE"},
                                 ErrorName{12, "SERVICE_UNAVAILABLE"},
                                 ErrorName{13, "THROTTLING"},
                                 ErrorName{15, "ACCESS_DENIED"},
                                 ErrorName{16, "RESOURCE_NOT_FOUND"},
                                 ErrorName{19, "SLOW_DOWN"},
                                 ErrorName{24, "REQUEST_TIMEOUT"},
                                 ErrorName{99, "NETWORK_CONNECTION"},
                                 ErrorName{100, "UNKNOWN"}};

// Whether Arrow's text can be of an error: that of each HEAD is the same but
// for the name.
bool names(const std::string& text, int type) {
  const auto* const row =
      std::ranges::find(kErrorNames, type, &ErrorName::type);
  return row == kErrorNames.end() ||
         text.find("AWS Error " + std::string(row->name) + " ") !=
             std::string::npos;
}

// Arrow hands on what a service or the connection said, but not how often it
// was asked: what its client is told here is kept until the error is written.
class Failures {
 public:
  using Detail = arrow::fs::S3RetryStrategy::AWSErrorDetail;

  void add(const Detail& error, const LastTry& last) {
    constexpr size_t kMost = 64;
    const std::lock_guard lock(mutex_);
    failures_.emplace_front(error, last);
    if (failures_.size() > kMost) failures_.pop_back();
  }
  std::optional<LastTry> find(const std::string& text) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [error, last] : failures_) {
      if (text.ends_with(" operation: " + error.message) &&
          names(text, error.error_type)) {
        return last;
      }
    }
    return std::nullopt;
  }

  static Failures& all() {
    // Never destroyed: requests may be under way when the program ends.
    static auto* failures = new Failures;
    return *failures;
  }

 private:
  mutable std::mutex mutex_;
  std::deque<std::pair<Detail, LastTry>> failures_;  // the latest first
};

class Retries final : public arrow::fs::S3RetryStrategy {
 public:
  explicit Retries(const io::StorageOptions& limits) : limits_(limits) {}

  bool ShouldRetry(const AWSErrorDetail& error, int64_t retries) override {
    const bool again = error.should_retry && retries < limits_.max_retries;
    if (!again) Failures::all().add(error, {retries + 1, error.should_retry});
    return again;
  }
  int64_t CalculateDelayBeforeNextRetry(const AWSErrorDetail& /*error*/,
                                        int64_t retries) override {
    constexpr double kMilliseconds = 1000;
    return static_cast<int64_t>(kMilliseconds *
                                io::detail::retry_wait(limits_, retries + 1));
  }

 private:
  const io::StorageOptions limits_;
};

}  // namespace

std::shared_ptr<arrow::fs::S3RetryStrategy> make_retries(
    const io::StorageOptions& limits) {
  return std::make_shared<Retries>(limits);
}

std::optional<LastTry> last_try(const arrow::Status& status) {
  return Failures::all().find(status.message());
}

bool is_used_up(const arrow::Status& status) {
  const std::optional<LastTry> last = last_try(status);
  return last && last->used_up;
}

}  // namespace systolic::arrow_module
