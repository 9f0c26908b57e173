// Gives an exception of a user's function the place that it happened at:
//   map (element 17): <what the function said>
//   map (element 17; a.tfrec, record 3 at byte 1024): ...
#pragma once

#include <cstdint>
#include <exception>
#include <string>

namespace systolic::data::detail {

// The exception `error` with the node's name and the element's index in front
// of its text. Its class stays when it is one of ours, else it is DataError
// (also for OutOfRangeError, which would read as the end of the data); the
// original is nested in it (std::rethrow_if_nested). `origin` is where the
// element was read from, or a quoted string of it, which the text has too,
// once.
std::exception_ptr error_for_element(std::exception_ptr error,
                                     const std::string& name, int64_t index,
                                     const std::string& origin = {});

}  // namespace systolic::data::detail
