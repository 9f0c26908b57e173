#include "systolic/io/http_client.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>

#include "systolic/base/message.h"
#include "systolic/base/user_folders.h"
#include "systolic/io/error.h"
#include "systolic/io/retry_wait.h"
#include "systolic/io/storage_options.h"

#ifdef SYSTOLIC_HAVE_CURL
#include <curl/curl.h>
#endif

namespace systolic::io::detail {
namespace {

// Whether the same request may be answered better a moment later.
bool is_passing(int64_t status) {
  constexpr std::array<int64_t, 7> kPassing = {0, 408, 429, 500, 502, 503, 504};
  return std::find(kPassing.begin(), kPassing.end(), status) != kPassing.end();
}

// Waits, but not longer than until a stop is requested.
void wait(double seconds, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, std::chrono::duration<double>(seconds),
                 [] { return false; });
}

// The seconds that a service asks to wait; 0 where it does not say.
double asked_wait(const HttpAnswer& answer) {
  return std::max(0.0, std::atof(answer.header("retry-after").c_str()));
}

std::string status_text(const HttpAnswer& answer) {
  if (answer.status == 0) return "no answer: " + answer.error;
  return "status " + std::to_string(answer.status);
}

}  // namespace

const std::string& HttpAnswer::header(const std::string& name) const {
  static const std::string none;
  const auto found = headers.find(name);
  return found == headers.end() ? none : found->second;
}

HttpAnswer send(const HttpRequest& request, const SendOptions& options) {
  const StorageOptions limits = storage_options();
  const auto begin = std::chrono::steady_clock::now();
  for (int64_t tries = 1;; ++tries) {
    HttpAnswer answer = send_once(request, options);
    std::string wrong;
    if (is_passing(answer.status)) {
      wrong = status_text(answer);
    } else if (options.check) {
      wrong = options.check(answer);
    }
    answer.tries = tries;
    if (wrong.empty()) return answer;
    if (answer.final || tries > limits.max_retries ||
        options.stop.stop_requested()) {
      const std::chrono::duration<double> taken =
          std::chrono::steady_clock::now() - begin;
      internal::Message message(options.who);
      message.expected("the service to answer for \"", options.path, '"');
      message.got(wrong);
      message.detail("tries", tries, " in ",
                     static_cast<int64_t>(taken.count() * 1000), " ms");
      if (!answer.body.empty() && answer.status >= 400) {
        message.detail("answer", first_words(answer));
      }
      if (!answer.final) {
        message.hint("io::set_storage_options sets max_retries and the waits");
      }
      message.raise<StorageError>();
    }
    wait(std::max(retry_wait(limits, tries),
                  std::min(asked_wait(answer), limits.longest_retry_wait)),
         options.stop);
  }
}

std::string first_words(const HttpAnswer& answer) {
  constexpr size_t kMost = 300;
  std::string text;
  for (const char c : answer.body) {
    if (text.size() == kMost) return text + "...";
    const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!space) {
      text += std::isprint(static_cast<unsigned char>(c)) != 0 ? c : '?';
    } else if (!text.empty() && text.back() != ' ') {
      text += ' ';
    }
  }
  return text;
}

std::string safe_words(const HttpAnswer& answer) {
  if (!answer.good()) return first_words(answer);
  const auto object = nlohmann::json::parse(answer.body, nullptr,
                                            /*allow_exceptions=*/false);
  if (!object.is_object()) {
    return std::to_string(answer.body.size()) + " bytes that are no object";
  }
  std::string text = "an object of the fields";
  for (const auto& [name, value] : object.items()) text += " \"" + name + '"';
  return text;
}

void raise_refused(const std::string& who, const std::string& path,
                   const HttpAnswer& answer) {
  internal::Message message(who);
  message.expected("a file that can be had").got('"', path, '"');
  message.detail("status", answer.status);
  if (!answer.body.empty()) message.detail("answer", first_words(answer));
  switch (answer.status) {
    case 404:
    case 410:
      message.raise<NotFoundError>();
    case 401:
    case 403:
      message.raise<PermissionDeniedError>();
    default:
      message.raise<StorageError>();
  }
}

