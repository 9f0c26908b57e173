// Times that environment variables give.
//   const double seconds = positive_seconds("GCE_METADATA_TIMEOUT", "1.5");
#pragma once

#include <string>
#include <string_view>

namespace systolic::internal {

// The number of seconds that a variable's text says. Throws ValueError that
// names the variable for what is no finite number above 0; `others` are further
// words that it may be: ", or \"off\"".
double positive_seconds(std::string variable, const std::string& text,
                        std::string_view others = "");

}  // namespace systolic::internal
