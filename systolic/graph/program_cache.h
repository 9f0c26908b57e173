// ProgramCache: compiled programs by structure, with the reasons of misses.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "systolic/graph/miss_history.h"
#include "systolic/graph/program.h"
#include "systolic/runtime/executable.h"

namespace systolic::internal::graph {

/// What the cache did since the process started (or the last reset).
struct CacheStatistics {
  uint64_t hits = 0;
  uint64_t compiles = 0;
  /// Programs that an earlier process had compiled.
  uint64_t loaded_from_disk = 0;
  /// Why each program was compiled, oldest first.
  std::vector<std::string> reasons;
};

/// A compiled program with the scalars that are its arguments.
struct Compiled {
  runtime::ExecutablePtr executable;
  /// Literals (by number) that are arguments after the data.
  std::vector<int> generic;
  std::vector<TensorSpec> outputs;
};

class ProgramCache {
 public:
  /// The cache of this process.
  static ProgramCache& instance();

  /// The executable of `program`; loaded from disk or compiled if none fits.
  const Compiled& find(const Program& program);

  CacheStatistics statistics() const;
  void reset_statistics();

 private:
  struct Variant {
    Compiled compiled;
    std::vector<uint64_t> literals;
  };
  // One structure; its lock is held while a version of it is made.
  struct Entry {
    std::mutex mutex;
    std::vector<std::unique_ptr<Variant>> variants;
  };
  struct KeyHash {
    size_t operator()(const std::vector<uint64_t>& words) const;
  };

  static const Compiled* match(const Entry& entry, const Program& program);
  std::unique_ptr<Variant> make(const Entry& entry, const Program& program);
  runtime::ExecutablePtr load_or_compile(const Program& program,
                                         const std::string& text,
                                         std::string reason);

  mutable std::mutex mutex_;
  std::unordered_map<std::vector<uint64_t>, std::unique_ptr<Entry>, KeyHash>
      programs_;
  MissHistory history_;
  CacheStatistics statistics_;
};

/// Is told the reason of each compilation on this thread until it goes.
class CompileListener {
 public:
  explicit CompileListener(std::function<void(std::string_view)> tell);
  ~CompileListener();
  CompileListener(const CompileListener&) = delete;
  CompileListener& operator=(const CompileListener&) = delete;

 private:
  std::function<void(std::string_view)> tell_;
  CompileListener* outer_;

  friend class ProgramCache;
};

}  // namespace systolic::internal::graph
