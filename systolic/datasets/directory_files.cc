// Tested by: systolic/datasets/directories_test.cc
#include "systolic/datasets/directory_files.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "systolic/array/arrays.h"
#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/base/seed.h"
#include "systolic/io/file_system.h"

namespace systolic::datasets::detail {

namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  });
  return text;
}

// The paths below a folder that end in one of the extensions, sorted.
std::vector<std::string> files_below(
    const std::string& folder,
    const std::vector<std::string_view>& extensions) {
  std::vector<std::string> paths;
  io::file_system_for(folder).list(
      folder, {.recursive = true}, [&](const io::DirectoryEntry& entry) {
        const std::string name = lower(entry.path);
        if (!entry.stat.is_directory &&
            std::ranges::any_of(extensions, [&](std::string_view extension) {
              return name.ends_with(extension);
            })) {
          paths.push_back(entry.path);
        }
        return true;
      });
  std::ranges::sort(paths);
  return paths;
}

// The subfolders that are classes, in the order of their labels.
std::vector<std::string> find_classes(const char* who,
                                      const std::string& directory,
                                      const TextDirectoryOptions& options) {
  std::vector<std::string> found;
  for (const std::string& name : io::list_directory(directory)) {
    if (!name.starts_with('.') && io::is_dir(io::join_path(directory, name))) {
      found.push_back(name);
    }
  }
  for (const std::string& name : options.class_names) {
    if (std::ranges::find(found, name) != found.end()) continue;
    std::string all;
    for (const std::string& each : found) {
      all += (all.empty() ? "" : ", ") + each;
    }
    internal::Message(who)
        .expected("class_names to be folders of ", directory, ": ", all)
        .got("\"", name, "\"")
        .raise<ValueError>();
  }
  return options.class_names.empty() ? found : options.class_names;
}

void check_options(const char* who, const TextDirectoryOptions& options) {
  const auto fail = [&](const char* expected, const std::string& got) {
    internal::Message(who).expected(expected).got(got).raise<ValueError>();
  };
  const std::string mode = options.label_mode.value_or("int");
  if (mode != "int" && mode != "categorical" && mode != "binary") {
    fail("label_mode to be \"int\", \"categorical\", \"binary\" or unset",
         "\"" + mode + "\"");
  }
  const bool split = options.validation_split.has_value();
  const std::string& subset = options.subset;
  if (split &&
      !(*options.validation_split > 0 && *options.validation_split < 1)) {
    fail("validation_split to be between 0 and 1",
         internal::concatenate_text(*options.validation_split));
  }
  if (subset == "both") {
    internal::Message(who)
        .expected("subset to be \"training\" or \"validation\"")
        .got("\"both\"")
        .hint(
            "image_datasets_from_directory and text_datasets_from_directory "
            "give both")
        .raise<ValueError>();
  }
  if (split ? subset != "training" && subset != "validation"
            : !subset.empty()) {
    fail(
        "subset to be \"training\" or \"validation\", with a "
        "validation_split",
        "\"" + subset + "\"" + (split ? "" : " without one"));
  }
  if (split && options.shuffle && !options.seed) {
    fail("a seed, so that training and validation do not overlap",
         "validation_split and shuffle without a seed");
  }
  if (options.labels && !options.class_names.empty()) {
    fail("labels or class_names", "both");
  }
}

// Labels that the user gave, and a class for each that occurs.
void take_labels(const char* who, const std::vector<int32_t>& labels,
                 DirectoryFiles& files) {
  if (labels.size() != files.paths.size()) {
    internal::Message(who)
        .expected("a label for each of ", files.paths.size(), " files")
        .got(labels.size())
        .raise<ValueError>();
  }
  files.labels = labels;
  for (const int32_t label : std::set<int32_t>(labels.begin(), labels.end())) {
    files.class_names.push_back(std::to_string(label));
  }
}

// Paths and labels in one random order.
void shuffle(DirectoryFiles& files) {
  std::vector<size_t> order(files.paths.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[internal::mix_seed(files.seed, i) % i]);
  }
  DirectoryFiles shuffled = files;
  for (size_t i = 0; i < order.size(); ++i) {
    shuffled.paths[i] = files.paths[order[i]];
    if (!files.labels.empty()) shuffled.labels[i] = files.labels[order[i]];
  }
  files = std::move(shuffled);
}

