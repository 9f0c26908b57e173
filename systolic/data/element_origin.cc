#include "systolic/data/element_origin.h"

#include <utility>

#include "systolic/base/message.h"

namespace systolic::data::detail {
namespace {

struct PlacedString {
  std::string value;
  ElementOrigin origin;
};

// Of a type of its own, by which an owner is known again.
struct PlacedDelete {
  void operator()(const PlacedString* string) const { delete string; }
};

struct PlacedStrings {
  std::vector<std::string> values;
  std::vector<ElementOrigin> origins;
};

struct PlacedStringsDelete {
  void operator()(const PlacedStrings* strings) const { delete strings; }
};

}  // namespace

Array with_origin(std::string value, const ElementOrigin& origin) {
  std::shared_ptr<const PlacedString> owner(
      new PlacedString{std::move(value), origin}, PlacedDelete());
  const std::string* string = &owner->value;
  return Array::share({DType::string, Shape::scalar()}, string,
                      std::shared_ptr<const void>(std::move(owner)));
}

Array with_origins(std::vector<std::string> values,
                   std::vector<ElementOrigin> origins) {
  const auto size = static_cast<int64_t>(values.size());
  std::shared_ptr<const PlacedStrings> owner(
      new PlacedStrings{std::move(values), std::move(origins)},
      PlacedStringsDelete());
  const std::string* strings = owner->values.data();
  return Array::share({DType::string, Shape({size})}, strings,
                      std::shared_ptr<const void>(std::move(owner)));
}

std::optional<ElementOrigin> origin_of(const Array& array, int64_t row) {
  if (row < 0) return origin_of(array);
  if (!array.is_set() || array.dtype() != DType::string ||
      row >= array.size() ||
      std::get_deleter<PlacedStringsDelete>(array.owner()) == nullptr) {
    return std::nullopt;
  }
  const auto* owner = static_cast<const PlacedStrings*>(array.owner().get());
  // Of a slice, too: by the string's place in the whole.
  const std::string* string =
      &array.span<std::string>()[static_cast<size_t>(row)];
  return owner->origins[static_cast<size_t>(string - owner->values.data())];
}

std::optional<ElementOrigin> origin_of(const Array& array) {
  if (!array.is_set() || array.dtype() != DType::string || array.size() != 1) {
    return std::nullopt;
  }
  if (std::get_deleter<PlacedDelete>(array.owner()) == nullptr) {
    return origin_of(array, 0);
  }
  return static_cast<const PlacedString*>(array.owner().get())->origin;
}

std::span<const std::string> strings_with_origin(
    const std::shared_ptr<const void>& owner) {
  if (std::get_deleter<PlacedDelete>(owner) != nullptr) {
    return {&static_cast<const PlacedString*>(owner.get())->value, 1};
  }
  if (std::get_deleter<PlacedStringsDelete>(owner) == nullptr) return {};
  return static_cast<const PlacedStrings*>(owner.get())->values;
}

std::string origin_text(const Array& array) { return origin_text(array, -1); }

std::string origin_text(const Array& array, int64_t row) {
  const std::optional<ElementOrigin> origin = origin_of(array, row);
  if (!origin) return {};
  return internal::concatenate_text(*origin->path, ", ", origin->part, " ",
                                    origin->record, " at byte ",
                                    origin->offset);
}

}  // namespace systolic::data::detail
