#include "systolic/data/element.h"

#include <algorithm>
#include <cstring>
#include <ostream>

#include "systolic/base/message.h"
#include "systolic/data/dataset_base.h"

namespace systolic::data {
namespace {

std::string describe(const Element& element) {
  switch (element.kind()) {
    case ElementKind::array:
      return "an Array";
    case ElementKind::tuple:
      return "a tuple of " + std::to_string(element.size());
    case ElementKind::dict:
      return "a dict of " + std::to_string(element.size());
    case ElementKind::dataset:
      return "a data set";
    case ElementKind::unknown:
      break;
  }
  return "nothing";
}

bool array_bits_equal(const Array& a, const Array& b) {
  if (!(a.spec() == b.spec())) return false;
  if (a.dtype() == DType::string) {
    const auto x = a.span<std::string>();
    return std::ranges::equal(x, b.span<std::string>());
  }
  return a.nbytes() == 0 || std::memcmp(a.data(), b.data(), a.nbytes()) == 0;
}

}  // namespace

namespace detail {

void require_tuple(const Element& element, size_t count) {
  if (element.kind() == ElementKind::tuple && element.size() == count) return;
  internal::Message("data::Element")
      .expected("a tuple of ", count)
      .got(describe(element))
      .detail("element", element.spec())
      .raise<TypeError>();
}

void require_dict(const Element& element) {
  if (element.kind() == ElementKind::dict) return;
  internal::Message("data::Element")
      .expected("a dict")
      .got(describe(element))
      .detail("element", element.spec())
      .raise<TypeError>();
}

void throw_unequal_rows(size_t first, size_t other) {
  internal::Message("data::Element")
      .expected("rows of one length")
      .got("rows of ", first, " and of ", other, " values")
      .hint("data::RaggedArray holds rows of other lengths")
      .raise<ShapeError>();
}

const std::string& single_string(const Element& element) {
  const Array& array = element.array();
  if (array.dtype() != DType::string) {
    internal::Message("data::Element")
        .expected("a string")
        .got(array.spec())
        .hint("numbers are read as numbers: int64_t, float")
        .raise<TypeError>();
  }
  const std::span<const std::string> strings = array.span<std::string>();
  if (strings.size() != 1) {
    internal::Message("data::Element")
        .expected("one string")
        .got(strings.size())
        .detail("element", element.spec())
        .raise<ValueError>();
  }
  return strings[0];
}

}  // namespace detail

Element Element::tuple(std::vector<Element> items) {
  Element element;
  if (items.empty()) return element;
  element.items_ = std::make_shared<std::vector<Element>>(std::move(items));
  return element;
}

std::span<Element> Element::items() {
  if (items_ == nullptr) return {};
  if (items_.use_count() > 1) {
    items_ = std::make_shared<std::vector<Element>>(*items_);
  }
  return *items_;
}

Element Element::dict(std::vector<std::pair<std::string, Element>> entries) {
  std::stable_sort(
      entries.begin(), entries.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  auto keys = std::make_shared<std::vector<std::string>>();
  std::vector<Element> items;
  for (auto& [key, value] : entries) {
    if (!keys->empty() && keys->back() == key) {
      internal::Message("data::Element::dict")
          .expected("each key once")
          .got("two values for \"", key, "\"")
          .raise<ValueError>();
    }
    keys->push_back(std::move(key));
    items.push_back(std::move(value));
  }
  Element element = tuple(std::move(items));
  element.kind_ = ElementKind::dict;
  element.keys_ = std::move(keys);
  return element;
}

Element Element::dataset(std::shared_ptr<const DatasetBase> dataset) {
  Element element;
  element.kind_ = ElementKind::dataset;
  element.dataset_ = std::move(dataset);
  return element;
}

const std::shared_ptr<const DatasetBase>& Element::dataset() const {
  if (kind() != ElementKind::dataset) {
    internal::Message("data::Element")
        .expected("a data set")
        .got(describe(*this))
        .detail("element", spec())
        .raise<TypeError>();
  }
  return dataset_;
}

Element Element::like(const Element& other, std::vector<Element> items) {
  Element element = tuple(std::move(items));
  element.kind_ = other.kind_;
  element.keys_ = other.keys_;
  element.dataset_ = other.dataset_;
  return element;
}

std::span<const std::string> Element::keys() const {
  if (!keys_) return {};
  return *keys_;
}

const Element& Element::operator[](size_t index) const {
  if (index >= items().size()) {
    internal::Message("data::Element")
        .expected("an item of a tuple")
        .got("item ", index, " of ", describe(*this))
        .detail("element", spec())
        .raise<OutOfRangeError>();
  }
  return items()[index];
}

const Element& Element::operator[](std::string_view key) const {
  const std::span<const std::string> all_keys = keys();
  const auto found = std::ranges::lower_bound(all_keys, key);
  if (found == all_keys.end() || *found != key) {
    internal::Message("data::Element")
        .expected("a key of the dict")
        .got("\"", key, "\"")
        .detail("element", spec())
        .raise<NotFoundError>();
  }
  return items()[static_cast<size_t>(found - all_keys.begin())];
}

ElementSpec Element::spec() const {
  if (is_array()) return ElementSpec(array().spec());
  if (kind() == ElementKind::dataset) {
    return ElementSpec::dataset(dataset_->element_spec());
  }
  std::vector<ElementSpec> specs;
  for (const Element& item : items()) specs.push_back(item.spec());
  if (kind() == ElementKind::tuple) return ElementSpec::tuple(std::move(specs));
  std::vector<std::pair<std::string, ElementSpec>> entries;
  for (size_t i = 0; i < specs.size(); ++i) {
    entries.emplace_back(keys()[i], std::move(specs[i]));
  }
  return ElementSpec::dict(std::move(entries));
}

namespace {

// With the characters that strings keep elsewhere.
size_t array_bytes(const Array& array) {
  size_t bytes = array.nbytes();
  if (array.dtype() != DType::string) return bytes;
  static const size_t kInside = std::string().capacity();
  for (const std::string& text : array.span<std::string>()) {
    if (text.capacity() > kInside) bytes += text.capacity();
  }
  return bytes;
}

}  // namespace

size_t Element::nbytes() const {
  if (is_array()) return array_bytes(array());
  size_t total = 0;
  for (const Element& item : items()) total += item.nbytes();
  return total;
}

std::string Element::to_string() const {
  if (is_array()) return array().to_string();
  if (kind() == ElementKind::dataset) return "<" + dataset_->name() + ">";
  const bool is_dict = kind() == ElementKind::dict;
  std::string text = is_dict ? "{" : "(";
  for (size_t i = 0; i < size(); ++i) {
    if (i > 0) text += ", ";
    if (is_dict) text += '"' + keys()[i] + "\": ";
    text += items()[i].to_string();
  }
  if (!is_dict && size() == 1) text += ",";
  text += is_dict ? "}" : ")";
  return text;
}

void Element::throw_not_an_array() const {
  internal::Message("data::Element")
      .expected("an Array")
      .got(describe(*this))
      .detail("element", spec())
      .raise<TypeError>();
}

std::ostream& operator<<(std::ostream& out, const Element& element) {
  return out << element.to_string();
}

bool element_equal(const Element& a, const Element& b) {
  if (a.kind() != b.kind()) return false;
  if (a.is_array()) return array_bits_equal(a.array(), b.array());
  if (a.kind() == ElementKind::dataset) return a.dataset() == b.dataset();
  return std::ranges::equal(a.keys(), b.keys()) &&
         std::ranges::equal(a.items(), b.items(), element_equal);
}

}  // namespace systolic::data
