// What the file data sets take: one path, several, or a data set of paths.
//   TFRecordDataset("a.tfrec")   TFRecordDataset({"a.tfrec", "b.tfrec"})
//   TFRecordDataset(io::glob("gs://bucket/*.tfrec"))
//   TFRecordDataset(Dataset::list_files("data/*.tfrec", {.seed = 1}))
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/data/dataset.h"

namespace systolic::data {

// The paths of files, local or remote, in the order of reading.
class FileNames {
 public:
  FileNames(const char* path)  // NOLINT: conversions are the point.
      : FileNames(std::vector<std::string>{path}) {}
  FileNames(std::string path)  // NOLINT
      : FileNames(std::vector<std::string>{std::move(path)}) {}
  FileNames(std::initializer_list<std::string> paths)
      : FileNames(std::vector<std::string>(paths)) {}
  FileNames(std::vector<std::string> paths);  // NOLINT
  // A string or an axis of strings. Throws TypeError for anything else.
  FileNames(const Array& paths);  // NOLINT
  // A data set of string scalars, which is read in each pass anew.
  // Throws TypeError for other elements.
  FileNames(const Dataset& paths);  // NOLINT

  // The paths as a data set.
  const Dataset& dataset() const { return dataset_; }
  // Whether one is of another machine, as far as that is known: a data set
  // tells no paths before it is read.
  bool are_remote() const { return are_remote_; }

 private:
  Dataset dataset_;
  bool are_remote_ = false;
};

}  // namespace systolic::data
