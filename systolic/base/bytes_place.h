// Where bytes come from, for errors about them: rooms below data ask, data
// knows which record of which file a picture or a string was read from.
//   message.detail("from", place) where place = place_of_bytes(bytes) has text
#pragma once

#include <string>
#include <string_view>

namespace systolic::internal {

// Says where bytes come from: "a.tfrec, record 3 at byte 1024", or nothing.
using BytesPlace = std::string (*)(std::string_view bytes);

// Sets who is asked; from any thread, each time the same.
void set_bytes_place(BytesPlace place);

// What that says of the bytes; nothing where nobody knows.
std::string place_of_bytes(std::string_view bytes);

}  // namespace systolic::internal
