#include "systolic/datasets/flowers.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "systolic/base/message.h"
#include "systolic/datasets/class_names.h"
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

// The number that a file's name ends in, "-230.tfrec": its pictures. Without
// one, -1.
int64_t count_in_name(std::string_view path) {
  constexpr std::string_view kEnd = ".tfrec";
  if (path.ends_with(kEnd)) path.remove_suffix(kEnd.size());
  const std::string_view digits = path.substr(path.find_last_of("-/") + 1);
  if (digits.size() == path.size() || digits.empty() ||
      path[path.size() - digits.size() - 1] != '-') {
    return -1;
  }
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole =
      error == std::errc() && end == digits.data() + digits.size();
  return whole ? number : -1;
}

int64_t counted(const data::Dataset& dataset) {
  int64_t number = 0;
  for ([[maybe_unused]] const auto& record : dataset) ++number;
  return number;
}

data::Dataset records(const Options& options) {
  return data::TFRecordDataset(files(options),
                               {.num_parallel_reads = data::AUTOTUNE});
}

// Pictures and labels of the records.
data::Dataset decoded(const data::Dataset& records, const Options& options) {
  const bool labelled = options.classes == 5 || options.split != "test";
  const char* second = labelled ? "class" : "id";
  const data::Features features{
      {"image", data::FixedLenFeature({}, DType::string)},
      {second,
       data::FixedLenFeature({}, labelled ? DType::int64 : DType::string)}};
  return records.map(
      [features, second](const Array& record) {
        const data::Element example =
            data::parse_single_example(record, features);
        return std::pair(image::decode_jpeg(example["image"], {.channels = 3}),
                         example[second].array());
      },
      {.num_parallel_calls = data::AUTOTUNE, .name = "flowers"});
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
  const size_t count = found.size();
  const auto middle =
      found.begin() + static_cast<std::ptrdiff_t>(
                          kValidation * static_cast<double>(found.size()));
  if (options.split == "train") {
    found.erase(found.begin(), middle);
  } else {
    found.erase(middle, found.end());
  }
  if (found.empty()) {
    internal::Message(kWho)
        .expected("at least ", std::ceil(1 / kValidation),
                  " files, of which a part is for validation")
        .got(count)
        .detail("pattern", pattern)
        .raise<ValueError>();
  }
  return found;
}

data::Dataset load_data(const Options& options) {
  return decoded(records(options), options);
}

int64_t count(const Options& options) {
  int64_t all = 0;
  for (const std::string& file : files(options)) {
    const int64_t named = count_in_name(file);
    if (named < 0) return counted(records(options));
    all += named;
  }
  return all;
}

std::vector<std::string> class_names(int classes) {
  check({.classes = classes});
  if (classes == 104) return datasets::detail::many_flower_names();
  return {"daisy", "dandelion", "roses", "sunflowers", "tulips"};
}

}  // namespace systolic::datasets::flowers

namespace systolic::datasets {

data::Dataset detail::flowers_between(const flowers::Options& options,
                                      int64_t begin, int64_t end) {
  return flowers::decoded(
      flowers::records(options).skip(begin).take(end - begin), options);
}

}  // namespace systolic::datasets
