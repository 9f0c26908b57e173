// The inside of GradientTape, and the hooks by which recording feeds it.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "systolic/graph/context.h"
#include "systolic/graph/node.h"
#include "systolic/graph/tape.h"

namespace systolic::internal::graph {

class TapeState {
 public:
  explicit TapeState(GradientTapeOptions options);
  /// Ends recording and lets the nodes' inputs go.
  ~TapeState();
  TapeState(const TapeState&) = delete;
  TapeState& operator=(const TapeState&) = delete;

  void watch(const Ref& ref);
  /// Follows this and all later values of a variable.
  void watch(const VariablePtr& state);
  void remember(const NodePtr& node);
  void remember_read(const VariablePtr& state, const Ref& ref);

  bool watches(const VariableState& state) const;

  void set_paused(bool paused) { paused_ = paused; }
  bool is_paused() const { return paused_; }
  uint64_t bit() const { return bit_; }
  const GradientTapeOptions& options() const { return options_; }
  const std::vector<NodePtr>& nodes() const { return nodes_; }
  const std::vector<std::pair<VariablePtr, Ref>>& reads() const {
    return reads_;
  }

 private:
  GradientTapeOptions options_;
  uint64_t bit_ = 0;
  bool paused_ = false;
  std::vector<NodePtr> nodes_;
  std::vector<std::pair<VariablePtr, Ref>> reads_;
  std::vector<Ref> watched_;
  std::vector<VariablePtr> variables_;
};

/// Puts a node on the tapes of this thread that watch what it is made of.
void record_on_tapes(const NodePtr& node);

/// Tells the tapes that a variable was read.
void watch_variable(const VariablePtr& state, const Ref& value);

/// The value as a leaf for this thread's tapes: assigning it to a variable is
/// no part of what they differentiate.
Tensor without_tape(const Tensor& value);

/// Takes a tape off this thread's list until the guard goes: it keeps its
/// edges but nothing new is put on it.
class PauseTape {
 public:
  explicit PauseTape(TapeState* tape);
  ~PauseTape();
  PauseTape(const PauseTape&) = delete;
  PauseTape& operator=(const PauseTape&) = delete;

 private:
  TapeState* tape_;
};

/// Marks, or unmarks, the values that gradient rules of live tapes will read.
void mark_wanted_by_tapes(bool wanted);

/// Walks back from `target` over `tape`; a gradient per source.
std::vector<Tensor> walk_back(const TapeState& tape, const Tensor& target,
                              const Sources& sources,
                              const SourceLocation& where);

}  // namespace systolic::internal::graph
