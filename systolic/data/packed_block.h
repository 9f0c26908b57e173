// Blocks of bytes, packed: what files of elements keep with compression GZIP.
//   std::string packed = pack_block(bytes);
//   std::string bytes = unpack_block(packed);
#pragma once

#include <string>
#include <string_view>

namespace systolic::data::detail {

// The bytes in fewer, where they repeat themselves; with a check sum.
std::string pack_block(std::string_view bytes);
// What pack_block() packed. Throws DataError for other or damaged bytes.
std::string unpack_block(std::string_view packed);

}  // namespace systolic::data::detail
