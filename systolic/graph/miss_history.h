// MissHistory: says why a program was not in the cache, by comparing it with
// those that were compiled before it.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "systolic/graph/program.h"

namespace systolic::internal::graph {

/// The operations, arguments and outputs of a program in a line, with the
/// place of its last operation.
std::string describe(const Program& program);

class MissHistory {
 public:
  /// Why a program of this structure or these outputs is compiled; remembers
  /// it for the next question.
  std::string explain(const Program& program);

 private:
  // What a place in the user's code looked like when it was last compiled.
  struct Site {
    std::vector<TensorSpec> arguments;
    const Placement* placement = nullptr;
  };

  /// By the hash of a program's structure: the words of its outputs.
  std::unordered_map<uint64_t, std::vector<uint64_t>> outputs_;
  /// By the hash of its operations and their places.
  std::unordered_map<uint64_t, Site> sites_;
};

/// A hash of words.
uint64_t hash_words(std::span<const uint64_t> words);

}  // namespace systolic::internal::graph
