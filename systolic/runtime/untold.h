// Failures of launches that nobody has been told of: a value that nobody looks
// at fails without an exception. They are logged when the process ends.
//
//   note_failure(failure, "train_step");   // where a launch ends
//   note_told(error);                      // where an exception says it
//   log_untold();
#pragma once

#include <exception>
#include <string_view>

#include "systolic/base/error.h"

namespace systolic::internal::runtime {

// Keeps the failure of a launch called `name`; null is none. At most 16
// different ones are kept.
void note_failure(const std::exception_ptr& failure,
                  std::string_view name) noexcept;

// An exception with this failure is on its way to the user.
void note_told(const PlatformError& error) noexcept;

// Sends a line of the level error to the log for each failure that no
// exception has told of, and forgets all.
void log_untold() noexcept;

}  // namespace systolic::internal::runtime
