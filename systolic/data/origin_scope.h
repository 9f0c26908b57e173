// Lets functions that are given bytes alone find the record that they are of.
//   const OriginScope scope(element);        // around a user's function
//   Array record = string_of_record(bytes);  // inside of it
//   origin_text(record);                     // "a.tfrec, record 3 at byte 12"
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/data/element.h"
#include "systolic/data/element_origin.h"

namespace systolic::data::detail {

// While it is there, the strings of `element` that know where they come from
// are found in this thread, whatever becomes of the element.
class OriginScope {
 public:
  explicit OriginScope(const Element& element);
  ~OriginScope();
  OriginScope(const OriginScope&) = delete;
  OriginScope& operator=(const OriginScope&) = delete;

  // Where the first string that is one record was read from; else the first
  // string that is short and of one line, quoted, or the first such that is a
  // path. Empty where there is none.
  std::string text() const;
  // What was made of the element comes from where it comes: the strings that
  // nobody else has get the element's place, but for those that have one and
  // for paths. So decoding in a second map() still names the file that the
  // first one read. Nothing where the element comes from several places.
  void place(Element* made) const;
  // The string with these bytes, in this scope or those around it; else an
  // unset Array.
  static Array find(std::string_view bytes);

 private:
  void collect(const Element& part);
  void note_name(const Array& array);
  // What text() is about.
  std::optional<ElementOrigin> origin() const;
  bool has_several_places() const;

  Array first_;  // nearly always the only one
  std::vector<Array> more_;
  Array name_;  // the string without an origin that names the element
  bool has_other_names_ = false;
  const OriginScope* const outer_;
};

// The string scalar, with its origin, whose bytes (or some of whose) these are:
// of the elements of the scopes, or of the one that a data::Iterator gave this
// thread last. Else an unset Array. Rooms below this one ask
// internal::place_of_bytes().
Array string_of_record(std::string_view bytes);

// A data::Iterator gives this element to this thread. It is found as long as
// it is there.
void note_given(const Element& element);

}  // namespace systolic::data::detail
