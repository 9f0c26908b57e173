#include "systolic/base/secrets.h"

#include <cctype>
#include <string_view>

namespace systolic::internal {
namespace {

constexpr std::string_view kHidden = "...";

// The scheme that `text` ends with, such as "https".
std::string_view last_scheme(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 &&
         std::isalnum(static_cast<unsigned char>(text[begin - 1])) != 0) {
    --begin;
  }
  return text.substr(begin);
}

// "user:...@host" of "user:password@host"; on the web a user alone may be one
// who is let in.
std::string shown_host(std::string_view host, bool web) {
  const size_t at = host.rfind('@');
  if (at == std::string_view::npos) return std::string(host);
  const size_t shown = web ? 0 : host.substr(0, at).find(':');
  if (shown == std::string_view::npos) return std::string(host);
  std::string text(host.substr(0, web ? 0 : shown + 1));
  return text.append(kHidden).append(host.substr(at));
}

// "?a=...&b=..." of "?a=1&b=2".
std::string shown_query(std::string_view query) {
  std::string text;
  while (!query.empty()) {
    const size_t end = query.find('&', 1);
    const std::string_view field = query.substr(0, end);
    const size_t equals = field.find('=');
    text += field.substr(0, equals == std::string_view::npos ? 1 : equals + 1);
    text += kHidden;
    query = end == std::string_view::npos ? "" : query.substr(end);
  }
  return text;
}

}  // namespace

std::string without_secrets(const std::string& text) {
  constexpr std::string_view kBehindScheme = "://";
  std::string shown;
  std::string_view rest = text;
  while (true) {
    const size_t colon = rest.find(kBehindScheme);
    if (colon == std::string_view::npos) return shown.append(rest);
    const std::string_view scheme = last_scheme(rest.substr(0, colon));
    const bool web = scheme == "http" || scheme == "https";
    shown += rest.substr(0, colon + kBehindScheme.size());
    rest.remove_prefix(colon + kBehindScheme.size());
    std::string_view address = rest.substr(0, rest.find_first_of(" \t\n\"'<>"));
    rest.remove_prefix(address.size());
    const std::string_view host =
        address.substr(0, address.find_first_of("/?"));
    shown += shown_host(host, web);
    address.remove_prefix(host.size());
    const size_t question = web ? address.find('?') : std::string_view::npos;
    shown += address.substr(0, question);
    if (question != std::string_view::npos) {
      shown += shown_query(address.substr(question));
    }
  }
}

}  // namespace systolic::internal
