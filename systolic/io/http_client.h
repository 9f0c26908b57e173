// Requests to web servers, sent again where that may help.
//   HttpAnswer answer = send({.url = "https://example.org/a"}, {.path = url});
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace systolic::io::detail {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// What is asked.
struct HttpRequest {
  std::string method = "GET";
  std::string url;
  HttpHeaders headers = {};
  std::string body = {};
  // The answer is broken off behind so many bytes.
  size_t most_bytes = SIZE_MAX;
  // Where the bytes of an answer 206 go in place of its body; it is broken off
  // behind them.
  std::span<std::byte> part = {};
  // Seconds for all of it; 0 sets no limit beside those of StorageOptions.
  double timeout = 0;
};

// What came back.
struct HttpAnswer {
  int64_t status = 0;                          // 0: no answer, see error
  std::map<std::string, std::string> headers;  // by lower-case name
  std::string body;
  size_t part_bytes = 0;  // that came for `part`, or one more than it takes
  std::string error;      // why there is no answer
  bool final = false;     // whether there will be none another time either
  int64_t tries = 1;      // which request it answers

  // A header's value; empty where it is not there.
  const std::string& header(const std::string& name) const;
  // Whether the status is 2xx.
  bool good() const { return status >= 200 && status < 300; }
};

// What belongs to a request besides the request.
struct SendOptions {
  // The function and the path that errors name.
  std::string who = "open_file";
  std::string path;
  // Says what is wrong with an answer that may be good the next time; empty
  // where nothing is.
  std::function<std::string(const HttpAnswer&)> check = {};
  // Requested when nobody wants the answer any more.
  std::stop_token stop = {};
};

// Sends a request, up to max_retries times more while the connection or the
// service fails, and returns the answer: a good one or a refusal, which is
// never retried. Throws StorageError when the retries are used up.
HttpAnswer send(const HttpRequest& request, const SendOptions& options);

// Sends a request once. Throws StorageError where this build has no libcurl.
HttpAnswer send_once(const HttpRequest& request, const SendOptions& options);

// Throws the error of an answer that is no success: NotFoundError for 404,
// PermissionDeniedError for 401 and 403, else StorageError.
[[noreturn]] void raise_refused(const std::string& who, const std::string& path,
                                const HttpAnswer& answer);

// The first words of what a server said, on one line.
std::string first_words(const HttpAnswer& answer);

// The same of a service that gives secrets: of an answer that is no refusal
// only the names of its fields.
std::string safe_words(const HttpAnswer& answer);

// The text as part of an address: all but letters, digits and -._~ as %xx.
std::string percent_encoded(const std::string& text);

}  // namespace systolic::io::detail
