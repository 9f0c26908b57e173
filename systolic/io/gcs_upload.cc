#include "systolic/io/gcs_upload.h"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/io/credentials.h"
#include "systolic/io/gcs.h"
#include "systolic/io/google_identity.h"

namespace systolic::io::detail {
namespace {

// Of a request: a multiple of 256 KiB, as the service wants it.
constexpr size_t kPart = size_t{8} << 20;
constexpr double kCancelSeconds = 5;

// A small object goes up in one request; a larger one in a session that the
// service keeps until its last part is there.
class Upload final : public WritableFile {
 public:
  explicit Upload(std::string path) : path_(std::move(path)), place_(path_) {
    require_file_name("create_file", place_, path_);
  }

  ~Upload() override {
    if (closed_ || session_.empty()) return;
    try {
      send_once(
          {.method = "DELETE", .url = session_, .timeout = kCancelSeconds},
          {.who = "create_file", .path = path_});
    } catch (const Error&) {
      // The service forgets the session by itself, a week later.
    }
  }

  void append(std::span<const std::byte> bytes) override {
    require_open("append");
    while (!bytes.empty()) {
      const size_t count = std::min(kPart - buffer_.size(), bytes.size());
      buffer_.append(reinterpret_cast<const char*>(bytes.data()), count);
      bytes = bytes.subspan(count);
      // The last part is kept, since only it may say the size.
      if (buffer_.size() == kPart && !bytes.empty()) send_part();
    }
  }

  void close() override {
    require_open("close");
    if (session_.empty()) {
      const size_t size = buffer_.size();
      HttpRequest request = {.method = "POST",
                             .url = insert_url("media"),
                             .headers = kBinary,
                             .body = buffer_};
      // Kept, so that a close() that failed can be called again.
      require_size(gcs_send(std::move(request), "close", path_), size);
    } else {
      while (!finish()) {
      }
    }
    closed_ = true;
  }

  const std::string& path() const override { return path_; }

 private:
  inline static const HttpHeaders kBinary = {
      {"Content-Type", "application/octet-stream"}};

  inline static constexpr int64_t kMore = 308;

  // How many bytes the service has, which may keep a part of what is sent:
  // "bytes=0-<last>", or no such header where it has none.
  static size_t kept_of(const HttpAnswer& answer) {
    const std::string& kept = answer.header("range");
    const size_t dash = kept.rfind('-');
    if (dash == std::string::npos) return 0;
    return static_cast<size_t>(std::atoll(kept.c_str() + dash + 1)) + 1;
  }

  void require_open(const char* who) const {
    if (!closed_) return;
    internal::Message(who)
        .expected("a file that is not closed yet")
        .got('"', path_, '"')
        .raise<ValueError>();
  }

  // Throws where the service says that it has another number of bytes.
  void require_size(const HttpAnswer& answer, size_t size) const {
    const auto object =
        nlohmann::json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
    if (!object.is_object() || !object.contains("size")) return;
    const nlohmann::json& kept = object["size"];
    const std::string text =
        kept.is_string() ? kept.get<std::string>() : kept.dump();
    if (text == std::to_string(size)) return;
    internal::Message("close")
        .expected("the service to keep ", size, " bytes")
        .got(text)
        .detail("path", path_)
        .raise<StorageError>();
  }

  std::string insert_url(const std::string& type) const {
    return gcs_endpoint() + "/upload/storage/v1/b/" +
           percent_encoded(place_.bucket) + "/o?uploadType=" + type +
           "&name=" + percent_encoded(place_.object);
  }

  void begin_session() {
    const HttpRequest request = {
        .method = "POST",
        .url = insert_url("resumable"),
        .headers = {{"X-Upload-Content-Type", "application/octet-stream"}}};
    session_ = gcs_send(request, "create_file", path_).header("location");
    if (session_.empty()) {
      internal::Message("create_file")
          .expected("the address of an upload")
          .got("none")
          .detail("path", path_)
          .raise<StorageError>();
    }
  }

  // Sends the buffer; whether the service has all of the file then. `total` is
  // the file's size or "*".
  bool put(const std::string& total) {
    const std::string range =
        buffer_.empty()
            ? "bytes */" + total
            : "bytes " + std::to_string(sent_) + "-" +
                  std::to_string(sent_ + buffer_.size() - 1) + "/" + total;
    HttpRequest request = {
        .method = "PUT", .url = session_, .headers = kBinary, .body = buffer_};
    request.headers.emplace_back("Content-Range", range);
    // A service that keeps nothing of a part wants it once more.
    const auto check = [this](const HttpAnswer& answer) -> std::string {
      if (answer.status != kMore || kept_of(answer) != sent_) return "";
      return "nothing kept of the bytes from " + std::to_string(sent_);
    };
    const HttpAnswer answer = gcs_send(request, "append", path_, kMore, check);
    if (answer.status != kMore) {
      require_size(answer, sent_ + buffer_.size());
      return true;
    }
    const size_t end = kept_of(answer);
    if (end <= sent_ || end > sent_ + buffer_.size()) {
      internal::Message("append")
          .expected("the service to keep some of bytes ", sent_, "-",
                    sent_ + buffer_.size())
          .got('"', answer.header("range"), '"')
          .detail("path", path_)
          .raise<StorageError>();
    }
    buffer_.erase(0, end - sent_);
    sent_ = end;
    return false;
  }

  void send_part() {
    if (session_.empty()) begin_session();
    put("*");
  }

  bool finish() { return put(std::to_string(sent_ + buffer_.size())); }

  const std::string path_;
  const GcsPath place_;
  std::string buffer_;
  std::string session_;
  size_t sent_ = 0;  // bytes that the service has
  bool closed_ = false;
};

}  // namespace

std::unique_ptr<WritableFile> upload_to_gcs(const std::string& path) {
  return std::make_unique<Upload>(path);
}

}  // namespace systolic::io::detail
