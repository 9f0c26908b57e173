// A spec of elements among the fields of an iterator's state or of a file.
#pragma once

#include "systolic/data/element_spec.h"
#include "systolic/data/iterator_state.h"

namespace systolic::data::detail {

// Adds the spec's fields.
void write_spec(const ElementSpec& spec, StateWriter& state);
// Reads what write_spec() wrote.
ElementSpec read_spec(StateReader& state);

}  // namespace systolic::data::detail
