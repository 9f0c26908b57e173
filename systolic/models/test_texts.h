// The texts of errors without where they came from, for tests of the rest.
#pragma once

#include <algorithm>
#include <string>

#include "systolic/testing/error_text.h"

namespace systolic::models {

// What `f` throws as an E says, up to the lines of the call that it was in.
template <class E, class F>
std::string rule_of(F f) {
  const std::string text = internal::text_of<E>(f);
  return text.substr(0, std::min(text.find("\n  in: "), text.find("\n  at: ")));
}

}  // namespace systolic::models
