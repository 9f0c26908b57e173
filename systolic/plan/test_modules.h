// The recorded modules of testdata/, for tests.
#pragma once

#include <filesystem>
#include <string>

#include "systolic/io/file.h"
#include "systolic/testing/golden.h"

namespace systolic::internal::plan {

inline std::string recorded_module(const std::string& name) {
  const std::filesystem::path root =
      systolic::golden::folder().parent_path().parent_path().parent_path();
  return io::detail::read_file(root / "systolic/plan/testdata" / name);
}

}  // namespace systolic::internal::plan
