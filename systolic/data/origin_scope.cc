#include "systolic/data/origin_scope.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "systolic/base/bytes_place.h"

namespace systolic::data::detail {
namespace {

thread_local const OriginScope* innermost = nullptr;
thread_local std::weak_ptr<const void> given;
// Which row of a batch was found last: it or the next one is asked for next.
thread_local size_t last_row = 0;

Array find_in(const std::shared_ptr<const void>& owner,
              std::string_view bytes) {
  const std::string* found = string_with_origin(owner, bytes, last_row);
  if (found == nullptr) return {};
  return Array::share({DType::string, Shape::scalar()}, found, owner);
}

// The first Array of strings with an origin; null where there is none.
const Array* first_with_origin(const Element& part) {
  if (part.is_array()) {
    const Array& array = part.array();
    const bool has = array.is_set() && array.dtype() == DType::string &&
                     keeps_origins(array.owner());
    return has ? &array : nullptr;
  }
  for (const Element& item : part.items()) {
    const Array* found = first_with_origin(item);
    if (found != nullptr) return found;
  }
  return nullptr;
}

// Whether the Array is a string that may name its element: "dir/a.jpg".
bool is_name(const Array& array) {
  constexpr size_t kLongest = 250;
  if (!array.is_set() || array.dtype() != DType::string || array.rank() != 0) {
    return false;
  }
  const std::string& text = array.span<std::string>()[0];
  return !text.empty() && text.size() <= kLongest &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c >= ' ' && c != 0x7f; });
}

// A name that says more than where it was found: "dir/a b.jpg", "a.jpg".
bool is_path(const Array& array) {
  if (!is_name(array)) return false;
  const std::string& text = array.span<std::string>()[0];
  const auto has = [&](char c) { return text.find(c) != std::string::npos; };
  return has('/') || (has('.') && !has(' '));
}

bool is_unplaced(const Array& array) {
  return array.dtype() == DType::string && array.rank() == 0 &&
         array.is_sole_owner() && !keeps_origins(array.owner()) &&
         !is_path(array);
}

// Looked for first, as an element's items that others have too are copied
// before they are changed.
bool has_unplaced(const Element& element) {
  return element.is_array()
             ? is_unplaced(element.array())
             : std::ranges::any_of(element.items(), has_unplaced);
}

void place_strings(Element* element, const ElementOrigin& origin) {
  if (!element->is_array()) {
    for (Element& item : element->items()) place_strings(&item, origin);
  } else if (is_unplaced(element->array())) {
    Array array = std::move(*element).array();
    *element = Element(
        with_origin(std::move(array.mutable_span<std::string>()[0]), origin));
  }
}

std::string place_text(std::string_view bytes) {
  const Array record = string_of_record(bytes);
  return record.is_set() ? origin_text(record) : "";
}

}  // namespace

OriginScope::OriginScope(const Element& element) : outer_(innermost) {
  collect(element);
  innermost = this;
}

OriginScope::~OriginScope() { innermost = outer_; }

void OriginScope::collect(const Element& part) {
  if (!part.is_array()) {
    for (const Element& item : part.items()) collect(item);
    return;
  }
  const Array* found = first_with_origin(part);
  if (found == nullptr) {
    if (is_name(part.array())) note_name(part.array());
    return;
  }
  if (first_.is_set()) {
    more_.push_back(*found);
  } else {
    first_ = *found;
    internal::set_bytes_place(place_text);
  }
}

void OriginScope::note_name(const Array& array) {
  if (!name_.is_set() || (is_path(array) && !is_path(name_))) {
    name_ = array;
    has_other_names_ = false;
  } else if (is_path(array) == is_path(name_)) {
    has_other_names_ = true;
  }
}

bool OriginScope::has_several_places() const {
  if (!first_.is_set()) return has_other_names_;
  if (first_.rank() != 0) return true;
  const std::optional<ElementOrigin> from = origin_of(first_);
  return std::ranges::any_of(more_, [&](const Array& array) {
    return array.rank() != 0 || origin_of(array) != from;
  });
}

std::optional<ElementOrigin> OriginScope::origin() const {
  // Batches are none, not even those of one record.
  const auto single = [](const Array& array) {
    return array.is_set() && array.rank() == 0 ? origin_of(array)
                                               : std::nullopt;
  };
  std::optional<ElementOrigin> origin = single(first_);
  for (const Array& array : more_) {
    if (origin) break;
    origin = single(array);
  }
  if (origin || !name_.is_set()) return origin;
  return ElementOrigin{
      std::make_shared<const std::string>(name_.span<std::string>()[0]),
      ElementOrigin::kWholeFile};
}

std::string OriginScope::text() const {
  const std::optional<ElementOrigin> from = origin();
  return from ? origin_text(*from) : "";
}

void OriginScope::place(Element* made) const {
  // Words name an element, but are no place.
  if (!first_.is_set() && !is_path(name_)) return;
  if (!has_unplaced(*made) || has_several_places()) return;
  if (const auto from = origin()) place_strings(made, *from);
}

Array OriginScope::find(std::string_view bytes) {
  for (const OriginScope* scope = innermost; scope != nullptr;
       scope = scope->outer_) {
    if (!scope->first_.is_set()) continue;
    Array found = find_in(scope->first_.owner(), bytes);
    for (const Array& array : scope->more_) {
      if (found.is_set()) break;
      found = find_in(array.owner(), bytes);
    }
    if (found.is_set()) return found;
  }
  return {};
}

Array string_of_record(std::string_view bytes) {
  Array found = OriginScope::find(bytes);
  if (found.is_set()) return found;
  const std::shared_ptr<const void> owner = given.lock();
  return owner == nullptr ? Array() : find_in(owner, bytes);
}

void note_given(const Element& element) {
  const Array* found = first_with_origin(element);
  if (found == nullptr) return;
  given = found->owner();
  internal::set_bytes_place(place_text);
}

}  // namespace systolic::data::detail
