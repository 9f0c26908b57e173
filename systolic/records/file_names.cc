// Tested by: systolic/records/tf_record_dataset_test.cc
#include "systolic/records/file_names.h"

#include <algorithm>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/io/path.h"

namespace systolic::data {
namespace {

Array checked(const Array& paths) {
  if (!paths.is_set() || paths.dtype() != DType::string || paths.rank() > 1) {
    internal::Message("file names")
        .expected("a string or an axis of strings")
        .got(paths.is_set() ? paths.spec().to_string() : "an unset Array")
        .raise<TypeError>();
  }
  return paths.rank() == 1 ? paths : paths.reshaped({1});
}

Dataset checked(const Dataset& paths) {
  const ElementSpec spec = paths.node()->structure();
  const ElementSpec string{TensorSpec{DType::string, Shape::scalar()}};
  if (!spec.is_compatible_with(string)) {
    internal::Message("file names")
        .expected("a data set of string scalars")
        .got("one of ", spec)
        .raise<TypeError>();
  }
  return paths;
}

bool is_remote(const std::string& path) {
  const std::string scheme = io::detail::scheme_of(path);
  return !scheme.empty() && scheme != "file";
}

}  // namespace

FileNames::FileNames(std::vector<std::string> paths)
    : FileNames(Array::from_strings(std::move(paths))) {}

FileNames::FileNames(const Array& paths)
    : dataset_(Dataset::from_tensor_slices(Element(checked(paths)))),
      are_remote_(std::ranges::any_of(paths.span<std::string>(), is_remote)) {}

FileNames::FileNames(const Dataset& paths) : dataset_(checked(paths)) {}

}  // namespace systolic::data
