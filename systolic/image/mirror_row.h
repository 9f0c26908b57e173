// A row of pixels from right to left.
#pragma once

#include <cstddef>
#include <cstdint>

namespace systolic::image::detail {

// Writes the `width` pixels at `from`, each of so many bytes, to `to` in the
// opposite order. The two rows do not overlap.
void mirror_row(const std::byte* from, std::byte* to, int64_t width,
                size_t pixel_bytes);

}  // namespace systolic::image::detail
