// How a file of records, lines or values is packed, by tf.data's names: "",
// "GZIP", "ZLIB", and "AUTO", which looks at the file's first bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace systolic::data::detail {

enum class Compression : uint8_t { none, gzip, zlib, automatic };

// The compression of a `compression_type`. Throws ValueError naming `who`.
Compression compression_of(std::string_view who, std::string_view type);

// tf.data's name of it; "none" for no compression.
std::string_view name(Compression compression);

// What a file that starts with `bytes` (16 are enough) is packed with, as far
// as they tell: `none` where they look like nothing packed.
Compression guess_compression(std::string_view bytes);

}  // namespace systolic::data::detail
