// A place in the library's own sources, for message_test.cc.
#pragma once

#include "systolic/base/error.h"

namespace systolic::internal {

inline SourceLocation place_in_the_library() {
  return SourceLocation::current();
}

}  // namespace systolic::internal
