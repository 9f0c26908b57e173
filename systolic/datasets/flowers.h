// Flowers: photographs as JPEG in TFRecord files, of five classes (public) or
// of 104 (a competition's, of which one has a copy).
//   auto train = datasets::flowers::load_data({.size = 192, .split = "train"});
//   auto many = datasets::flowers::load_data({.classes = 104, .data_dir =
//   path});
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/data/dataset.h"

namespace systolic::datasets::flowers {

struct Options {
  // Pixels a side: 192, 224, 331 or 512.
  int64_t size = 331;
  // 5 or 104.
  int classes = 5;
  // Of five classes "train", "validation" (the first 19 % of the files) or ""
  // (all); of 104 "train", "val" or "test".
  std::string split = "train";
  // The folder that has the folder of each size, local or remote, such as
  // kaggle::KaggleDatasets().get_gcs_path() gives. Empty: flowers/ in the
  // folder that SYSTOLIC_DATA_DIR names where that has one; else, of five
  // classes, the public copy.
  std::string data_dir = {};
};

// The record files, sorted. Throws: ValueError for options that there are not,
// NotFoundError where there are no files.
std::vector<std::string> files(const Options& options = {});

// Tuples (image, label): uint8 (size, size, 3) and int64; of "test" of 104
// classes (image, id), a string. Read from several files in turn and
// decoded in parallel, in the same order each time.
// Throws: as files().
data::Dataset load_data(const Options& options = {});

// The number of pictures: by the names of the files where all end in it
// ("flowers00-230.tfrec"), else they are read. Throws: as files().
int64_t count(const Options& options = {});

// The 5 or 104 classes in the order of their labels. Throws: ValueError for
// another number.
std::vector<std::string> class_names(int classes = 5);

}  // namespace systolic::datasets::flowers

namespace systolic::datasets::detail {

// Of load_data() the elements from `begin` on, before `end`; others are not
// decoded.
data::Dataset flowers_between(const flowers::Options& options, int64_t begin,
                              int64_t end);

}  // namespace systolic::datasets::detail
