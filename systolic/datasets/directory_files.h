// The files of a folder and their labels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/data/dataset.h"
#include "systolic/datasets/directories.h"

namespace systolic::datasets::detail {

// Files that belong together: those of one subset, shuffled.
struct DirectoryFiles {
  std::vector<std::string> paths;
  std::vector<int32_t> labels;  // empty without labels
  std::vector<std::string> class_names;
  uint64_t seed = 0;  // for shuffling them further
};

// The files that end in one of `extensions`, for the function `who`.
// Throws: NotFoundError, ValueError.
DirectoryFiles find_files(const char* who, const std::string& directory,
                          const std::vector<std::string_view>& extensions,
                          const TextDirectoryOptions& options);

// Paths, or tuples of path and label, in the order of a pass.
data::Dataset paths_and_labels(const DirectoryFiles& files,
                               const TextDirectoryOptions& options);

// Batches, and the next one made ahead.
data::Dataset batched(const data::Dataset& dataset,
                      const OptionalInt& batch_size);

}  // namespace systolic::datasets::detail
