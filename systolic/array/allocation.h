// The memory of Arrays that the library makes. Blocks that are large enough for
// malloc to give them back to the system are kept for a while: a pipeline makes
// and drops the same few hundred kilobytes thousands of times a second, and
// would wait for the system to map and clear their pages each time.
//   std::shared_ptr<std::byte> memory = internal::allocate_elements(bytes);
#pragma once

#include <cstddef>
#include <memory>

namespace systolic::internal {

// Blocks of fewer bytes are malloc's alone.
inline constexpr size_t kLeastKeptBlock = 128 << 10;
// The most bytes that wait for another use: a sixteenth of the memory that the
// process could use when it first made a block to keep, but at least 128 MiB
// and at most 1 GiB. The oldest go first.
size_t most_kept_memory();

// Memory for `bytes` bytes with any values; it starts at a multiple of 64.
// Throws std::bad_alloc.
std::shared_ptr<std::byte> allocate_elements(size_t bytes);

// The bytes of the memory that an Array's owner keeps, which may be more than
// the Array is: a view keeps the whole. 0 where it is not of the library.
size_t allocated_bytes(const std::shared_ptr<const void>& owner);

// The bytes that wait for another use.
size_t kept_memory();

// Gives what waits back to malloc.
void release_kept_memory();

}  // namespace systolic::internal
