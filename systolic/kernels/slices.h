// A batch in slices of equal size, of which the last may be smaller, so that
// few different convolutions have to be prepared.
//   const Slices slices(200, 8);      // at most 8 slices: 8 of 25 images
#pragma once

#include <cstdint>
#include <memory>

namespace systolic::internal::kernels {

/// `batch` images as `count` slices of `size`; a batch of at least 1.
struct Slices {
  int64_t batch;
  int64_t size;
  int64_t count;

  /// Cuts a batch into at most `most` slices.
  Slices(int64_t batch, int64_t most)
      : batch(batch),
        size((batch + most - 1) / most),
        count((batch + size - 1) / size) {}

  /// Returns the first image of a slice.
  int64_t first(int64_t slice) const { return slice * size; }

  /// Returns the number of images of a slice.
  int64_t size_of(int64_t slice) const {
    return slice + 1 == count ? batch - first(slice) : size;
  }
};

/// What is prepared for the slices of a batch, of which the last may be
/// smaller.
template <class Prepared>
struct PreparedSlices {
  /// Calls prepare(images) for each size there is.
  template <class Prepare>
  PreparedSlices(const Slices& slices, const Prepare& prepare)
      : slices(slices),
        whole(prepare(slices.size)),
        last(slices.size_of(slices.count - 1) == slices.size
                 ? whole
                 : prepare(slices.size_of(slices.count - 1))) {}

  /// Returns what is prepared for a slice.
  const Prepared& at(int64_t slice) const {
    return slice + 1 == slices.count ? *last : *whole;
  }

  Slices slices;
  std::shared_ptr<const Prepared> whole;
  std::shared_ptr<const Prepared> last;
};

}  // namespace systolic::internal::kernels
