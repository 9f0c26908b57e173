// Public data sets by their names, as tfds.load gives them.
//   auto [train, info] = datasets::load("mnist", {.split = "train",
//                                                 .as_supervised = true});
//   auto part = datasets::load("cifar10", {.split = "train[:80%]"}).dataset;
#pragma once

#include <map>
#include <string>
#include <vector>

#include "systolic/data/dataset.h"

namespace systolic::datasets {

struct LoadOptions {
  // "train", "test", a part of one ("train[:80%]", "train[100:200]",
  // "train[-10%:]"), or several with "+" between them. Of flowers "train" and
  // "validation", of 104 classes "train", "val" and "test"; "" is all of the
  // five classes.
  std::string split = "train";
  // Of flowers: pixels a side (192, 224, 331 or 512), 5 or 104 classes; see
  // flowers::Options. Other data sets have one size and number of classes, and
  // refuse others.
  int64_t size = 331;
  int classes = 5;
  // The folder with the files. Of flowers: see flowers::Options. Of the others
  // it has a folder of the data set's name, in which what is fetched is kept;
  // no address. Empty: where load_data() looks.
  std::string data_dir = {};
  // Whether elements are tuples (image, label), and not dicts of the two.
  bool as_supervised = false;
  // As tfds.load has it; what load() returns has the info without it too.
  bool with_info = false;
  // Requires a public copy in Google's storage, which is read, as without it,
  // where no folder here has the files: flowers, mnist, fashion_mnist.
  bool try_gcs = false;
};

// What there is to know of a data set.
struct DatasetInfo {
  std::string name;
  // Elements by split; -1 where the files have to be read to know.
  std::map<std::string, int64_t> num_examples;
  std::vector<std::string> class_names;

  // The number of labels.
  int64_t num_classes() const {
    return static_cast<int64_t>(class_names.size());
  }
};

struct LoadedDataset {
  data::Dataset dataset;
  DatasetInfo info;
};

// The named data set: mnist, fashion_mnist, cifar10, cifar100, flowers. Images
// are uint8 (h, w, c), labels int64. Throws: ValueError that lists the names,
// or the splits, and for an option that the data set does not have; what
// load_data() of the data set throws.
LoadedDataset load(const std::string& name, const LoadOptions& options = {});

// The names that load() takes.
std::vector<std::string> list_datasets();

namespace detail {

// Which elements of how many a split's brackets name: "80%:" of "[80%:]".
struct SplitPart {
  std::string split;
  int64_t begin = 0;
  int64_t end = 0;
};
// The parts of a split text. Throws ValueError where it is none of `sizes`.
std::vector<SplitPart> parse_split(const std::string& text,
                                   const std::map<std::string, int64_t>& sizes);

}  // namespace detail
}  // namespace systolic::datasets
