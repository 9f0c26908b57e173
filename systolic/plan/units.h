// Figures as people read them: bytes, seconds, shares.
//
//   bytes_text(3u << 30);      // "3.00 GiB"
//   seconds_text(0.0123);      // "12.3 ms"
//   percent_text(0.427);       // "43 %"
#pragma once

#include <cstdint>
#include <string>

namespace systolic::internal::plan {

// "1.50 GiB", "12.0 MiB", "96 B".
std::string bytes_text(double bytes);
// "1.23 s", "12.3 ms", "4.56 us".
std::string seconds_text(double seconds);
// "43 %", "0.4 %" of a share from 0 to 1.
std::string percent_text(double share);
// Three digits: "4,474", "12.3", "0.00123".
std::string number_text(double value);

}  // namespace systolic::internal::plan
