// Tested by: systolic/records/parse_example_test.cc
#include "systolic/records/features.h"

#include <algorithm>
#include <limits>

#include "systolic/array/cast.h"
#include "systolic/base/message.h"

namespace systolic::data {
namespace {

// Checks one feature and adds the keys that it is read from.
class Checker {
 public:
  Checker(const std::string& name, std::vector<std::string>* keys)
      : name_(name), keys_(keys) {}

  void operator()(const FixedLenFeature& feature) {
    check_dtype(feature.dtype);
    keys_->push_back(name_);
    const Array& value = feature.default_value;
    check_default(value, feature.dtype);
    if (value.is_set() && value.rank() > 0 &&
        !(value.shape() == feature.shape)) {
      message()
          .expected("a default of shape ", feature.shape, " or a scalar")
          .got(value.spec())
          .raise<ShapeError>();
    }
    check_shape(feature.shape, feature.dtype, !value.is_set());
  }
  void operator()(const VarLenFeature& feature) {
    check_dtype(feature.dtype);
    keys_->push_back(name_);
  }
  void operator()(const SparseFeature& feature) {
    check_dtype(feature.dtype);
    if (feature.index_key.empty() ||
        feature.index_key.size() != feature.size.size()) {
      message()
          .expected("as many sizes as index keys, and one at least")
          .got(feature.size.size(), " and ", feature.index_key.size())
          .raise<ShapeError>();
    }
    keys_->insert(keys_->end(), feature.index_key.begin(),
                  feature.index_key.end());
    keys_->push_back(feature.value_key);
  }
  void operator()(const RaggedFeature& feature) {
    check_dtype(feature.dtype);
    if (feature.row_splits_dtype != DType::int32 &&
        feature.row_splits_dtype != DType::int64) {
      message()
          .expected("a row_splits_dtype of int32 or int64")
          .got(feature.row_splits_dtype)
          .raise<TypeError>();
    }
    keys_->push_back(feature.value_key.empty() ? name_ : feature.value_key);
    for (const RaggedPartition& partition : feature.partitions) {
      if (partition.kind != RaggedPartition::Kind::uniform_row_length) {
        keys_->push_back(partition.key);
      } else if (partition.length < 1) {
        message()
            .expected("a uniform row length of 1 or more")
            .got(partition.length)
            .raise<ShapeError>();
      }
    }
  }
  void operator()(const FixedLenSequenceFeature& feature) {
    check_dtype(feature.dtype);
    keys_->push_back(name_);
    check_default(feature.default_value, feature.dtype);
    if (feature.default_value.is_set() && feature.default_value.rank() > 0) {
      message()
          .expected("a scalar as the default")
          .got(feature.default_value.spec())
          .raise<ShapeError>();
    }
    check_shape(feature.shape, feature.dtype, false);
    if (feature.shape.elements() < 1) {
      message()
          .expected("steps of at least one value")
          .got("shape ", feature.shape)
          .raise<ShapeError>();
    }
  }

 private:
  internal::Message message() const {
    return internal::Message("feature \"" + name_ + "\"");
  }
  void check_dtype(DType dtype) const {
    if (dtype == DType::float32 || dtype == DType::int64 ||
        dtype == DType::string) {
      return;
    }
    message()
        .expected("float32, int64 or string, which Examples hold")
        .got(dtype)
        .hint("parse it as int64 or float32 and cast it")
        .raise<TypeError>();
  }
  // `alone`: whether only what stands in an Example fills the shape.
  void check_shape(const Shape& shape, DType dtype, bool alone) const {
    if (std::any_of(shape.begin(), shape.end(),
                    [](int64_t length) { return length < 0; })) {
      Shape step = shape;
      step.erase(0);
      message()
          .expected("a shape with known lengths")
          .got("shape ", shape)
          .hint("FixedLenSequenceFeature(", step, ", DType::", dtype,
                ", true) has any number of steps along a first axis, "
                "VarLenFeature any number of values")
          .raise<ShapeError>();
    }
    // No message is larger; and a default is memory of our own.
    const int64_t most = alone ? int64_t{1} << 31 : int64_t{1} << 28;
    int64_t left = most;
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return;
    for (const int64_t length : shape) left /= length;
    if (left > 0) return;
    message()
        .expected("a shape of at most ", most, " values")
        .got("shape ", shape)
        .hint("an Example holds 2 GiB at most")
        .raise<ShapeError>();
  }
  void check_default(const Array& value, DType dtype) const {
    if (!value.is_set() || value.dtype() == dtype) return;
    message()
        .expected("a default of ", dtype)
        .got(value.spec())
        .raise<TypeError>();
  }

  const std::string& name_;
  std::vector<std::string>* keys_;
};

}  // namespace

Array detail::default_scalar(DType dtype, const Array& value) {
  const bool is_whole = is_integer(value.dtype());
  if (dtype == DType::float32 && (is_whole || is_floating(value.dtype()))) {
    return cast<float>(value);
  }
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  const bool fits = value.dtype() != DType::uint64 ||
                    (value.rank() == 0 && value.span<uint64_t>()[0] <= kMost);
  if (dtype == DType::int64 && is_whole && fits) {
    return cast<int64_t>(value);
  }
  return value;  // Features says so where it is of another dtype
}

Features::Features(std::vector<std::pair<std::string, Feature>> features)
    : features_(std::move(features)) {
  std::sort(features_.begin(), features_.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::pair<std::string, Element>> names;
  for (size_t i = 0; i < features_.size(); ++i) {
    const std::string& name = features_[i].first;
    if (i > 0 && features_[i - 1].first == name) {
      internal::Message("features")
          .expected("each name once")
          .got("\"", name, "\" twice")
          .raise<ValueError>();
    }
    std::visit(Checker(name, &keys_), features_[i].second);
    names.emplace_back(name, Element());
  }
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  names_ = Element::dict(std::move(names));
}

}  // namespace systolic::data
