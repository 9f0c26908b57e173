#include "systolic/datasets/cifar.h"

#include <algorithm>
#include <span>

#include "systolic/array/manipulation.h"
#include "systolic/base/message.h"
#include "systolic/datasets/class_names.h"
#include "systolic/datasets/sources.h"
#include "systolic/datasets/tar.h"

namespace systolic::datasets {
namespace detail {
namespace {

constexpr size_t kSide = 32, kChannels = 3;
constexpr size_t kPixels = kSide * kSide;

// How a file's records lie: labels, then red, green and blue of all pixels.
struct Layout {
  size_t labels = 1;  // bytes before the pixels
  size_t label = 0;   // which of them is the label
  int classes = 10;
};

// The file of an archive as an image and a label for each record.
cifar10::Part parse(const Archive& archive, const std::string& name,
                    const Layout& layout) {
  const std::span<const std::byte> bytes = tar_file(archive, name);
  const size_t record = layout.labels + kChannels * kPixels;
  const auto fail = [&](const char* check, size_t offset,
                        const std::string& expected, const std::string& got) {
    throw_damaged({.file = archive.path + ", " + name,
                   .check = check,
                   .offset = offset,
                   .expected = expected,
                   .got = got,
                   .hint = archive.hint});
  };
  if (bytes.empty() || bytes.size() % record != 0) {
    fail("size", bytes.size(),
         "records of " + std::to_string(record) + " bytes",
         std::to_string(bytes.size()) + " bytes");
  }
  const size_t count = bytes.size() / record;
  const auto rows = static_cast<int64_t>(count);
  cifar10::Part part{
      Array::uninitialized({DType::uint8, {rows, kSide, kSide, kChannels}}),
      Array::uninitialized({DType::uint8, {rows, 1}})};
  uint8_t* image = part.first.mutable_span<uint8_t>().data();
  const auto labels = part.second.mutable_span<uint8_t>();
  for (size_t i = 0; i < count; ++i, image += kPixels * kChannels) {
    const auto* from =
        reinterpret_cast<const uint8_t*>(bytes.data()) + i * record;
    labels[i] = from[layout.label];
    if (labels[i] >= layout.classes) {
      fail("labels", i * record + layout.label,
           "a label below " + std::to_string(layout.classes),
           std::to_string(labels[i]));
    }
    from += layout.labels;
    for (size_t p = 0; p < kPixels; ++p) {
      for (size_t c = 0; c < kChannels; ++c) {
        image[p * kChannels + c] = from[c * kPixels + p];
      }
    }
  }
  return part;
}

// The parts one after the other.
cifar10::Part joined(const std::vector<cifar10::Part>& parts) {
  std::vector<Array> images, labels;
  for (const cifar10::Part& part : parts) {
    images.push_back(part.first);
    labels.push_back(part.second);
  }
  return {concatenate(images), concatenate(labels)};
}

FoundFile find_checked(const std::vector<SourceFile>& sources,
                       const std::string& file, const Places& places) {
  const SourceFile& source = row_of(sources, file);
  FoundFile found = find_file(source, places);
  check_sha256(source, found.bytes, found.path.string(), found.hint);
  return found;
}

}  // namespace

std::pair<cifar10::Part, cifar10::Part> load_cifar10(
    const std::vector<SourceFile>& sources, const Places& places) {
  const FoundFile found = find_checked(sources, "cifar-10-binary.tar", places);
  const Archive archive{found.bytes, found.path.string(), found.hint};
  std::vector<cifar10::Part> batches;
  for (const char* batch :
       {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
        "data_batch_4.bin", "data_batch_5.bin"}) {
    batches.push_back(parse(archive, batch, {}));
  }
  return {joined(batches), parse(archive, "test_batch.bin", {})};
}

namespace {

bool is_fine(const cifar100::Options& options) {
  if (options.label_mode == "fine") return true;
  if (options.label_mode == "coarse") return false;
  internal::Message("datasets::cifar100")
      .expected("label_mode to be \"fine\" or \"coarse\"")
      .got("\"", options.label_mode, "\"")
      .raise<ValueError>();
}

}  // namespace

std::pair<cifar10::Part, cifar10::Part> load_cifar100(
    const std::vector<SourceFile>& sources, const Places& places,
    const cifar100::Options& options) {
  const bool fine = is_fine(options);
  const FoundFile found = find_checked(sources, "cifar-100-binary.tar", places);
  const Archive archive{found.bytes, found.path.string(), found.hint};
  const Layout layout{.labels = 2,
                      .label = fine ? size_t{1} : size_t{0},
                      .classes = fine ? 100 : 20};
  return {parse(archive, "train.bin", layout),
          parse(archive, "test.bin", layout)};
}

}  // namespace detail

std::pair<cifar10::Part, cifar10::Part> cifar10::load_data() {
  return detail::load_cifar10(detail::source_files("cifar10"),
                              detail::default_places());
}

std::pair<cifar10::Part, cifar10::Part> cifar100::load_data(
    const Options& options) {
  return detail::load_cifar100(detail::source_files("cifar100"),
                               detail::default_places(), options);
}

std::vector<std::string> cifar100::class_names(const Options& options) {
  return detail::is_fine(options) ? detail::cifar100_fine_names()
                                  : detail::cifar100_coarse_names();
}

}  // namespace systolic::datasets
