// Serialized programs in a folder: one file each, named by the program's key.
//
//   const ProgramFiles files(folder, 2ULL << 30);
//   files.keep(key, {.platform = "cpu", .name = "3 operations"}, program);
//   std::optional<std::string> program = files.find(key);
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace systolic::internal::runtime {

// What a file says of its program, for people.
struct ProgramInfo {
  std::string platform;  // "cpu"
  std::string name;      // a line of text
  int64_t made = 0;      // seconds since 1970; set by keep()
};

// One file of the folder.
struct ProgramFile {
  std::filesystem::path path;
  ProgramInfo info;  // empty where the file is damaged
  uint64_t bytes = 0;
  int64_t last_use = 0;  // seconds since 1970
};

// How much was removed.
struct RemovedFiles {
  uint64_t files = 0;
  uint64_t bytes = 0;
};

// A folder of programs that several processes may use at once. Nothing here
// throws for the sake of a file: what cannot be read or written is logged in
// one line and done without.
class ProgramFiles {
 public:
  // `most_bytes` is the size of all files together that keep() sees to.
  ProgramFiles(std::filesystem::path folder, uint64_t most_bytes);

  const std::filesystem::path& folder() const { return folder_; }

  // The program kept under a key, which counts as its use; nothing if there
  // is none or its file is damaged.
  std::optional<std::string> find(const std::string& key) const;
  // Writes a program; others see it whole or not at all. Then removes those
  // that were not used for the longest time while there is too much.
  void keep(const std::string& key, const ProgramInfo& info,
            std::string_view program) const;
  // Says in one line what is wrong with a program that was found.
  void complain(const std::string& key, const std::string& problem) const;
  // All programs, the last used first.
  std::vector<ProgramFile> list() const;
  // Removes all programs, and nothing else that lies in the folder.
  RemovedFiles clear() const;

 private:
  std::filesystem::path path_of(const std::string& key) const;
  void trim() const;

  std::filesystem::path folder_;
  uint64_t most_bytes_;
};

}  // namespace systolic::internal::runtime
