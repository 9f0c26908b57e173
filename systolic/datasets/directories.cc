#include "systolic/datasets/directories.h"

#include <algorithm>
#include <utility>

#include "systolic/array/arrays.h"
#include "systolic/array/resize_weights.h"
#include "systolic/base/message.h"
#include "systolic/datasets/directory_files.h"
#include "systolic/image/decode.h"
#include "systolic/image/geometry.h"
#include "systolic/image/resize.h"
#include "systolic/io/file_system.h"

namespace systolic::datasets {

namespace {

// How a picture is read.
struct PictureFormat {
  int channels = 3;
  image::Size size;
  std::string interpolation;
  bool crop = false;
  bool pad = false;
};

int channels_of(const std::string& color_mode) {
  if (color_mode == "grayscale") return 1;
  if (color_mode == "rgb") return 3;
  if (color_mode == "rgba") return 4;
  internal::Message("image_dataset_from_directory")
      .expected("color_mode to be \"grayscale\", \"rgb\" or \"rgba\"")
      .got("\"", color_mode, "\"")
      .raise<ValueError>();
}

// The size with the proportions of `wanted` that the picture is cut down to.
image::Size with_proportions(const Array& picture, const image::Size& wanted) {
  const int64_t height = picture.shape()[0], width = picture.shape()[1];
  const int64_t tall = width * wanted[0] / wanted[1];
  const int64_t wide = height * wanted[1] / wanted[0];
  return {std::min(height, std::max<int64_t>(tall, 1)),
          std::min(width, std::max<int64_t>(wide, 1))};
}

Array read_picture(const std::string& path, const PictureFormat& format) {
  const std::string bytes = io::read_file(path);
  Array picture;
  try {
    picture = image::decode_image(
        bytes, {.channels = format.channels, .expand_animations = false});
  } catch (const DataError& error) {
    throw DataError(std::string(error.what()) + "\n  file: " + path);
  } catch (const ValueError& error) {
    throw ValueError(std::string(error.what()) + "\n  file: " + path);
  }
  if (format.pad) {
    return cast<float>(image::resize_with_pad(
        picture, format.size, {.method = format.interpolation}));
  }
  if (format.crop) {
    picture = image::resize_with_crop_or_pad(
        picture, with_proportions(picture, format.size));
  }
  return cast<float>(
      image::resize(picture, format.size, {.method = format.interpolation}));
}

TextDirectoryOptions shared(const ImageDirectoryOptions& options) {
  return {.labels = options.labels,
          .label_mode = options.label_mode,
          .class_names = options.class_names,
          .batch_size = options.batch_size,
          .shuffle = options.shuffle,
          .seed = options.seed,
          .validation_split = options.validation_split,
          .subset = options.subset,
          .verbose = options.verbose};
}

// The files as elements that `read` makes of their paths.
template <class Read>
DirectoryDataset dataset_of(detail::DirectoryFiles files,
                            const TextDirectoryOptions& options, Read read) {
  const data::Dataset paths = detail::paths_and_labels(files, options);
  const data::MapOptions parallel{.num_parallel_calls = data::AUTOTUNE};
  const data::Dataset elements =
      files.labels.empty()
          ? paths.map([read](const std::string& path) { return read(path); },
                      parallel)
          : paths.map(
                [read](const std::string& path, const Array& label) {
                  return std::pair(read(path), label);
                },
                parallel);
  return {detail::batched(elements, options.batch_size),
          std::move(files.class_names), std::move(files.paths)};
}

// The two parts that the function of one part gives.
template <class Options>
std::pair<DirectoryDataset, DirectoryDataset> both_parts(
    const char* who,
    DirectoryDataset (*part)(const std::string&, const Options&),
    const std::string& directory, Options options) {
  if (!options.validation_split || !options.subset.empty()) {
    internal::Message(who)
        .expected("a validation_split, and no subset: both are given")
        .got(options.validation_split ? "subset \"" + options.subset + "\""
                                      : "no validation_split")
        .template raise<ValueError>();
  }
  options.subset = "training";
  DirectoryDataset training = part(directory, options);
  options.subset = "validation";
  options.verbose = false;  // the number of files was told
  return {std::move(training), part(directory, options)};
}

}  // namespace

DirectoryDataset image_dataset_from_directory(
    const std::string& directory, const ImageDirectoryOptions& options) {
  constexpr const char* kWho = "image_dataset_from_directory";
  const PictureFormat format{.channels = channels_of(options.color_mode),
                             .size = options.image_size,
                             .interpolation = options.interpolation,
                             .crop = options.crop_to_aspect_ratio,
                             .pad = options.pad_to_aspect_ratio};
  if (format.size[0] < 1 || format.size[1] < 1) {
    internal::Message(kWho)
        .expected("image_size to be at least one pixel")
        .got(format.size[0], " x ", format.size[1])
        .raise<ValueError>();
  }
  if (format.crop && format.pad) {
    internal::Message(kWho)
        .expected("one of crop_to_aspect_ratio and pad_to_aspect_ratio")
        .got("both")
        .raise<ValueError>();
  }
  if (format.interpolation != "nearest") {
    internal::resize_weights(1, 1, format.interpolation, false,
                             SourceLocation::current());  // throws for others
  }
  const TextDirectoryOptions rest = shared(options);
  return dataset_of(
      detail::find_files(kWho, directory,
                         {".jpeg", ".jpg", ".png", ".bmp", ".gif", ".webp"},
                         rest),
      rest,
      [format](const std::string& path) { return read_picture(path, format); });
}

std::pair<DirectoryDataset, DirectoryDataset> image_datasets_from_directory(
    const std::string& directory, const ImageDirectoryOptions& options) {
  return both_parts("image_datasets_from_directory",
                    image_dataset_from_directory, directory, options);
}

DirectoryDataset text_dataset_from_directory(
    const std::string& directory, const TextDirectoryOptions& options) {
  return dataset_of(
      detail::find_files("text_dataset_from_directory", directory, {".txt"},
                         options),
      options, [max_length = options.max_length](const std::string& path) {
        std::string text = io::read_file(path);
        if (max_length && static_cast<int64_t>(text.size()) > *max_length) {
          text.resize(static_cast<size_t>(std::max<int64_t>(*max_length, 0)));
        }
        return Array::scalar(text);
      });
}

std::pair<DirectoryDataset, DirectoryDataset> text_datasets_from_directory(
    const std::string& directory, const TextDirectoryOptions& options) {
  return both_parts("text_datasets_from_directory", text_dataset_from_directory,
                    directory, options);
}

namespace {

// Throws ValueError unless the options make sense for `size` elements.
void check_series(const Array& data, const Array& targets, int64_t length,
                  const TimeseriesOptions& options) {
  constexpr const char* kWho = "timeseries_dataset_from_array";
  const auto fail = [&](const char* expected, int64_t got) {
    internal::Message(kWho)
        .expected(expected)
        .got(got)
        .detail("data", data.spec())
        .raise<ValueError>();
  };
  if (data.rank() < 1 || (targets.is_set() && targets.rank() < 1)) {
    internal::Message(kWho)
        .expected("data and targets with a first axis of elements")
        .got(data.spec())
        .raise<ShapeError>();
  }
  const int64_t size = data.shape()[0];
  if (length < 1) fail("sequence_length to be at least 1", length);
  if (options.sequence_stride < 1 || options.sequence_stride >= size) {
    fail("sequence_stride to be at least 1 and below the data's length",
         options.sequence_stride);
  }
  if (options.sampling_rate < 1 || options.sampling_rate >= size) {
    fail("sampling_rate to be at least 1 and below the data's length",
         options.sampling_rate);
  }
  const int64_t start = options.start_index.value_or(0);
  if (start < 0 || start >= size) {
    fail("start_index to be in the data", start);
  }
  const int64_t end = options.end_index.value_or(size);
  if (end <= start || end > size) {
    fail("end_index to be behind start_index, in the data", end);
  }
}

// Where sequences start.
Array starts_of(const Array& data, const Array& targets, int64_t length,
                const TimeseriesOptions& options) {
  const int64_t start = options.start_index.value_or(0);
  const int64_t end = options.end_index.value_or(data.shape()[0]);
  int64_t count = end - start - (length - 1) * options.sampling_rate;
  if (targets.is_set()) count = std::min(count, targets.shape()[0] - start);
  std::vector<int64_t> starts;
  for (int64_t i = 0; i < count; i += options.sequence_stride) {
    starts.push_back(i);
  }
  return Array::from(starts, {static_cast<int64_t>(starts.size())});
}

}  // namespace

data::Dataset timeseries_dataset_from_array(const Array& data,
                                            const Array& targets,
                                            int64_t sequence_length,
                                            const TimeseriesOptions& options) {
  check_series(data, targets, sequence_length, options);
  const Slice used(options.start_index.value_or(0),
                   options.end_index.value_or(data.shape()[0]));
  const Array part = data[used];
  const int64_t rate = options.sampling_rate;
  const auto sequence = [part, sequence_length, rate](int64_t start) {
    return part[Slice(start, start + (sequence_length - 1) * rate + 1, rate)];
  };
  const Array places = starts_of(data, targets, sequence_length, options);
  data::Dataset starts = data::Dataset::from_tensor_slices(places);
  if (options.shuffle && places.size() > 0) {
    starts = starts.shuffle(places.size(), {.seed = options.seed});
  }
  if (!targets.is_set()) {
    return detail::batched(starts.map(sequence), options.batch_size);
  }
  const auto both = [sequence, wanted = targets[used]](int64_t start) {
    return std::pair(sequence(start), wanted[start]);
  };
  return detail::batched(starts.map(both), options.batch_size);
}

}  // namespace systolic::datasets
