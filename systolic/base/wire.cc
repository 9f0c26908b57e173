#include "systolic/base/wire.h"

#include "systolic/base/message.h"

namespace systolic::internal {
namespace {

// The lowest bits of a field's tag are its kind.
constexpr int kKindBits = 3;
constexpr int kMostField = 536'870'911;  // protobuf's own limit

}  // namespace

bool WireReader::next() {
  if (rest_.empty()) return false;
  const uint64_t tag = read_number(rest_);
  const uint64_t field = tag >> kKindBits;
  if (field < 1 || field > kMostField) fail("a field has no number");
  field_ = static_cast<int>(field);
  number_ = 0;
  bytes_ = {};
  kind_ = static_cast<WireKind>(tag & ((1 << kKindBits) - 1));
  switch (kind_) {
    case WireKind::varint:
      number_ = read_number(rest_);
      return true;
    case WireKind::bytes:
      bytes_ = take(read_number(rest_));
      return true;
    case WireKind::fixed64:
      bytes_ = take(sizeof(uint64_t));
      return true;
    case WireKind::fixed32:
      bytes_ = take(sizeof(uint32_t));
      return true;
  }
  fail("a field is of no known kind");
}

int64_t WireReader::number() const {
  if (kind_ == WireKind::bytes) fail("there is text where a number belongs");
  if (kind_ != WireKind::varint) {
    fail("there is a number of fixed size where a varint belongs");
  }
  return static_cast<int64_t>(number_);
}

std::string_view WireReader::bytes() const {
  if (kind_ != WireKind::bytes) fail("there is a number where text belongs");
  return bytes_;
}

void WireReader::add_numbers(std::vector<int64_t>& numbers) const {
  if (kind_ != WireKind::bytes) {
    numbers.push_back(number());
    return;
  }
  for (std::string_view packed = bytes_; !packed.empty();) {
    numbers.push_back(static_cast<int64_t>(read_number(packed)));
  }
}

uint64_t WireReader::read_number(std::string_view& bytes) const {
  constexpr int kBits = 7;
  constexpr int kMostShift = 63;
  constexpr unsigned kMore = 0x80;
  uint64_t number = 0;
  for (int shift = 0; shift <= kMostShift; shift += kBits) {
    if (bytes.empty()) fail("it ends within a number");
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= static_cast<uint64_t>(byte & (kMore - 1)) << shift;
    if ((byte & kMore) == 0) return number;
  }
  fail("a number has more than 64 bits");
}

std::string_view WireReader::take(uint64_t size) {
  if (size > rest_.size()) fail("it ends within a field");
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

void WireReader::fail(std::string_view problem) const {
  Message message{std::string(what_.who)};
  message.expected(what_.expected).got("bytes that are none");
  if (!what_.part.empty()) message.detail("in", what_.part);
  message.detail("problem", problem).raise<WireError>();
}

}  // namespace systolic::internal
