#include "systolic/data/packed_block.h"

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <new>

#include "systolic/base/message.h"

namespace systolic::data::detail {
namespace {

// A packed byte stands for at most so many: a length that says more is damaged.
constexpr uint64_t kMostUnpacked = 1032;

const Bytef* bytes_of(std::string_view text) {
  return reinterpret_cast<const Bytef*>(text.data());
}

[[noreturn]] void throw_damaged(std::string_view what) {
  internal::Message("packed block")
      .expected("a block that was packed with GZIP")
      .got(what)
      .raise<DataError>();
}

}  // namespace

// The length in front, then what zlib makes of the bytes.
std::string pack_block(std::string_view bytes) {
  const auto size = static_cast<uint64_t>(bytes.size());
  uLongf room = compressBound(static_cast<uLong>(bytes.size()));
  std::string packed(sizeof size + room, '\0');
  std::memcpy(packed.data(), &size, sizeof size);
  const int status = compress2(
      reinterpret_cast<Bytef*>(packed.data() + sizeof size), &room,
      bytes_of(bytes), static_cast<uLong>(bytes.size()), Z_DEFAULT_COMPRESSION);
  // The room is enough, so only memory can be missing.
  if (status != Z_OK) throw std::bad_alloc();
  packed.resize(sizeof size + room);
  return packed;
}

std::string unpack_block(std::string_view packed) {
  uint64_t size = 0;
  if (packed.size() < sizeof size) throw_damaged("too few bytes");
  std::memcpy(&size, packed.data(), sizeof size);
  packed.remove_prefix(sizeof size);
  if (size / kMostUnpacked > packed.size()) throw_damaged("a wrong length");
  std::string bytes(size, '\0');
  uLongf got = static_cast<uLongf>(size);
  const int status =
      uncompress(reinterpret_cast<Bytef*>(bytes.data()), &got, bytes_of(packed),
                 static_cast<uLong>(packed.size()));
  if (status != Z_OK || got != size) throw_damaged("damaged bytes");
  return bytes;
}

}  // namespace systolic::data::detail
