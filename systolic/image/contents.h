// The bytes of an encoded picture, as the decoders take them.
//   decode_jpeg(bytes);  decode_jpeg(example["image"]);  decode_jpeg(array);
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "systolic/array/array.h"
#include "systolic/base/error.h"

namespace systolic::image {

// Text or bytes, an Array that holds one string, or what converts to such an
// Array: an element of a data set. Knows the line where it was written, for
// error messages; text and bytes have to outlive the call.
class Contents {
 public:
  template <class T>
  requires std::convertible_to<const T&, std::string_view> Contents(
      const T& bytes, SourceLocation where = SourceLocation::current())
      : bytes_(std::string_view(bytes)), where_(where) {}
  Contents(std::span<const std::byte> bytes,
           SourceLocation where = SourceLocation::current())
      : bytes_(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
        where_(where) {}
  // Throws: TypeError for an Array of another dtype than string, ValueError
  // unless it has exactly one element.
  template <class T>
  requires(std::convertible_to<const T&, const Array&> &&
           !std::convertible_to<const T&, std::string_view>)
      Contents(const T& picture,
               SourceLocation where = SourceLocation::current())
      : Contents(Kept{static_cast<const Array&>(picture)}, where) {}

  std::string_view bytes() const { return bytes_; }
  // Where it was written.
  const SourceLocation& where() const { return where_; }

 private:
  struct Kept {
    const Array& array;
  };
  Contents(const Kept& kept, const SourceLocation& where);

  Array owner_;  // of the bytes, where they come from an Array
  std::string_view bytes_;
  SourceLocation where_;
};

}  // namespace systolic::image
