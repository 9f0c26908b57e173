#include "systolic/datasets/fetch.h"

#ifdef SYSTOLIC_HAVE_CURL
#include <curl/curl.h>

#include <array>
#include <memory>
#include <mutex>
#endif

namespace systolic::datasets::detail {

#ifdef SYSTOLIC_HAVE_CURL
namespace {

constexpr long kConnectSeconds = 10;
// Slower than this for so long counts as broken.
constexpr long kSlowBytesPerSecond = 1000;
constexpr long kSlowSeconds = 30;

size_t append(char* data, size_t size, size_t count, void* bytes) {
  const std::byte* begin = reinterpret_cast<const std::byte*>(data);
  Bytes& target = *static_cast<Bytes*>(bytes);
  target.insert(target.end(), begin, begin + size * count);
  return size * count;
}

}  // namespace

Fetched fetch(const std::string& address) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(curl_easy_init(),
                                                    curl_easy_cleanup);
  if (!curl) return {{}, "libcurl does not start"};
  Fetched result;
  std::array<char, CURL_ERROR_SIZE> text{};
  curl_easy_setopt(curl.get(), CURLOPT_URL, address.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_LIMIT, kSlowBytesPerSecond);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_TIME, kSlowSeconds);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, append);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &result.bytes);
  curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, text.data());
  const CURLcode code = curl_easy_perform(curl.get());
  if (code != CURLE_OK) {
    result.bytes.clear();
    result.error = text[0] != 0 ? text.data() : curl_easy_strerror(code);
  }
  return result;
}

bool can_fetch() { return true; }

#else

Fetched fetch(const std::string&) { return {{}, "this build has no libcurl"}; }

bool can_fetch() { return false; }

#endif

}  // namespace systolic::datasets::detail