std::string percent_encoded(const std::string& text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        byte < 128 && (std::isalnum(byte) != 0 ||
                       std::string_view("-._~").find(c) != std::string::npos);
    if (plain) {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

#ifdef SYSTOLIC_HAVE_CURL

namespace {

// Handles of libcurl that are not in use, with their open connections.
class Handles {
 public:
  CURL* take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        CURL* handle = idle_.back();
        idle_.pop_back();
        return handle;
      }
    }
    return curl_easy_init();
  }
  void give_back(CURL* handle) {
    constexpr size_t kMostIdle = 64;
    curl_easy_reset(handle);
    {
      const std::lock_guard lock(mutex_);
      if (idle_.size() < kMostIdle) {
        idle_.push_back(handle);
        return;
      }
    }
    curl_easy_cleanup(handle);
  }

  // Never destroyed: a read-ahead may be under way when the program ends.
  static Handles& all() {
    static Handles* handles = [] {
      curl_global_init(CURL_GLOBAL_DEFAULT);
      return new Handles;
    }();
    return *handles;
  }

 private:
  std::mutex mutex_;
  std::vector<CURL*> idle_;
};

// Whether libcurl fails the same way each time.
bool is_final(CURLcode code) {
  constexpr std::array kFinal = {
      CURLE_URL_MALFORMAT,      CURLE_UNSUPPORTED_PROTOCOL,
      CURLE_NOT_BUILT_IN,       CURLE_TOO_MANY_REDIRECTS,
      CURLE_SSL_CERTPROBLEM,    CURLE_PEER_FAILED_VERIFICATION,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR};
  return std::find(kFinal.begin(), kFinal.end(), code) != kFinal.end();
}

// What the callbacks of one request work on.
struct Receiving {
  CURL* curl;
  HttpAnswer* answer;
  std::span<std::byte> part;
  size_t most_bytes;
  bool enough = false;
  const std::stop_token* stop;
  double stall_timeout = 0;
  // Until the first byte: a service may work as long as its request lasts.
  double first_timeout = 0;
  bool stalled = false;
  curl_off_t bytes = 0;
  std::chrono::steady_clock::time_point moved =
      std::chrono::steady_clock::now();
};

// Copies what fits into the part that was asked for; 0 breaks off.
size_t receive_part(const char* data, size_t got, Receiving& receiving) {
  constexpr size_t kTooMany = 1;
  size_t& have = receiving.answer->part_bytes;
  const size_t fits = std::min(got, receiving.part.size() - have);
  std::memcpy(receiving.part.data() + have, data, fits);
  have += fits;
  if (fits == got) return got;
  have += kTooMany;
  receiving.enough = true;
  return 0;
}

size_t receive(char* data, size_t size, size_t count, void* to) {
  Receiving& receiving = *static_cast<Receiving*>(to);
  const size_t got = size * count;
  if (!receiving.part.empty()) {
    constexpr long kPart = 206;
    long status = 0;
    curl_easy_getinfo(receiving.curl, CURLINFO_RESPONSE_CODE, &status);
    if (status == kPart) return receive_part(data, got, receiving);
  }
  std::string& body = receiving.answer->body;
  if (body.empty()) {
    // What the server says is believed up to a point.
    constexpr size_t kMostAtOnce = size_t{64} << 20;
    const auto size = static_cast<size_t>(std::max(
        0LL, std::atoll(receiving.answer->header("content-length").c_str())));
    body.reserve(std::min({size, receiving.most_bytes, kMostAtOnce}));
  }
  body.append(data, std::min(got, receiving.most_bytes - body.size()));
  receiving.enough = body.size() == receiving.most_bytes;
  // Anything but `got` breaks the transfer off.
  return receiving.enough ? 0 : got;
}

