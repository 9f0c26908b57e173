#include "systolic/datasets/fetch.h"

#include <span>
#include <string_view>

#include "systolic/base/error.h"
#include "systolic/io/file_system.h"
#include "systolic/io/http_client.h"

namespace systolic::datasets::detail {
namespace {

bool is_web(std::string_view address) {
  return address.starts_with("http://") || address.starts_with("https://");
}

std::string read_web(const std::string& address, Tries tries) {
  const io::detail::SendOptions options = {.who = "datasets", .path = address};
  io::detail::HttpAnswer answer =
      tries == Tries::once ? io::detail::send_once({.url = address}, options)
                           : io::detail::send({.url = address}, options);
  if (answer.status == 0) throw io::StorageError(answer.error);
  if (!answer.good()) {
    throw io::StorageError("status " + std::to_string(answer.status));
  }
  return std::move(answer.body);
}

}  // namespace

Fetched fetch(const std::string& address, Tries tries) {
  try {
    const std::string text =
        is_web(address) ? read_web(address, tries) : io::read_file(address);
    const auto bytes = std::as_bytes(std::span(text));
    return {Bytes(bytes.begin(), bytes.end()), ""};
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

bool can_fetch() {
#ifdef SYSTOLIC_HAVE_CURL
  return true;
#else
  return false;
#endif
}

}  // namespace systolic::datasets::detail
