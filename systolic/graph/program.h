// Program: the pending graph below some values, in canonical form: what is
// computed, from which arguments, with a key that equal structures share.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "systolic/graph/node.h"
#include "systolic/graph/ref_table.h"

namespace systolic::internal::graph {

/// A value that a program must give, and the variable value it replaces.
struct Root {
  Ref ref;
  /// The old value of the variable that takes this result; may be empty.
  Ref replaces = {};
  /// Which variable of its step that is, or -1.
  int variable = -1;
};

class Program {
 public:
  /// Walks the pending graph below `roots`. Pending values that belong to
  /// another placement, or were recorded outside the step that the roots
  /// are in, are not taken in: they are listed in foreign().
  Program(std::span<const Root> roots, const Placement* placement);

  /// Pending values to be computed first.
  const std::vector<Ref>& foreign() const { return foreign_; }

  /// Data leaves, in the order of the program's arguments.
  const std::vector<Ref>& arguments() const { return arguments_; }

  /// References that this program holds on argument i.
  int uses(size_t i) const { return uses_[i]; }

  /// C++ scalars, in the order of first use, as their bits.
  const std::vector<uint64_t>& literals() const { return literals_; }

  DType literal_dtype(int index) const { return literal_dtypes_[index]; }

  /// The values the program gives: the roots, then what else has handles.
  const std::vector<Ref>& outputs() const { return outputs_; }

  /// An argument and an output that share memory.
  struct Donation {
    int argument;
    int output;
    /// Roots that say they replace the argument: each holds it.
    int held = 0;
  };
  const std::vector<Donation>& donations() const { return donations_; }

  /// Operations in the order they are written, loop bodies apart.
  const std::vector<Node*>& order() const { return order_; }

  const Placement* placement() const { return placement_; }

  /// Words that equal programs share.
  const std::vector<uint64_t>& key() const { return key_; }

  /// The words of the key before those of the outputs.
  std::span<const uint64_t> structure() const {
    return std::span(key_).first(structure_size_);
  }

  /// The words that say which values are outputs.
  std::span<const uint64_t> output_words() const {
    return std::span(key_).subspan(structure_size_ + 1, outputs_.size());
  }

  /// The StableHLO text. Literals whose number is in `generic` become
  /// arguments, after the data.
  std::string emit(std::span<const int> generic) const;

  /// The same with a place at each statement, `dense/matmul` at the user's
  /// line, for whoever asks the compiler where time goes.
  std::string emit_with_places() const;

 private:
  friend class ProgramWriter;

  void walk_roots(std::span<const Root> roots);
  void walk(const Ref& root, std::vector<Node*>& order, bool in_region);
  void enter(Node* node, std::vector<Node*>& order);
  void enter_region(const Region& region);
  void number_leaf(const NodePtr& node);
  void visit_data(const Ref& ref);
  void count_uses(std::span<const Ref> refs);
  void note_outputs(const NodePtr& node);
  void add_output(const Ref& ref);
  void collect_outputs(std::span<const Root> roots);
  void pair_donations(std::span<const Root> roots);
  int argument_of(const Ref& ref) const;
  uint64_t number(const Ref& ref) const;

  const Placement* placement_;
  bool in_step_ = false;
  uint64_t visit_ = 0;
  int32_t count_ = 0;
  std::vector<Ref> foreign_;
  std::vector<Ref> arguments_;
  std::vector<int> uses_;
  std::vector<uint64_t> literals_;
  std::vector<DType> literal_dtypes_;
  std::vector<Ref> outputs_;
  /// A value of order_ that is an output because somebody may look at it, or
  /// if operations outside of the program are made of it.
  struct Candidate {
    Ref ref;
    bool is_sure;
  };
  std::vector<Candidate> looked_at_;
  std::vector<Donation> donations_;
  std::vector<Node*> order_;
  std::vector<uint64_t> key_;
  size_t structure_size_ = 0;
  /// By node and output: where its number and argument index are.
  struct DataEntry {
    int32_t number;
    int argument;
  };
  RefTable<DataEntry> data_;
  std::vector<const Node*> literal_nodes_;
  std::unordered_map<const Region*, std::vector<Node*>> bodies_;
};

}  // namespace systolic::internal::graph
