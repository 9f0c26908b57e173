#include "systolic/datasets/mnist.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "systolic/base/message.h"
#include "systolic/datasets/fashion_mnist.h"
#include "systolic/datasets/idx.h"
#include "systolic/datasets/sources.h"

namespace systolic::datasets {
namespace detail {
namespace {

constexpr int kClasses = 10;

// The file's array of `rank` axes; its own checks come before the SHA-256,
// since they say more.
Array load(const SourceFile& source, const Places& places, int rank) {
  FoundFile found = find_file(source, places);
  const std::string path = found.path.string();
  const auto bytes = std::make_shared<const Bytes>(std::move(found.bytes));
  const Array array = parse_idx(bytes, path, found.hint);
  if (array.rank() != rank || array.dtype() != DType::uint8) {
    throw_damaged({.file = path,
                   .check = "magic number",
                   .offset = 0,
                   .expected = "uint8 with " + std::to_string(rank) + " axes",
                   .got = array.spec().to_string(),
                   .hint = found.hint});
  }
  if (rank == 1) {
    const auto labels = array.span<uint8_t>();
    const auto bad = std::ranges::find_if(
        labels, [](int label) { return label >= kClasses; });
    if (bad != labels.end()) {
      throw_damaged({.file = path,
                     .check = "labels",
                     .offset = 8 + static_cast<size_t>(bad - labels.begin()),
                     .expected = "a digit 0 ... 9",
                     .got = std::to_string(*bad),
                     .hint = found.hint});
    }
  }
  check_sha256(source, *bytes, path, found.hint);
  return array;
}

mnist::Part load_part(const std::vector<SourceFile>& sources,
                      const Places& places, const std::string& prefix) {
  mnist::Part part;
  part.first = load(row_of(sources, prefix + "-images-idx3-ubyte"), places, 3);
  part.second = load(row_of(sources, prefix + "-labels-idx1-ubyte"), places, 1);
  if (part.first.shape()[0] != part.second.shape()[0]) {
    internal::Message("datasets::mnist")
        .expected("as many labels as images")
        .got(part.second.shape()[0], " and ", part.first.shape()[0])
        .detail("files", prefix + "-images-idx3-ubyte and " + prefix +
                             "-labels-idx1-ubyte")
        .raise<DataError>();
  }
  return part;
}

}  // namespace

std::pair<mnist::Part, mnist::Part> load_mnist(
    const std::vector<SourceFile>& sources, const Places& places) {
  return {load_part(sources, places, "train"),
          load_part(sources, places, "t10k")};
}

}  // namespace detail

namespace mnist {

std::pair<Part, Part> load_data() {
  return detail::load_mnist(detail::source_files("mnist"),
                            detail::default_places());
}

}  // namespace mnist

std::pair<mnist::Part, mnist::Part> fashion_mnist::load_data() {
  return detail::load_mnist(detail::source_files("fashion_mnist"),
                            detail::default_places());
}

}  // namespace systolic::datasets
