// One file of a folder that Dataset::save() wrote, as a data set.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "systolic/data/dataset_base.h"

namespace systolic::data::detail {

// What a state keeps of such a data set, where it is an element of another.
struct ShardFile {
  std::string path;
  int64_t count = 0;  // of its elements
  ElementSpec spec;   // of each
};

// The data set of the file's elements.
std::shared_ptr<const DatasetBase> shard_dataset(ShardFile file);

// The file of what shard_dataset() made, or null for another data set.
const ShardFile* shard_of(const DatasetBase& dataset);

}  // namespace systolic::data::detail
