// Puts elements that threads have made to their places in the memory of the
// batch that they will be part of, while the processor's cache has them; the
// Stacker then finds the batch made.
//   BatchRows rows;
//   rows.begin_batch(64, 32);         // elements 64 ... 95, and those behind
//   rows.land(70, &element);          // now a view of row 6
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "systolic/data/element.h"

namespace systolic::data::detail {

// Rows of fewer bytes are as quickly copied later.
inline constexpr size_t kLeastLandedRow = 16 << 10;

// Safe from any number of threads.
class BatchRows {
 public:
  // Element `first` begins a batch of `rows`, and so does each `rows` behind
  // it, unless another call says otherwise.
  void begin_batch(int64_t first, int64_t rows);
  // Makes each large Array of element `index` a view of its row, if a batch
  // has begun. Elements stay as they are where there is no memory for their
  // batch, and all behind one that has another form than its batch.
  void land(int64_t index, Element* element);

 private:
  // One Array of the elements, and the memory of its rows, which keep it.
  struct Column {
    TensorSpec row;
    std::weak_ptr<std::byte> memory;
  };
  using Batch = std::vector<Column>;
  // Where an Array goes; null where it stays as it is.
  struct Place {
    std::shared_ptr<std::byte> memory;
    std::byte* row = nullptr;
  };

  std::vector<Place> places_for(int64_t index,
                                const std::vector<Element*>& large);
  void forget_finished();

  std::mutex mutex_;  // guards what follows
  int64_t first_ = 0;
  int64_t rows_ = 0;  // 0 before the first batch
  bool has_places_ = true;
  std::map<int64_t, Batch> batches_;  // by the index of their first row
};

}  // namespace systolic::data::detail
