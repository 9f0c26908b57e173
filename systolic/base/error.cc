#include "systolic/base/error.h"

#include <utility>

namespace systolic {

PlatformError::PlatformError(const std::string& message, std::string call,
                             int code)
    : Error(message), call_(std::move(call)), code_(code) {}

PlatformError::PlatformError(const std::string& message) : Error(message) {}

InternalError::InternalError(const std::string& message)
    : Error(message +
            "\n  hint: this is a bug in Systolic; please report it with this "
            "text and the program that led to it") {}

}  // namespace systolic