size_t receive_header(char* data, size_t size, size_t count, void* to) {
  HttpAnswer& answer = *static_cast<Receiving*>(to)->answer;
  std::string_view line(data, size * count);
  // The answer that was redirected from is forgotten.
  if (line.substr(0, 5) == "HTTP/") answer.headers.clear();
  const size_t colon = line.find(':');
  if (colon != std::string_view::npos) {
    std::string name(line.substr(0, colon));
    for (char& c : name) {
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    line.remove_prefix(colon + 1);
    const size_t first = line.find_first_not_of(" \t");
    const size_t last = line.find_last_not_of(" \t\r\n");
    answer.headers[name] = first == std::string_view::npos || last < first
                               ? ""
                               : line.substr(first, last - first + 1);
  }
  return size * count;
}

// Called about every second: whether to break the transfer off.
int look_for_stop(void* from, curl_off_t, curl_off_t down, curl_off_t,
                  curl_off_t up) {
  Receiving& receiving = *static_cast<Receiving*>(from);
  const auto now = std::chrono::steady_clock::now();
  if (down + up != receiving.bytes) {
    receiving.bytes = down + up;
    receiving.moved = now;
  }
  const std::chrono::duration<double> idle = now - receiving.moved;
  receiving.stalled = idle.count() > (down == 0 ? receiving.first_timeout
                                                : receiving.stall_timeout);
  return receiving.stalled || receiving.stop->stop_requested() ? 1 : 0;
}

// The method and the body.
void set_method(CURL* curl, const HttpRequest& request) {
  if (request.method == "HEAD") {
    curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
  } else if (request.method != "GET") {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.data());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
}

void set_limits(CURL* curl, const HttpRequest& request,
                const StorageOptions& limits) {
  const auto milliseconds = [](double seconds) {
    return static_cast<long>(std::max(1.0, seconds * 1000));
  };
  // A proxy knows neither this machine nor its metadata server.
  std::string direct = internal::environment("no_proxy");
  if (direct.empty()) direct = internal::environment("NO_PROXY");
  if (direct != "*") {
    direct += direct.empty() ? "" : ",";
    direct += "localhost,127.0.0.1,169.254.169.254";
  }
  curl_easy_setopt(curl, CURLOPT_NOPROXY, direct.c_str());
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
                   milliseconds(limits.connect_timeout));
  if (request.timeout > 0) {
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, milliseconds(request.timeout));
  }
}

}  // namespace

HttpAnswer send_once(const HttpRequest& request, const SendOptions& options) {
  const std::unique_ptr<CURL, void (*)(CURL*)> handle(
      Handles::all().take(), [](CURL* curl) {
        if (curl != nullptr) Handles::all().give_back(curl);
      });
  CURL* curl = handle.get();
  HttpAnswer answer;
  if (curl == nullptr) {
    answer.error = "libcurl does not start";
    return answer;
  }
  const StorageOptions limits = storage_options();
  Receiving receiving{curl,
                      &answer,
                      request.part,
                      request.most_bytes,
                      false,
                      &options.stop,
                      limits.stall_timeout,
                      std::max(limits.stall_timeout, request.timeout)};
  std::array<char, CURL_ERROR_SIZE> text{};
  curl_slist* list = nullptr;
  for (const auto& [name, value] : request.headers) {
    list = curl_slist_append(list, (name + ": " + value).c_str());
  }
  // Not asked first whether the body may come.
  list = curl_slist_append(list, "Expect:");
  const std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers(
      list, curl_slist_free_all);
  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list);
  // What is written, or who asks, is not sent on to another place.
  curl_easy_setopt(
      curl, CURLOPT_FOLLOWLOCATION,
      request.method == "GET" || request.method == "HEAD" ? 1L : 0L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 10L);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, receive);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &receiving);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, receive_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &receiving);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, look_for_stop);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &receiving);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, text.data());
  curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, 256L << 10);
  set_method(curl, request);
  set_limits(curl, request, limits);
  const CURLcode code = curl_easy_perform(curl);
  if (code != CURLE_OK && !receiving.enough) {
    answer = {};
    answer.final = is_final(code);
    if (receiving.stalled) {
      answer.error = "no byte came for a while (stall_timeout)";
    } else {
      answer.error = text[0] != 0 ? text.data() : curl_easy_strerror(code);
    }
    return answer;
  }
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  answer.status = status;
  return answer;
}

#else

HttpAnswer send_once(const HttpRequest& /*request*/,
                     const SendOptions& options) {
  internal::Message(options.who)
      .rule("this build has no libcurl, which reads over the network")
      .detail("path", options.path)
      .hint(
          "install libcurl4-openssl-dev (scripts/install-dependencies) and "
          "build again")
      .raise<StorageError>();
}

#endif

}  // namespace systolic::io::detail
