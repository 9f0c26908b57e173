// What the TPU's compiler says of one program, remembered between processes.
//
//   Compiled compiled = compile_for_plan({text, slice, 8, 128}, progress);
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "systolic/pjrt/executable.h"
#include "systolic/plan/operations.h"
#include "systolic/plan/refusal.h"

namespace systolic::internal::plan {

// All that a plan needs of the compiler: no module, no executable.
struct Compiled {
  std::optional<Refusal> refusal = {};  // if it needs more memory than there is
  pjrt::ProgramMemory memory = {};
  ProgramWork work = {};
  double seconds = 0;  // that the compiler took
  bool from_cache = false;
};

// What is compiled, and the identity of the compiler.
struct CompileRequest {
  std::string_view text;
  std::string slice = {};  // "v3-8"
  int replicas = 1;
  int tile = 0;  // the size of the matrix units
};

// Compiles a program, or gives what is remembered of it in planned/ of
// cache_folder() by its text, the slice, the replicas and libtpu's file.
// `progress` is told once a second, from another thread, how long it takes.
// Throws NotFoundError where libtpu is not installed and PlatformError for a
// refusal that is not about the device's memory.
Compiled compile_for_plan(
    const CompileRequest& request,
    const std::function<void(std::string_view)>& progress);

// The same as a text, and back; nothing for a text that is damaged or of
// another version.
std::string to_text(const Compiled& compiled);
std::optional<Compiled> from_text(std::string_view text);

}  // namespace systolic::internal::plan
