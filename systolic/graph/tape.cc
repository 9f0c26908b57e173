#include "systolic/graph/tape.h"

#include <algorithm>

#include "systolic/base/message.h"
#include "systolic/graph/op.h"
#include "systolic/graph/tape_state.h"

namespace systolic {

namespace internal::graph {

namespace {

constexpr int kMaxTapes = 64;

thread_local std::vector<TapeState*> tapes;
thread_local uint64_t used_bits = 0;

}  // namespace

TapeState::TapeState(GradientTapeOptions options) : options_(options) {
  if (tapes.size() == kMaxTapes) {
    Message("GradientTape")
        .expected("at most ", kMaxTapes, " tapes at once on a thread")
        .got("one more")
        .raise<ValueError>();
  }
  bit_ = ~used_bits & (used_bits + 1);
  used_bits |= bit_;
  tapes.push_back(this);
}

void TapeState::stop() {
  if (!recording_) return;
  recording_ = false;
  tapes.erase(std::find(tapes.begin(), tapes.end(), this));
  used_bits &= ~bit_;
  for (const NodePtr& node : nodes_) {
    if (--node->taped == 0 && node->is_evaluated()) node->inputs.clear();
  }
  nodes_.clear();
  reads_.clear();
}

PauseTape::PauseTape(TapeState* tape) : tape_(tape) { tape_->set_paused(true); }

PauseTape::~PauseTape() { tape_->set_paused(false); }

void TapeState::watch(const Ref& ref) { ref.node->watched |= bit_; }

void TapeState::remember(const NodePtr& node) {
  ++node->taped;
  nodes_.push_back(node);
}

void TapeState::remember_read(const VariablePtr& state, const Ref& ref) {
  watch(ref);
  for (const auto& [known, value] : reads_) {
    if (known == state && value == ref) return;
  }
  reads_.emplace_back(state, ref);
}

void record_on_tapes(const NodePtr& node) {
  for (TapeState* tape : tapes) {
    if (tape->is_paused()) continue;
    if ((node->watched & tape->bit()) != 0) tape->remember(node);
  }
}

Tensor watch_variable(const VariablePtr& state, const Tensor& value) {
  for (TapeState* tape : tapes) {
    if (tape->options().watch_accessed_variables && !tape->is_paused()) {
      tape->remember_read(state, value.ref());
    }
  }
  return value;
}

void mark_wanted_by_tapes(bool wanted) {
  for (const TapeState* tape : tapes) {
    for (const NodePtr& node : tape->nodes()) {
      const Residuals& keep = node->op->residuals;
      for (size_t i = 0; i < node->inputs.size() && i < 32; ++i) {
        if ((keep.inputs >> i & 1u) == 0) continue;
        const Ref& input = node->inputs[i];
        input.node->output(input.output).wanted_by_tape = wanted;
      }
      for (int i = 0; i < node->num_outputs && i < 32; ++i) {
        if ((keep.outputs >> i & 1u) != 0) {
          node->output(i).wanted_by_tape = wanted;
        }
      }
    }
  }
}

}  // namespace internal::graph

using internal::Message;
using internal::graph::TapeState;

GradientTape::GradientTape(GradientTapeOptions options)
    : state_(std::make_unique<TapeState>(options)) {}

GradientTape::~GradientTape() = default;

void GradientTape::watch(const Tensor& tensor) {
  tensor.spec();
  state_->watch(tensor.ref());
}

void GradientTape::watch(const Variable& variable) {
  state_->remember_read(variable.state(), variable.value().ref());
}

std::vector<Tensor> GradientTape::gradient(const Tensor& target,
                                           const Sources& sources,
                                           SourceLocation where) {
  if (!state_->is_recording()) {
    Message("GradientTape.gradient")
        .rule("the tape has been used up by its first gradient()")
        .hint("make it persistent: GradientTape tape({.persistent = true})")
        .at(where)
        .raise<ValueError>();
  }
  if (state_->options().persistent) {
    return internal::graph::walk_back(*state_, target, sources, where);
  }
  // The walk must not go onto the tape that it walks: take it off first, but
  // keep its edges until the walk is over.
  const std::unique_ptr<TapeState> used = std::move(state_);
  state_ = std::make_unique<TapeState>(used->options());
  state_->stop();
  const internal::graph::PauseTape pause(used.get());
  return internal::graph::walk_back(*used, target, sources, where);
}

}  // namespace systolic
