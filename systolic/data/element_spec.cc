#include "systolic/data/element_spec.h"

#include <algorithm>
#include <ostream>

namespace systolic::data {
namespace {

constexpr int64_t kUnknownLength = -1;

bool compatible(const TensorSpec& a, const TensorSpec& b) {
  if (a.dtype != b.dtype) return false;
  if (!a.shape.is_set() || !b.shape.is_set()) return true;
  if (a.shape.rank() != b.shape.rank()) return false;
  for (int i = 0; i < a.shape.rank(); ++i) {
    const int64_t x = a.shape[i];
    const int64_t y = b.shape[i];
    if (x != y && x != kUnknownLength && y != kUnknownLength) return false;
  }
  return true;
}

std::optional<TensorSpec> merge(const TensorSpec& a, const TensorSpec& b) {
  if (a.dtype != b.dtype) return std::nullopt;
  if (!a.shape.is_set() || !b.shape.is_set()) {
    return TensorSpec{a.dtype, Shape()};
  }
  if (a.shape.rank() != b.shape.rank()) return std::nullopt;
  std::vector<int64_t> lengths;
  for (int i = 0; i < a.shape.rank(); ++i) {
    lengths.push_back(a.shape[i] == b.shape[i] ? a.shape[i] : kUnknownLength);
  }
  return TensorSpec{a.dtype, Shape(std::span<const int64_t>(lengths))};
}

std::string leaf_text(const TensorSpec& spec) {
  if (!spec.shape.is_set()) return std::string(name(spec.dtype)) + "[...]";
  return spec.to_string();
}

}  // namespace

ElementSpec::ElementSpec(TensorSpec spec)
    : kind_(ElementKind::array), array_(std::move(spec)) {}

ElementSpec ElementSpec::any_array() {
  ElementSpec spec;
  spec.kind_ = ElementKind::array;
  return spec;
}

ElementSpec ElementSpec::tuple(std::vector<ElementSpec> items) {
  ElementSpec spec;
  spec.kind_ = ElementKind::tuple;
  spec.items_ = std::move(items);
  return spec;
}

ElementSpec ElementSpec::dict(
    std::vector<std::pair<std::string, ElementSpec>> entries) {
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  ElementSpec spec;
  spec.kind_ = ElementKind::dict;
  for (auto& [key, value] : entries) {
    spec.keys_.push_back(std::move(key));
    spec.items_.push_back(std::move(value));
  }
  return spec;
}

ElementSpec ElementSpec::any_dict() {
  ElementSpec spec;
  spec.kind_ = ElementKind::dict;
  spec.keys_known_ = false;
  return spec;
}

ElementSpec ElementSpec::dataset(ElementSpec element) {
  ElementSpec spec;
  spec.kind_ = ElementKind::dataset;
  spec.items_.push_back(std::move(element));
  return spec;
}

bool ElementSpec::is_complete() const {
  switch (kind_) {
    case ElementKind::unknown:
      return false;
    case ElementKind::array:
      return array_.has_value() && array_->shape.is_set();
    case ElementKind::tuple:
    case ElementKind::dict:
    case ElementKind::dataset:
      break;
  }
  return keys_known_ &&
         std::all_of(items_.begin(), items_.end(), [](const ElementSpec& item) {
           return item.is_complete();
         });
}

bool ElementSpec::is_compatible_with(const ElementSpec& other) const {
  if (kind_ == ElementKind::unknown || other.kind_ == ElementKind::unknown) {
    return true;
  }
  if (kind_ != other.kind_) return false;
  if (kind_ == ElementKind::array) {
    return !array_ || !other.array_ || compatible(*array_, *other.array_);
  }
  if (!keys_known_ || !other.keys_known_) return true;
  if (keys_ != other.keys_ || items_.size() != other.items_.size()) {
    return false;
  }
  for (size_t i = 0; i < items_.size(); ++i) {
    if (!items_[i].is_compatible_with(other.items_[i])) return false;
  }
  return true;
}

std::optional<ElementSpec> ElementSpec::merged_with(
    const ElementSpec& other) const {
  if (kind_ == ElementKind::unknown || other.kind_ == ElementKind::unknown) {
    return ElementSpec();
  }
  if (kind_ != other.kind_) return std::nullopt;
  if (kind_ == ElementKind::array) {
    if (!array_ || !other.array_) return any_array();
    const std::optional<TensorSpec> both = merge(*array_, *other.array_);
    if (!both) return std::nullopt;
    return ElementSpec(*both);
  }
  if (!keys_known_ || !other.keys_known_) return any_dict();
  if (keys_ != other.keys_ || items_.size() != other.items_.size()) {
    return std::nullopt;
  }
  ElementSpec result = *this;
  for (size_t i = 0; i < items_.size(); ++i) {
    std::optional<ElementSpec> item = items_[i].merged_with(other.items_[i]);
    if (!item) return std::nullopt;
    result.items_[i] = *std::move(item);
  }
  return result;
}

std::string ElementSpec::to_string() const {
  if (kind_ == ElementKind::unknown) return "?";
  if (kind_ == ElementKind::array) {
    return array_ ? leaf_text(*array_) : "Array";
  }
  if (!keys_known_) return "{...}";
  if (kind_ == ElementKind::dataset) {
    return "Dataset(" + items_[0].to_string() + ")";
  }
  const bool is_dict = kind_ == ElementKind::dict;
  std::string text = is_dict ? "{" : "(";
  for (size_t i = 0; i < items_.size(); ++i) {
    if (i > 0) text += ", ";
    if (is_dict) text += '"' + keys_[i] + "\": ";
    text += items_[i].to_string();
  }
  if (!is_dict && items_.size() == 1) text += ",";
  text += is_dict ? "}" : ")";
  return text;
}

bool operator==(const ElementSpec& a, const ElementSpec& b) {
  return a.kind_ == b.kind_ && a.keys_known_ == b.keys_known_ &&
         a.array_ == b.array_ && a.items_ == b.items_ && a.keys_ == b.keys_;
}

std::ostream& operator<<(std::ostream& out, const ElementSpec& spec) {
  return out << spec.to_string();
}

}  // namespace systolic::data
