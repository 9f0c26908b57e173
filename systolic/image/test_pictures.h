// What the tests of this room share.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "systolic/array/arrays.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/golden.h"

namespace systolic::image {

using internal::text_of;

// The bytes of an Array of uint8 as a text.
inline std::string bytes_of(const Array& array) {
  return {reinterpret_cast<const char*>(array.data()), array.nbytes()};
}

// A recorded picture, encoded.
inline std::string recorded(std::string_view name) {
  for (const golden::Case& c : golden::load("image_decode")) {
    if (c.name() == name) return bytes_of(c.array("bytes"));
  }
  ADD_FAILURE() << "no recorded picture " << name;
  return {};
}

// Smooth colours: what a JPEG is made for.
inline Array scene(int64_t height, int64_t width, int64_t channels = 3) {
  Array picture =
      Array::uninitialized({DType::uint8, {height, width, channels}});
  const auto out = picture.mutable_span<uint8_t>();
  for (size_t i = 0; i < out.size(); ++i) {
    const auto place = static_cast<int64_t>(i);
    const int64_t x = place / channels % width;
    const int64_t y = place / channels / width;
    out[i] = static_cast<uint8_t>(
        (x * x / 3 + y * (3 + place % channels * 2) + x * y / 5) % 251);
  }
  return picture;
}

}  // namespace systolic::image
