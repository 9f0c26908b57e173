// ProgramListing: what a program was, to be compared with what it is when the
// same code is recorded again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "systolic/graph/context.h"
#include "systolic/graph/program.h"

namespace systolic::internal::graph {

class ProgramListing {
 public:
  ProgramListing() = default;
  /// Lists a program whose variables gave the values of `reads`, and whose
  /// inputs were `inputs`. The listing holds the constants it lists.
  ProgramListing(const Program& program, std::span<const VariableValue> reads,
                 std::span<const Tensor> inputs);

  bool is_empty() const { return key_.empty(); }

  /// Where this program parts from the one that was recorded before, naming
  /// the lines and the value; empty where they are the same.
  std::string difference(const ProgramListing& before) const;

 private:
  // An operation, with what of it is not the work of others.
  struct Site {
    const OpDef* op = nullptr;
    SourceLocation where;
    std::vector<uint64_t> options;
    std::vector<uint64_t> literals;
    std::vector<DType> literal_dtypes;
  };
  // A value from outside: a variable, or a constant with its elements.
  struct Leaf {
    TensorSpec spec;
    std::string variable;
    int input = -1;
    StoragePtr constant;
    SourceLocation used_at;
    std::string_view used_by;
  };

  void add_site(const Node& node);
  void add_bodies(const Node& node);
  std::string compare_sites(const ProgramListing& before) const;
  std::string compare_leaves(const ProgramListing& before) const;

  std::vector<uint64_t> key_;
  std::vector<Site> sites_;
  std::vector<Leaf> leaves_;
};

}  // namespace systolic::internal::graph
