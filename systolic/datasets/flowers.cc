#include "systolic/datasets/flowers.h"

#include <algorithm>

#include "systolic/base/message.h"
#include "systolic/datasets/sources.h"
#include "systolic/image/decode.h"
#include "systolic/io/file_system.h"
#include "systolic/records/parse_example.h"
#include "systolic/records/tf_record_dataset.h"

namespace systolic::datasets::flowers {

namespace {

constexpr const char* kWho = "datasets::flowers";
constexpr const char* kPublic = "gs://flowers-public";
// As the guide splits them.
constexpr double kValidation = 0.19;

[[noreturn]] void fail(const char* expected, const std::string& got) {
  internal::Message(kWho).expected(expected).got(got).raise<ValueError>();
}

void check(const Options& options) {
  const int64_t size = options.size;
  const std::string& split = options.split;
  if (size != 192 && size != 224 && size != 331 && size != 512) {
    fail("size to be 192, 224, 331 or 512", std::to_string(size));
  }
  if (options.classes != 5 && options.classes != 104) {
    fail("classes to be 5 or 104", std::to_string(options.classes));
  }
  if (options.classes == 5) {
    if (split == "train" || split == "validation" || split.empty()) return;
    fail("split to be \"train\", \"validation\" or \"\"", "\"" + split + "\"");
  }
  if (split == "train" || split == "val" || split == "test") return;
  fail("split to be \"train\", \"val\" or \"test\"", "\"" + split + "\"");
}

// The folder with a folder for each size.
std::string root_of(const Options& options) {
  if (!options.data_dir.empty()) return options.data_dir;
  if (const auto folder = detail::default_places().data_dir) {
    const std::string local = (*folder / "flowers").string();
    if (io::is_dir(local)) return local;
  }
  if (options.classes == 5) return kPublic;
  internal::Message(kWho)
      .expected("the folder with the files of 104 classes")
      .got("none")
      .hint(
          "{.data_dir = ...}, or its files in the folder flowers of the "
          "folder that SYSTOLIC_DATA_DIR names")
      .raise<NotFoundError>();
}

}  // namespace

std::vector<std::string> files(const Options& options) {
  check(options);
  const std::string side = std::to_string(options.size);
  std::string folder =
      io::join_path(root_of(options), "tfrecords-jpeg-" + side + "x" + side);
  if (options.classes == 104) folder = io::join_path(folder, options.split);
  const std::string pattern = io::join_path(folder, "*.tfrec");
  std::vector<std::string> found = io::glob(pattern);
  if (found.empty()) {
    internal::Message(kWho)
        .expected("record files")
        .got("none that match ", pattern)
        .raise<NotFoundError>();
  }
  if (options.classes == 104 || options.split.empty()) return found;
  const auto middle =
      found.begin() + static_cast<std::ptrdiff_t>(
                          kValidation * static_cast<double>(found.size()));
  if (options.split == "train") {
    found.erase(found.begin(), middle);
  } else {
    found.erase(middle, found.end());
  }
  return found;
}

data::Dataset load_data(const Options& options) {
  const bool labelled = options.classes == 5 || options.split != "test";
  const char* second = labelled ? "class" : "id";
  const data::Features features{
      {"image", data::FixedLenFeature({}, DType::string)},
      {second,
       data::FixedLenFeature({}, labelled ? DType::int64 : DType::string)}};
  return data::TFRecordDataset(files(options),
                               {.num_parallel_reads = data::AUTOTUNE})
      .map(
          [features, second](const Array& record) {
            const data::Element example =
                data::parse_single_example(record, features);
            return std::pair(
                image::decode_jpeg(example["image"], {.channels = 3}),
                example[second].array());
          },
          {.num_parallel_calls = data::AUTOTUNE, .name = "flowers"});
}

std::vector<std::string> class_names() {
  return {"daisy", "dandelion", "roses", "sunflowers", "tulips"};
}

}  // namespace systolic::datasets::flowers
