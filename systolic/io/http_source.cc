#include "systolic/io/http_source.h"

#include <time.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/io/read_ahead.h"

namespace systolic::io::detail {
namespace {

// A server without range requests has to send all of it, which stays in memory.
constexpr size_t kMostWithoutRanges = size_t{1} << 30;

// What `Content-Range: bytes 0-99/1234` says; -1 for what it does not.
struct ContentRange {
  int64_t first = -1;
  int64_t last = -1;
  int64_t size = -1;
};

// The number that `*text` begins with, taken from it; -1 where there is none.
int64_t take_number(std::string_view* text) {
  int64_t number = -1;
  while (!text->empty() &&
         std::isdigit(static_cast<unsigned char>(text->front())) != 0) {
    if (number > INT64_MAX / 10 - 10) return -1;
    number = std::max<int64_t>(number, 0) * 10 + (text->front() - '0');
    text->remove_prefix(1);
  }
  return number;
}

bool take(std::string_view* text, std::string_view wanted) {
  if (text->substr(0, wanted.size()) != wanted) return false;
  text->remove_prefix(wanted.size());
  return true;
}

ContentRange parse_content_range(std::string_view text) {
  ContentRange range;
  if (!take(&text, "bytes ")) return range;
  if (!take(&text, "*")) {
    range.first = take_number(&text);
    if (!take(&text, "-")) return {};
    range.last = take_number(&text);
  }
  if (take(&text, "/")) range.size = take_number(&text);
  return range;
}

// A file of which all bytes came at once.
class BytesFile final : public RandomAccessFile {
 public:
  BytesFile(std::string path, std::string bytes)
      : path_(std::move(path)), bytes_(std::move(bytes)) {}

  size_t read_at(int64_t offset, std::span<std::byte> out) override {
    const auto size = static_cast<int64_t>(bytes_.size());
    if (offset < 0 || offset >= size) return 0;
    const size_t count =
        std::min(out.size(), static_cast<size_t>(size - offset));
    std::memcpy(out.data(), bytes_.data() + offset, count);
    return count;
  }
  int64_t size() const override { return static_cast<int64_t>(bytes_.size()); }
  const std::string& path() const override { return path_; }

 private:
  const std::string path_;
  const std::string bytes_;
};

HttpRequest request_for(const HttpPlace& place) {
  HttpRequest request;
  request.url = place.url;
  if (place.headers) request.headers = place.headers();
  return request;
}

[[noreturn]] void refuse(const HttpPlace& place, const std::string& who,
                         const HttpAnswer& answer) {
  if (place.refuse) place.refuse(who, answer);
  raise_refused(who, place.path, answer);
}

std::string range_text(int64_t first, int64_t last) {
  return "bytes=" + std::to_string(first) + "-" + std::to_string(last);
}

// What a version begins with that is a time of writing.
constexpr std::string_view kDate = "lm:";
constexpr const char* kDateHeader = "last-modified";

// The version that an answer tells; its time of writing where the server has
// no other name for versions.
std::string version_of(const HttpPlace& place, const HttpAnswer& answer) {
  const std::string& version = answer.header(place.version_header);
  const std::string& date = answer.header(kDateHeader);
  if (!version.empty() || date.empty() || !place.version_query.empty()) {
    return version;
  }
  return std::string(kDate) + date;
}

// One version of a file on a server with range requests.
class HttpSource final : public RangeSource {
 public:
  HttpSource(HttpPlace place, int64_t size, std::string version)
      : place_(std::move(place)), size_(size), version_(std::move(version)) {}

  void fetch(int64_t offset, std::span<std::byte> out,
             const std::stop_token& stop) override {
    const auto wanted = static_cast<int64_t>(out.size());
    HttpRequest request = request_for(place_);
    request.headers.emplace_back("Range",
                                 range_text(offset, offset + wanted - 1));
    request.part = out;
    // Of what is no part.
    request.most_bytes = out.size() + 1;
    ask_for_version(&request);
    const auto check = [&](const HttpAnswer& answer) -> std::string {
      if (answer.status != 206 || answer.part_bytes == out.size()) return "";
      return std::to_string(answer.part_bytes) + " bytes of the " +
             std::to_string(wanted) + " from " + std::to_string(offset);
    };
    const HttpAnswer answer =
        send(request, {"read_at", place_.path, check, stop});
    if (answer.status == 412 || answer.status == 404 || answer.status == 416) {
      raise_changed(answer.status == 404 ? "none" : "another");
    }
    if (!answer.good()) refuse(place_, "read_at", answer);
    const ContentRange range =
        parse_content_range(answer.header("content-range"));
    if (range.size >= 0 && range.size != size_) {
      raise_changed(std::to_string(range.size) + " bytes");
    }
    require_version(answer);
    if (answer.status != 206 || range.first != offset) {
      internal::Message("read_at")
          .expected("the bytes from ", offset, " of \"", place_.path, '"')
          .got("others: the server answers \"", answer.header("content-range"),
               '"')
          .raise<StorageError>();
    }
  }

  int64_t size() const override { return size_; }
  const std::string& path() const override { return place_.path; }
  const std::string& version() const override { return version_; }

