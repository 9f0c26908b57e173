// Where a string element was read from, so that an error says which record of
// which file it is about.
//   Array record = detail::with_origin(std::move(bytes), {path, 3, 1024});
//   detail::origin_text(record)   // "a.tfrec, record 3 at byte 1024"
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/array/array.h"

namespace systolic::data::detail {

// The place of a record in a file, or a whole file.
struct ElementOrigin {
  std::shared_ptr<const std::string> path;
  // Which of the file, counted from 0; kWholeFile: no single one.
  static constexpr int64_t kWholeFile = -1;
  int64_t record = 0;
  // The byte at which it begins, unpacked.
  int64_t offset = 0;
  // What the file's parts are called: "record" or "line".
  const char* part = "record";

  friend bool operator==(const ElementOrigin&, const ElementOrigin&) = default;
};

// A string scalar that knows where it comes from, as long as it is not
// changed.
Array with_origin(std::string value, ElementOrigin origin);

// A batch of such strings: `values` and `origins` are of equal size.
Array with_origins(std::vector<std::string> values,
                   std::vector<ElementOrigin> origins);

// Where row `row` of a batch comes from; nothing for other Arrays than those
// of with_origins() and their slices. Row -1: as below.
std::optional<ElementOrigin> origin_of(const Array& array, int64_t row);
// What with_origin() was given, or of a batch the row that `array` is; nothing
// for other Arrays.
std::optional<ElementOrigin> origin_of(const Array& array);

// Whether an Array's owner keeps strings with their origins.
bool keeps_origins(const std::shared_ptr<const void>& owner);
// The one of them that these bytes are, or a part of; null where none is.
// `near` is the row that was found last, of this owner or another: it, the next
// one and the first are found at once, others by a search of their addresses.
const std::string* string_with_origin(const std::shared_ptr<const void>& owner,
                                      std::string_view bytes, size_t& near);

// "a.tfrec, record 3 at byte 1024", or of a whole file its path, quoted,
// without what lets somebody in.
std::string origin_text(const ElementOrigin& origin);
// The same of an Array; empty for those without an origin.
std::string origin_text(const Array& array);
// The same of a row of a batch; row -1 of an Array that is no batch.
std::string origin_text(const Array& array, int64_t row);

}  // namespace systolic::data::detail
