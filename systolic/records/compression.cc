#include "systolic/records/compression.h"

#include "systolic/base/message.h"
#include "systolic/records/record_format.h"

namespace systolic::data::detail {

Compression compression_of(std::string_view who, std::string_view type) {
  if (type.empty()) return Compression::none;
  if (type == "GZIP") return Compression::gzip;
  if (type == "ZLIB") return Compression::zlib;
  if (type == "AUTO") return Compression::automatic;
  internal::Message(std::string(who))
      .expected("compression_type \"\", \"GZIP\", \"ZLIB\" or \"AUTO\"")
      .got("\"", type, "\"")
      .raise<ValueError>();
}

std::string_view name(Compression compression) {
  switch (compression) {
    case Compression::none:
      return "none";
    case Compression::gzip:
      return "GZIP";
    case Compression::zlib:
      return "ZLIB";
    case Compression::automatic:
      break;
  }
  return "AUTO";
}

Compression guess_compression(std::string_view bytes) {
  if (bytes.size() < 2) return Compression::none;
  // A record's length with its checksum, whatever the length looks like.
  if (bytes.size() >= kHeaderBytes &&
      has_checksum(bytes.substr(0, kHeaderBytes))) {
    return Compression::none;
  }
  const auto first = static_cast<unsigned char>(bytes[0]);
  const auto second = static_cast<unsigned char>(bytes[1]);
  // RFC 1952 and its one method; RFC 1950 with the window of 32 KiB that
  // everybody has, where the second byte makes a multiple of 31.
  if (first == 0x1f && second == 0x8b && (bytes.size() < 3 || bytes[2] == 8)) {
    return Compression::gzip;
  }
  const bool is_zlib = first == 0x78 && (first * 256 + second) % 31 == 0;
  if (!is_zlib) return Compression::none;
  // The third byte of a stream is that of a block: its type is never 3. And
  // eight bytes with 0 at the end are the length of an unpacked record.
  const bool no_block = bytes.size() > 2 && (bytes[2] & 6) == 6;
  const bool length =
      bytes.size() > 7 && bytes.substr(4, 4) == std::string_view("\0\0\0\0", 4);
  return no_block || length ? Compression::none : Compression::zlib;
}

}  // namespace systolic::data::detail
