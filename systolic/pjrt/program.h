// A StableHLO text as the C API takes it, for this room.
#pragma once

#include <string_view>

#include "systolic/pjrt/abi_program.h"

namespace systolic::internal::pjrt {

// The struct of a program; it points to `text`.
inline abi::Program make_program(std::string_view text) {
  constexpr std::string_view kFormat = "mlir";
  return {
      .struct_size = sizeof(abi::Program),
      .extension_start = nullptr,
      .code = text.data(),
      .code_size = text.size(),
      .format = kFormat.data(),
      .format_size = kFormat.size(),
  };
}

}  // namespace systolic::internal::pjrt