// The last files are for validation.
template <class T>
void keep_subset(std::vector<T>& all, const TextDirectoryOptions& options) {
  if (!options.validation_split || all.empty()) return;
  const auto validation = static_cast<std::ptrdiff_t>(
      *options.validation_split * static_cast<double>(all.size()));
  const auto middle = all.end() - validation;
  if (options.subset == "training") {
    all.erase(middle, all.end());
  } else {
    all.erase(all.begin(), middle);
  }
}

}  // namespace

DirectoryFiles find_files(const char* who, const std::string& directory,
                          const std::vector<std::string_view>& extensions,
                          const TextDirectoryOptions& options) {
  check_options(who, options);
  DirectoryFiles files;
  files.seed = options.seed ? static_cast<uint64_t>(*options.seed)
                            : internal::draw_seed();
  const bool labelled = options.label_mode.has_value();
  if (labelled && !options.labels) {
    files.class_names = find_classes(who, directory, options);
    for (size_t i = 0; i < files.class_names.size(); ++i) {
      for (std::string& path : files_below(
               io::join_path(directory, files.class_names[i]), extensions)) {
        files.paths.push_back(std::move(path));
        files.labels.push_back(static_cast<int32_t>(i));
      }
    }
  } else {
    files.paths = files_below(directory, extensions);
    if (labelled) take_labels(who, *options.labels, files);
  }
  if (options.label_mode == "binary" && files.class_names.size() != 2) {
    internal::Message(who)
        .expected("two classes for label_mode \"binary\"")
        .got(files.class_names.size())
        .raise<ValueError>();
  }
  if (options.verbose) {
    log(LogLevel::info,
        internal::concatenate_text("Found ", files.paths.size(), " files") +
            (labelled
                 ? internal::concatenate_text(
                       " belonging to ", files.class_names.size(), " classes.")
                 : "."));
  }
  if (options.shuffle) shuffle(files);
  keep_subset(files.paths, options);
  keep_subset(files.labels, options);
  if (options.verbose && options.validation_split) {
    log(LogLevel::info,
        internal::concatenate_text("Using ", files.paths.size(), " files for ",
                                   options.subset, "."));
  }
  if (!files.paths.empty()) return files;
  std::string all;
  for (const std::string_view extension : extensions) {
    all += (all.empty() ? "" : ", ") + std::string(extension);
  }
  internal::Message(who)
      .expected("files that end in ", all)
      .got("none in ", directory,
           labelled && !options.labels ? ", in a folder for each class" : "")
      .raise<NotFoundError>();
}

data::Dataset paths_and_labels(const DirectoryFiles& files,
                               const TextDirectoryOptions& options) {
  const Array paths = Array::from_strings(files.paths);
  data::Dataset dataset = [&] {
    if (files.labels.empty()) return data::Dataset::from_tensor_slices(paths);
    const Array labels = Array::from(files.labels);
    if (options.label_mode == "int") {
      return data::Dataset::from_tensor_slices(paths, labels);
    }
    const auto count = static_cast<int64_t>(files.labels.size());
    if (options.label_mode == "binary") {
      return data::Dataset::from_tensor_slices(
          paths, reshape(cast<float>(labels), {count, 1}));
    }
    const auto classes = static_cast<int64_t>(files.class_names.size());
    Array one_hot = Array::zeros({count, classes});
    const auto values = one_hot.mutable_span<float>();
    for (size_t i = 0; i < files.labels.size(); ++i) {
      const int32_t label = files.labels[i];
      if (label >= 0 && label < classes) {
        values[i * static_cast<size_t>(classes) + static_cast<size_t>(label)] =
            1;
      }
    }
    return data::Dataset::from_tensor_slices(paths, one_hot);
  }();
  if (!options.shuffle) return dataset;
  // Paths are small: all of them are shuffled.
  return dataset.shuffle(static_cast<int64_t>(files.paths.size()),
                         {.seed = static_cast<int64_t>(files.seed)});
}

data::Dataset batched(const data::Dataset& dataset,
                      const OptionalInt& batch_size) {
  return (batch_size ? dataset.batch(*batch_size) : dataset)
      .prefetch(data::AUTOTUNE);
}

}  // namespace systolic::datasets::detail
