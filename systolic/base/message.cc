#include "systolic/base/message.h"

#include <cstdio>
#include <sstream>
#include <utility>

#include "systolic/base/secrets.h"

namespace systolic::internal {
namespace {

std::string_view base_name(std::string_view path) {
  size_t slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Whether the path is of the library's own sources, tests left out: a line
// there says nothing to a user.
bool is_ours(std::string_view path) {
  std::string_view root = __FILE__;
  root.remove_suffix(std::string_view("base/message.cc").size());
  return path.starts_with(root) && !path.ends_with("_test.cc");
}

}  // namespace

std::string place_text(const SourceLocation& where) {
  if (where.line() == 0 || is_ours(where.file_name())) return "";
  return concatenate_text(base_name(where.file_name()), ":", where.line());
}

void append_number(std::string& out, long long value) {
  out += std::to_string(value);
}

void append_number(std::string& out, unsigned long long value) {
  out += std::to_string(value);
}

void append_number(std::string& out, double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  out += text;
}

void append_streamed(std::string& out, const void* value,
                     void (*print)(std::ostream&, const void*)) {
  std::ostringstream stream;
  print(stream, value);
  out += stream.str();
}

Message::Message(std::string who) : who_(std::move(who)) {}

Message& Message::at(const SourceLocation& where) {
  const std::string place = place_text(where);
  if (!place.empty()) at_ = place;
  return *this;
}

void Message::add_line(std::string_view label, std::string_view text) {
  details_ += concatenate_text("\n  ", label, ": ", text);
}

std::string Message::str() const {
  std::string text = who_;
  std::string_view separator = text.empty() ? "" : ": ";
  if (!rule_.empty()) {
    text += concatenate_text(separator, rule_);
    separator = "; ";
  }
  if (!expected_.empty()) {
    text += concatenate_text(separator, "expected ", expected_);
    separator = ", ";
  }
  if (!got_.empty()) text += concatenate_text(separator, "got ", got_);
  text += details_;
  if (!hint_.empty()) text += concatenate_text("\n  hint: ", hint_);
  if (!at_.empty()) text += concatenate_text("\n  at: ", at_);
  return without_secrets(text);
}

}  // namespace systolic::internal
