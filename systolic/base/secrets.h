// Addresses without what lets somebody in, for errors and logs.
//   without_secrets("https://u:pw@h/f?sig=abc") == "https://...@h/f?sig=..."
#pragma once

#include <string>

namespace systolic::internal {

// The text; in its addresses "..." stands for the password (on the web for the
// user too) and for each value behind a question mark.
std::string without_secrets(const std::string& text);

}  // namespace systolic::internal
