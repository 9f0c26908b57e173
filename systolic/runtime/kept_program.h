// The program cache on disk: what was compiled is kept, serialized, for the
// next process that needs the same program on the same kind of machine.
//
//   KeptProgram kept(client, text, options);
//   ExecutablePtr step = kept.load();
//   if (step == nullptr) {
//     step = compile(client, text, options);
//     kept.keep(*step, "17 operations");
//   }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "systolic/runtime/executable.h"
#include "systolic/runtime/program_files.h"

namespace systolic::internal::runtime {

// The folder that SYSTOLIC_CACHE names, ${XDG_CACHE_HOME:-~/.cache}/systolic/
// programs by default, with at most SYSTOLIC_CACHE_SIZE bytes (2 GiB by
// default); nothing if SYSTOLIC_CACHE is "off".
std::optional<ProgramFiles> program_files();

// A number of bytes such as "500000", "500 MB", "2GiB"; nothing for another
// text. A letter K, M, G or T stands for a power of 1024.
std::optional<uint64_t> parse_bytes(std::string_view text);

// One program on its way from and to the disk. Nothing here throws: what does
// not work is logged and the program is compiled.
class KeptProgram {
 public:
  // The text and the options are used by load() again and have to live on.
  KeptProgram(Client& client, const std::string& stablehlo_text,
              const CompileOptions& options);

  // The program as it was kept; null if it was not, or does not load.
  ExecutablePtr load();
  // Keeps a compiled program, with a line of text for people.
  void keep(const Executable& executable, const std::string& name);

  // Names the text, the options, the plugin, the kernels and the machine in
  // 64 hexadecimal digits; empty where programs are not kept.
  const std::string& key() const { return key_; }

 private:
  Client& client_;
  const std::string& text_;
  const CompileOptions& options_;
  std::optional<ProgramFiles> files_;
  std::string key_;
};

}  // namespace systolic::internal::runtime
