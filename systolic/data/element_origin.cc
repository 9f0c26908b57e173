#include "systolic/data/element_origin.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <mutex>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/base/secrets.h"

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
  // The values in the order of their addresses, once somebody asks.
  mutable std::once_flag sorted;
  mutable std::vector<const std::string*> by_address;
};

bool is_part(std::string_view bytes, const std::string& whole) {
  const std::less_equal<const char*> no_later;
  return no_later(whole.data(), bytes.data()) &&
         no_later(bytes.data() + bytes.size(), whole.data() + whole.size());
}

// The last string that begins no later than the bytes.
const std::string* last_before(std::string_view bytes,
                               const PlacedStrings& strings) {
  const std::less<const char*> earlier;
  std::call_once(strings.sorted, [&] {
    for (const std::string& value : strings.values) {
      strings.by_address.push_back(&value);
    }
    std::ranges::sort(strings.by_address, earlier,
                      [](const std::string* value) { return value->data(); });
  });
  const auto behind = std::ranges::upper_bound(
      strings.by_address, bytes.data(), earlier,
      [](const std::string* value) { return value->data(); });
  return behind == strings.by_address.begin() ? nullptr : *std::prev(behind);
}

struct PlacedStringsDelete {
  void operator()(const PlacedStrings* strings) const { delete strings; }
};

}  // namespace

Array with_origin(std::string value, ElementOrigin origin) {
  std::shared_ptr<const PlacedString> owner(
      new PlacedString{std::move(value), std::move(origin)}, PlacedDelete());
  const std::string* string = &owner->value;
  return Array::share({DType::string, Shape::scalar()}, string,
                      std::shared_ptr<const void>(std::move(owner)));
}

Array with_origins(std::vector<std::string> values,
                   std::vector<ElementOrigin> origins) {
  const auto size = static_cast<int64_t>(values.size());
  std::shared_ptr<const PlacedStrings> owner(
      new PlacedStrings{.values = std::move(values),
                        .origins = std::move(origins)},
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

bool keeps_origins(const std::shared_ptr<const void>& owner) {
  return std::get_deleter<PlacedDelete>(owner) != nullptr ||
         std::get_deleter<PlacedStringsDelete>(owner) != nullptr;
}

const std::string* string_with_origin(const std::shared_ptr<const void>& owner,
                                      std::string_view bytes, size_t& near) {
  if (std::get_deleter<PlacedDelete>(owner) != nullptr) {
    const auto& value = static_cast<const PlacedString*>(owner.get())->value;
    return is_part(bytes, value) ? &value : nullptr;
  }
  if (std::get_deleter<PlacedStringsDelete>(owner) == nullptr) return nullptr;
  const auto& strings = *static_cast<const PlacedStrings*>(owner.get());
  if (strings.values.empty()) return nullptr;
  for (const size_t row : {near, near + 1, size_t{0}}) {
    if (row >= strings.values.size()) continue;
    if (!is_part(bytes, strings.values[row])) continue;
    near = row;
    return &strings.values[row];
  }
  const std::string* found = last_before(bytes, strings);
  if (found == nullptr || !is_part(bytes, *found)) return nullptr;
  near = static_cast<size_t>(found - strings.values.data());
  return found;
}

std::string origin_text(const ElementOrigin& origin) {
  const std::string path = internal::without_secrets(*origin.path);
  if (origin.record == ElementOrigin::kWholeFile) return "\"" + path + "\"";
  return internal::concatenate_text(path, ", ", origin.part, " ", origin.record,
                                    " at byte ", origin.offset);
}

std::string origin_text(const Array& array) { return origin_text(array, -1); }

std::string origin_text(const Array& array, int64_t row) {
  const std::optional<ElementOrigin> origin = origin_of(array, row);
  return origin ? origin_text(*origin) : "";
}

}  // namespace systolic::data::detail
