// The memory of Arrays that the library makes.
//   std::shared_ptr<std::byte> memory = internal::allocate_elements(bytes);
#pragma once

#include <cstddef>
#include <memory>

namespace systolic::internal {

// Memory for `bytes` bytes with any values; it starts at a multiple of 64.
// Throws std::bad_alloc.
std::shared_ptr<std::byte> allocate_elements(size_t bytes);

// The bytes of the memory that an Array's owner keeps, which may be more than
// the Array is: a view keeps the whole. 0 where it is not of the library.
size_t allocated_bytes(const std::shared_ptr<const void>& owner);

}  // namespace systolic::internal
