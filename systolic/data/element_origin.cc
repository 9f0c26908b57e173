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

}  // namespace

Array with_origin(std::string value, const ElementOrigin& origin) {
  std::shared_ptr<const PlacedString> owner(
      new PlacedString{std::move(value), origin}, PlacedDelete());
  const std::string* string = &owner->value;
  return Array::share({DType::string, Shape::scalar()}, string,
                      std::shared_ptr<const void>(std::move(owner)));
}

std::optional<ElementOrigin> origin_of(const Array& array) {
  if (!array.is_set() || array.dtype() != DType::string ||
      std::get_deleter<PlacedDelete>(array.owner()) == nullptr) {
    return std::nullopt;
  }
  return static_cast<const PlacedString*>(array.owner().get())->origin;
}

std::string origin_text(const Array& array) {
  const std::optional<ElementOrigin> origin = origin_of(array);
  if (!origin) return {};
  return internal::concatenate_text(*origin->path, ", ", origin->part, " ",
                                    origin->record, " at byte ",
                                    origin->offset);
}

}  // namespace systolic::data::detail
