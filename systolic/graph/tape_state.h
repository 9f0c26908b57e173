// The inside of GradientTape, and the hooks by which recording feeds it.
#pragma once

#include <memory>
#include <span>
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

  void pause() { ++paused_; }
  void resume() { --paused_; }
  bool is_paused() const { return paused_ > 0; }
  /// The body that it was made in: what bodies inside do is not for it.
  uint64_t region() const { return region_; }
  uint64_t bit() const { return bit_; }
  const GradientTapeOptions& options() const { return options_; }
  const std::vector<NodePtr>& nodes() const { return nodes_; }
  const std::vector<std::pair<VariablePtr, Ref>>& reads() const {
    return reads_;
  }

 private:
  GradientTapeOptions options_;
  uint64_t bit_ = 0;
  uint64_t region_ = 0;
  int paused_ = 0;
  std::vector<NodePtr> nodes_;
  std::vector<std::pair<VariablePtr, Ref>> reads_;
  std::vector<Ref> watched_;
  std::vector<VariablePtr> variables_;
};

/// Whether a tape of this thread may follow what is recorded now.
bool is_taped();

/// Puts a node on the tapes of this thread that watch what it is made of.
void record_on_tapes(const NodePtr& node);

/// Tells the tapes that a variable was read.
void watch_variable(const VariablePtr& state, const Ref& value);

/// The value as a leaf for this thread's tapes: assigning it to a variable is
/// no part of what they differentiate.
Tensor without_tape(const Tensor& value);

/// Marks the values that gradient rules of this thread's live tapes will read,
/// until it goes.
class WantedByTapes {
 public:
  WantedByTapes();
  ~WantedByTapes();
  WantedByTapes(const WantedByTapes&) = delete;
  WantedByTapes& operator=(const WantedByTapes&) = delete;
};

/// Whether gradients may be asked for through an operation of these inputs:
/// what its rule would read is to be kept.
bool is_differentiated(std::span<const Ref> inputs);

/// A tape while gradients are taken of it. One that is not persistent is used
/// up: it keeps its edges until this goes, and records nothing.
class TapeUse {
 public:
  TapeUse(std::shared_ptr<TapeState> state, bool is_last)
      : state_(std::move(state)), is_last_(is_last) {
    if (is_last_) state_->pause();
  }
  ~TapeUse() {
    if (is_last_) state_->resume();
  }
  TapeUse(const TapeUse&) = delete;
  TapeUse& operator=(const TapeUse&) = delete;
  const TapeState& operator*() const { return *state_; }

 private:
  std::shared_ptr<TapeState> state_;
  bool is_last_;
};

/// Walks back from the targets over `tape`; a gradient per source.
std::vector<Tensor> walk_back(const TapeState& tape, const Targets& targets,
                              const Sources& sources,
                              const GradientOptions& options,
                              const SourceLocation& where);

}  // namespace systolic::internal::graph
