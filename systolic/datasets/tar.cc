#include "systolic/datasets/tar.h"

#include <cstdint>

#include "systolic/datasets/file.h"

namespace systolic::datasets::detail {

namespace {

// The format: blocks of 512 bytes; a header's fields by place and size.
constexpr size_t kBlock = 512;
constexpr size_t kSizePlace = 124, kSizeBytes = 12;
constexpr size_t kChecksumPlace = 148, kChecksumBytes = 8;
constexpr size_t kNameBytes = 100, kPrefixPlace = 345, kPrefixBytes = 155;

[[noreturn]] void fail(const Archive& archive, size_t offset,
                       const std::string& expected, const std::string& got) {
  throw_damaged({.file = archive.path,
                 .check = "tar",
                 .offset = offset,
                 .expected = expected,
                 .got = got,
                 .hint = archive.hint});
}

// A field's text, up to its first zero.
std::string_view text_at(const Archive& archive, size_t place, size_t size) {
  const std::string_view field(
      reinterpret_cast<const char*>(archive.bytes.data()) + place, size);
  return field.substr(0, field.find('\0'));
}

// An octal number between spaces.
size_t octal(std::string_view text) {
  size_t value = 0;
  for (const char digit : text) {
    if (digit >= '0' && digit <= '7') {
      value = value * 8 + static_cast<size_t>(digit - '0');
    }
  }
  return value;
}

// Throws unless the header's bytes, with spaces for the sum, have the sum.
void check_header(const Archive& archive, size_t place) {
  size_t sum = 0;
  for (size_t i = 0; i < kBlock; ++i) {
    const bool own = i >= kChecksumPlace && i < kChecksumPlace + kChecksumBytes;
    sum += own ? ' ' : static_cast<size_t>(archive.bytes[place + i]);
  }
  const size_t wanted =
      octal(text_at(archive, place + kChecksumPlace, kChecksumBytes));
  if (sum != wanted) {
    fail(archive, place, "a header with the sum " + std::to_string(wanted),
         std::to_string(sum));
  }
}

}  // namespace

std::span<const std::byte> tar_file(const Archive& archive,
                                    std::string_view name) {
  const size_t end = archive.bytes.size();
  size_t place = 0;
  while (place + kBlock <= end && archive.bytes[place] != std::byte{0}) {
    check_header(archive, place);
    std::string path(text_at(archive, place + kPrefixPlace, kPrefixBytes));
    if (!path.empty()) path += '/';
    path += text_at(archive, place, kNameBytes);
    const size_t size = octal(text_at(archive, place + kSizePlace, kSizeBytes));
    place += kBlock;
    if (size > end - place) {
      fail(archive, end, "all " + std::to_string(size) + " bytes of " + path,
           "the end of the file");
    }
    if (path == name || path.ends_with("/" + std::string(name))) {
      return archive.bytes.subspan(place, size);
    }
    place += (size + kBlock - 1) / kBlock * kBlock;
    if (place > end) place = end;
  }
  fail(archive, place, "the file " + std::string(name), "the archive's end");
}

}  // namespace systolic::datasets::detail
