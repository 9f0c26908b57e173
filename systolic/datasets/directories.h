// Data sets of a folder whose subfolders are the classes, as Keras's utils
// make them; local or remote.
//   auto train = datasets::image_dataset_from_directory("flowers", {
//       .image_size = {192, 192}, .seed = 1, .validation_split = 0.2,
//       .subset = "training"});
//   train.class_names();
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/array/image_geometry.h"
#include "systolic/base/optional_int.h"
#include "systolic/data/dataset.h"

namespace systolic::datasets {

// A data set of files, and where its elements come from.
class DirectoryDataset final : public data::Dataset {
 public:
  DirectoryDataset(data::Dataset dataset, std::vector<std::string> class_names,
                   std::vector<std::string> file_paths)
      : data::Dataset(std::move(dataset)),
        class_names_(std::move(class_names)),
        file_paths_(std::move(file_paths)) {}

  // The classes in the order of their labels; empty without labels.
  const std::vector<std::string>& class_names() const { return class_names_; }
  // The files. With shuffle = false each pass reads them in this order; else
  // each has an order of its own, and predictions do not belong to these paths
  // one by one, as with Keras's.
  const std::vector<std::string>& file_paths() const { return file_paths_; }

 private:
  std::vector<std::string> class_names_;
  std::vector<std::string> file_paths_;
};

struct TextDirectoryOptions {
  // The label of each file in the order of their paths. Unset: the subfolder
  // that it is in.
  std::optional<std::vector<int32_t>> labels = {};
  // "int": int32; "categorical": float32, one for the class; "binary":
  // float32, 0 or 1, of shape (1). Unset: no labels.
  std::optional<std::string> label_mode = "int";
  // Subfolders in the order of their labels; empty: all, sorted.
  std::vector<std::string> class_names = {};
  // Unset: elements one by one.
  OptionalInt batch_size = 32;
  // Of longer texts only so many bytes.
  OptionalInt max_length = {};
  // Whether files come in random order, another in each pass.
  bool shuffle = true;
  // Unset: drawn from the program's seed.
  OptionalInt seed = {};
  // The part of the files that is for validation, from 0 to 1.
  std::optional<double> validation_split = {};
  // "training" or "validation", with validation_split.
  std::string subset = {};
  // Whether the number of files and classes is logged.
  bool verbose = true;
};

struct ImageDirectoryOptions {
  std::optional<std::vector<int32_t>> labels = {};  // as above
  std::optional<std::string> label_mode = "int";
  std::vector<std::string> class_names = {};
  // "grayscale", "rgb" or "rgba": 1, 3 or 4 channels.
  std::string color_mode = "rgb";
  OptionalInt batch_size = 32;
  image::Size image_size = {256, 256};
  bool shuffle = true;
  OptionalInt seed = {};
  std::optional<double> validation_split = {};
  std::string subset = {};
  // A method of image::resize.
  std::string interpolation = "bilinear";
  // Whether pictures of other proportions are cut (image::
  // resize_with_crop_or_pad) or have zeros put around them (resize_with_pad),
  // and are not distorted; not both.
  bool crop_to_aspect_ratio = false;
  bool pad_to_aspect_ratio = false;
  bool verbose = true;
};

// Pictures (.jpeg, .jpg, .png, .bmp, .gif, .webp) of a folder: float32
// (batch, height, width, channels) from 0 to 255, with labels as
// `label_mode` says. Reading throws DataError that names a damaged file.
// Throws: NotFoundError where there is no folder or file, ValueError for
// options that make no sense.
DirectoryDataset image_dataset_from_directory(
    const std::string& directory, const ImageDirectoryOptions& options = {});

// Both parts that a validation_split makes, for training and for validation:
// what Keras gives for subset = "both". Throws: as above, ValueError without a
// validation_split or with a subset.
std::pair<DirectoryDataset, DirectoryDataset> image_datasets_from_directory(
    const std::string& directory, const ImageDirectoryOptions& options);

// Texts (.txt) of a folder: strings (batch), with labels. Throws: as above.
DirectoryDataset text_dataset_from_directory(
    const std::string& directory, const TextDirectoryOptions& options = {});
std::pair<DirectoryDataset, DirectoryDataset> text_datasets_from_directory(
    const std::string& directory, const TextDirectoryOptions& options);

struct TimeseriesOptions {
  // Elements between the starts of two sequences.
  int64_t sequence_stride = 1;
  // Elements between two of a sequence.
  int64_t sampling_rate = 1;
  // Unset: sequences one by one.
  OptionalInt batch_size = 128;
  bool shuffle = false;
  OptionalInt seed = {};
  // The first element that is used, and the one behind the last.
  OptionalInt start_index = {};
  OptionalInt end_index = {};
};
// Sequences of an Array's first axis: (batch, sequence_length, ...); with
// targets, tuples with the target of each sequence's start. An Array that is
// not set stands for no targets. Throws: ValueError for options outside of
// the data.
data::Dataset timeseries_dataset_from_array(
    const Array& data, const Array& targets, int64_t sequence_length,
    const TimeseriesOptions& options = {});

}  // namespace systolic::datasets