 private:
  void ask_for_version(HttpRequest* request) const {
    if (version_.empty()) return;
    if (has_date()) {
      request->headers.emplace_back("If-Unmodified-Since",
                                    version_.substr(kDate.size()));
    } else if (!place_.version_query.empty()) {
      request->url += request->url.find('?') == std::string::npos ? '?' : '&';
      request->url += place_.version_query + "=" + version_;
    } else if (version_.substr(0, 2) != "W/") {
      request->headers.emplace_back("If-Match", version_);
    }
  }

  bool has_date() const { return version_.starts_with(kDate); }

  // Not all servers mind conditions, and not all tell the version each time.
  void require_version(const HttpAnswer& answer) const {
    const std::string& got =
        answer.header(has_date() ? kDateHeader : place_.version_header);
    const std::string now = (has_date() ? std::string(kDate) : "") + got;
    if (!got.empty() && now != version_) raise_changed(now);
  }

  [[noreturn]] void raise_changed(const std::string& now) const {
    internal::Message("read_at")
        .rule("the file changed while it was read")
        .detail("path", place_.path)
        .detail("opened", size_, " bytes, version ",
                version_.empty() ? "unknown" : version_)
        .detail("now", now)
        .hint(
            "open it again; write to another name and rename instead of "
            "writing over a file in use")
        .raise<StorageError>();
  }

  const HttpPlace place_;
  const int64_t size_;
  const std::string version_;
};

// Reads all of it at once. `first` is the answer to a request for a first part:
// only 200 says that it is of the whole file.
std::unique_ptr<RandomAccessFile> open_without_ranges(
    const HttpPlace& place, const ReadOptions& options, HttpAnswer first,
    size_t limit) {
  constexpr int64_t kPart = 206;
  if (first.status != 200 || first.body.size() > limit) {
    HttpRequest request = request_for(place);
    request.most_bytes = kMostWithoutRanges + 1;
    first = send(request, {"open_file", place.path, {}, options.stop});
    if (!first.good() || first.status == kPart) {
      refuse(place, "open_file", first);
    }
  }
  if (first.body.size() > kMostWithoutRanges) {
    internal::Message("open_file")
        .expected("a server with range requests for a file of more than ",
                  kMostWithoutRanges, " bytes")
        .got('"', place.path, "\" from one without")
        .hint("copy it to a disk first")
        .raise<StorageError>();
  }
  return std::make_unique<BytesFile>(place.path, std::move(first.body));
}

}  // namespace

std::unique_ptr<RandomAccessFile> open_http(const HttpPlace& place,
                                            const ReadOptions& options) {
  HttpRequest request = request_for(place);
  const int64_t block = std::clamp<int64_t>(*with_defaults(options).block_size,
                                            1, kMostBlockSize);
  request.headers.emplace_back("Range", range_text(0, block - 1));
  request.most_bytes = static_cast<size_t>(block) + 1;
  const auto check = [](const HttpAnswer& answer) -> std::string {
    const ContentRange range =
        parse_content_range(answer.header("content-range"));
    const int64_t wanted = range.last - range.first + 1;
    const auto got = static_cast<int64_t>(answer.body.size());
    if (answer.status != 206 || (got == wanted && range.first == 0)) return "";
    return std::to_string(got) + " bytes of the first " +
           std::to_string(wanted);
  };
  HttpAnswer answer =
      send(request, {"open_file", place.path, check, options.stop});
  const ContentRange range =
      parse_content_range(answer.header("content-range"));
  if (answer.status == 416 && range.size == 0) {
    return std::make_unique<BytesFile>(place.path, "");  // an empty file
  }
  if (!answer.good() && answer.status != 416) {
    refuse(place, "open_file", answer);
  }
  if (answer.status != 206 || range.size < 0) {
    return open_without_ranges(place, options, std::move(answer),
                               static_cast<size_t>(block));
  }
  auto source = std::make_shared<HttpSource>(place, range.size,
                                             version_of(place, answer));
  return read_ahead(std::move(source), options, answer.body);
}

std::optional<FileStat> find_http(const HttpPlace& place) {
  HttpRequest request = request_for(place);
  // One byte: servers that refuse HEAD are many.
  request.headers.emplace_back("Range", range_text(0, 0));
  request.most_bytes = 2;
  const HttpAnswer answer = send(request, {"stat", place.path});
  if (answer.status == 404 || answer.status == 410) return {};
  const ContentRange range =
      parse_content_range(answer.header("content-range"));
  if (!answer.good() && answer.status != 416) refuse(place, "stat", answer);
  FileStat stat;
  stat.size = range.size;  // -1 where it is not known
  if (answer.status == 200) {
    std::string_view length = answer.header("content-length");
    stat.size = answer.body.size() < request.most_bytes
                    ? static_cast<int64_t>(answer.body.size())
                    : take_number(&length);
  }
  stat.version = version_of(place, answer);
  struct tm date {};
  if (strptime(answer.header(kDateHeader).c_str(), "%a, %d %b %Y %H:%M:%S",
               &date) != nullptr) {
    stat.modified = std::chrono::system_clock::from_time_t(timegm(&date));
  }
  return stat;
}

}  // namespace systolic::io::detail
