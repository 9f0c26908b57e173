#include "systolic/data/origin_scope.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "systolic/base/bytes_place.h"
#include "systolic/base/secrets.h"
#include "systolic/data/element_origin.h"

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
    if (!name_.is_set() && is_name(part.array())) name_ = part.array();
    return;
  }
  if (first_.is_set()) {
    more_.push_back(*found);
  } else {
    first_ = *found;
    internal::set_bytes_place(place_text);
  }
}

std::string OriginScope::text() const {
  // Batches are none, not even those of one record.
  const auto text_of = [](const Array& array) {
    return array.is_set() && array.rank() == 0 ? origin_text(array) : "";
  };
  std::string text = text_of(first_);
  for (const Array& array : more_) {
    if (!text.empty()) break;
    text = text_of(array);
  }
  if (!text.empty() || !name_.is_set()) return text;
  // As the errors of io name it, whose text is searched for it.
  return "\"" + internal::without_secrets(name_.span<std::string>()[0]) + "\"";
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
