// What the compiler says of a program that needs more memory than there is.
//
//   if (auto refusal = read_refusal(error.what())) refusal->wanted;
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/plan/plan.h"

namespace systolic::internal::plan {

// The figures of its text, in bytes; 0 where it does not say.
struct Refusal {
  std::string line = {};  // its first sentence, on one line
  int64_t wanted = 0;     // all that the program needs
  int64_t available = 0;
  int64_t temporaries = 0;
  int64_t arguments = 0;
  std::vector<systolic::plan::Allocation> largest = {};
};

// The refusal in an error's text; nothing for errors that are about something
// else than the device's memory.
std::optional<Refusal> read_refusal(std::string_view text);

// "20.10G", "512.0M", "96B" as bytes; nothing for other text.
std::optional<int64_t> read_size(std::string_view text);

}  // namespace systolic::internal::plan
