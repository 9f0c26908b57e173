// Elements put together and taken apart: batches, buckets and windows, the part
// of data::Dataset that changes how many elements there are to one.
//   dataset.padded_batch(32);   dataset.window(5, {.shift = 1});
#pragma once

#include <cstdint>

#include "systolic/data/dataset_handle.h"
#include "systolic/data/options.h"

namespace systolic::data {

class Dataset;

// The grouping transforms of a Dataset.
class DatasetGrouping : public DatasetHandle {
 public:
  using DatasetHandle::DatasetHandle;

  // Stacks `batch_size` elements along a new first axis; the last batch may
  // have fewer. Throws ValueError for a batch_size below 1; reading throws
  // ShapeError when elements of a batch differ in shape.
  Dataset batch(int64_t batch_size, const BatchOptions& options = {}) const;
};

}  // namespace systolic::data
