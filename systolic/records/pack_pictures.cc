// Tested by: systolic/records/record_files_test.cc
// pack_pictures(): folders of pictures to record files.
#include <algorithm>
#include <cctype>
#include <random>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/dataset.h"
#include "systolic/io/file_system.h"
#include "systolic/records/example_builder.h"
#include "systolic/records/record_files.h"
#include "systolic/records/record_writer.h"
#include "systolic/records/shard_count.h"

namespace systolic::data {
namespace {

constexpr std::string_view kEndings[] = {".bmp", ".gif", ".jpeg",
                                         ".jpg", ".png", ".webp"};

bool is_picture(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return std::any_of(
      std::begin(kEndings), std::end(kEndings),
      [&](std::string_view ending) { return name.ends_with(ending); });
}

struct Picture {
  std::string path;
  size_t label = 0;
};

struct Pictures {
  std::vector<std::string> classes;
  std::vector<Picture> all;
  int64_t bytes = 0;
};

Pictures find_pictures(const std::string& folder) {
  Pictures pictures;
  for (const std::string& name : io::list_directory(folder)) {
    if (name.starts_with('.')) continue;  // hidden, as .git and the like
    const std::string inner = io::join_path(folder, name);
    if (!io::is_dir(inner)) continue;
    const auto first = static_cast<std::ptrdiff_t>(pictures.all.size());
    // One listing of a class has the sizes of all of it, in folders below too.
    io::file_system_for(inner).list(
        inner, {.recursive = true}, [&](const io::DirectoryEntry& entry) {
          if (!entry.stat.is_directory && is_picture(entry.path)) {
            pictures.all.push_back({entry.path, pictures.classes.size()});
            pictures.bytes += entry.stat.size;
          }
          return true;
        });
    std::sort(
        pictures.all.begin() + first, pictures.all.end(),
        [](const Picture& a, const Picture& b) { return a.path < b.path; });
    pictures.classes.push_back(name);
  }
  if (pictures.all.empty()) {
    internal::Message("pack_pictures")
        .expected(
            "folders of pictures (.jpg, .png, .gif, .bmp, .webp), one "
            "for each class")
        .got("none")
        .detail("folder", folder)
        .raise<NotFoundError>();
  }
  // A listing has no set order.
  std::ranges::sort(pictures.all, {}, [](const Picture& picture) {
    return std::pair(picture.label, std::string_view(picture.path));
  });
  return pictures;
}

// The bytes of the files in their order. Many are read at once: from far away
// each takes its time.
Dataset contents_of(const Pictures& pictures) {
  constexpr int64_t kAtOnce = 16;
  std::vector<std::string> paths;
  for (const Picture& picture : pictures.all) paths.push_back(picture.path);
  return Dataset::from_tensor_slices(Array::from_strings(paths))
      .map(
          [](std::string_view path) {
            return io::read_file(std::string(path));
          },
          {.num_parallel_calls = kAtOnce, .name = "pack_pictures"});
}

}  // namespace

ReshardReport pack_pictures(const std::string& folder,
                            const std::string& prefix,
                            const ReshardOptions& options) {
  Pictures pictures = find_pictures(folder);
  std::mt19937_64 random(
      static_cast<uint64_t>(options.shuffle_seed.value_or(0)));
  // Not std::shuffle, whose order differs between libraries.
  for (size_t i = pictures.all.size(); i > 1; --i) {
    std::swap(pictures.all[i - 1], pictures.all[random() % i]);
  }
  const auto count = static_cast<int64_t>(pictures.all.size());
  ShardedTFRecordWriter writer(
      prefix, {.num_shards = detail::shard_count(
                   "pack_pictures", pictures.bytes, count, options),
               .compression_type = options.compression_type});
  if (options.begin) options.begin(pictures.bytes);
  int64_t done = 0;
  const Dataset files = contents_of(pictures);
  Iterator contents = files.iterator();
  Element element;
  for (const Picture& picture : pictures.all) {
    contents.get_next(&element);
    const auto bytes = element.to<std::string_view>();
    std::vector<float> one_hot(pictures.classes.size(), 0.F);
    one_hot[picture.label] = 1.F;
    writer.write(ExampleBuilder()
                     .add("image", bytes)
                     .add("class", static_cast<int64_t>(picture.label))
                     .add("one_hot_class", one_hot)
                     .add("label", pictures.classes[picture.label])
                     .add("filename", io::base_name(picture.path))
                     .serialize());
    done += static_cast<int64_t>(bytes.size());
    if (options.progress) options.progress(picture.path, done);
  }
  writer.close();
  return {writer.paths(), writer.records()};
}

}  // namespace systolic::data
