// Memory that a kernel needs only while it runs. Each calling thread keeps its
// own blocks, so that concurrent calls never share one and no call allocates.
//   void* weights = scratch(ScratchSlot::call_filter, bytes);
#pragma once

#include <cstddef>

namespace systolic::internal::kernels {

/// Purpose of a block; one call may use all of them at once.
enum class ScratchSlot {
  primitive,        ///< what a primitive asks for
  call_filter,      ///< the filter in the layout that a call's slices share
  slice_filter,     ///< the filter in the layout of one slice
  filter_gradient,  ///< the filter gradient of a block of images
  filter_sum,       ///< the sum of those of a share, packed
  filter_rest,      ///< the last of them, where it is packed in another way
  slice_results,    ///< what the shares of a filter gradient add up
  masked,           ///< a gradient that is cut off where a relu was
};

/// Returns at least `bytes` bytes aligned to 64, undefined in content, that
/// belong to the calling thread until it asks for the same slot again. Null
/// for 0 bytes. Throws std::bad_alloc.
void* scratch(ScratchSlot slot, size_t bytes);

}  // namespace systolic::internal::kernels
