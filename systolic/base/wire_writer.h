// Writes protobuf's wire format; wire.h reads it.
//   std::string message;
//   append_field(message, 1, "text");
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace systolic::internal {

// Adds a number, seven bits a byte.
inline void append_varint(std::string& message, uint64_t value) {
  constexpr uint64_t kMore = 0x80;
  for (; value >= kMore; value >>= 7) {
    message.push_back(static_cast<char>(value | kMore));
  }
  message.push_back(static_cast<char>(value));
}

// Adds field `field` with bytes: a text, a message or packed numbers.
inline void append_field(std::string& message, int field,
                         std::string_view bytes) {
  constexpr uint64_t kBytes = 2;
  append_varint(message, static_cast<uint64_t>(field) << 3 | kBytes);
  append_varint(message, bytes.size());
  message.append(bytes);
}

}  // namespace systolic::internal
