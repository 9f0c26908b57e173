#include "systolic/graph/tape.h"

#include <algorithm>

#include "systolic/base/message.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/intrinsics.h"
#include "systolic/graph/op.h"
#include "systolic/graph/tape_state.h"

namespace systolic {

namespace internal::graph {

namespace {

constexpr int kMaxTapes = 64;

thread_local std::vector<TapeState*> tapes;

// Bits of the live tapes of all threads: nodes may be shared by threads.
std::atomic<uint64_t> used_bits{0};

// A bit that no live tape has; 0 if there is none.
uint64_t take_bit() {
  uint64_t used = used_bits.load();
  uint64_t bit = 0;
  do {
    bit = ~used & (used + 1);
  } while (bit != 0 && !used_bits.compare_exchange_weak(used, used | bit));
  return bit;
}

}  // namespace

TapeState::TapeState(GradientTapeOptions options)
    : options_(options), bit_(take_bit()) {
  if (bit_ == 0) {
    Message("GradientTape")
        .expected("at most ", kMaxTapes, " tapes at once")
        .got("one more")
        .raise<ValueError>();
  }
  tapes.push_back(this);
}

TapeState::~TapeState() {
  const auto own = std::find(tapes.begin(), tapes.end(), this);
  if (own != tapes.end()) tapes.erase(own);
  const auto forget = [this](Node& node) { node.watched.fetch_and(~bit_); };
  for (const Ref& ref : watched_) forget(*ref.node);
  for (const auto& [state, ref] : reads_) forget(*ref.node);
  {
    const std::lock_guard lock(Recorder::current().mutex());
    const DropScope scope;
    for (const NodePtr& node : nodes_) {
      forget(*node);
      if (--node->taped == 0 && node->is_finished()) node->let_go();
    }
    for (NodePtr& node : nodes_) DropScope::drop(std::move(node));
  }
  used_bits.fetch_and(~bit_);
}

PauseTape::PauseTape(TapeState* tape) : tape_(tape) { tape_->set_paused(true); }

PauseTape::~PauseTape() { tape_->set_paused(false); }

void TapeState::watch(const Ref& ref) {
  ref.node->watched.fetch_or(bit_);
  watched_.push_back(ref);
}

void TapeState::watch(const VariablePtr& state) {
  if (!watches(*state)) variables_.push_back(state);
  read_variable(state);
}

bool TapeState::watches(const VariableState& state) const {
  if (state.trainable && options_.watch_accessed_variables) return true;
  for (const VariablePtr& known : variables_) {
    if (known.get() == &state) return true;
  }
  return false;
}

void TapeState::remember(const NodePtr& node) {
  ++node->taped;
  nodes_.push_back(node);
}

void TapeState::remember_read(const VariablePtr& state, const Ref& ref) {
  if ((ref.node->watched.load() & bit_) != 0) {
    for (const auto& [known, value] : reads_) {
      if (known == state && value == ref) return;
    }
  }
  ref.node->watched.fetch_or(bit_);
  reads_.emplace_back(state, ref);
}

void record_on_tapes(const NodePtr& node) {
  const uint64_t watched = node->watched.load();
  for (TapeState* tape : tapes) {
    if (tape->is_paused()) continue;
    if ((watched & tape->bit()) != 0) tape->remember(node);
  }
}

void watch_variable(const VariablePtr& state, const Ref& value) {
  for (TapeState* tape : tapes) {
    if (!tape->is_paused() && tape->watches(*state)) {
      tape->remember_read(state, value);
    }
  }
}

Tensor without_tape(const Tensor& value) {
  uint64_t live = 0;
  for (const TapeState* tape : tapes) live |= tape->bit();
  const Ref& ref = value.ref();
  Node& node = *ref.node;
  if ((node.watched.load() & live) == 0) return value;
  if (node.kind != NodeKind::parameter && !node.is_pending(ref.output)) {
    return Tensor(Ref{make_data(storage_of(ref), ref.spec()), 0});
  }
  // An identity that no tape has.
  std::vector<TapeState*> none;
  tapes.swap(none);
  Tensor leaf;
  try {
    leaf = identity(value);
  } catch (...) {
    tapes.swap(none);
    throw;
  }
  tapes.swap(none);
  leaf.ref().node->watched = 0;
  return leaf;
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
  if (state_ != nullptr) state_->watch(tensor.ref());
}

void GradientTape::watch(const Variable& variable) {
  variable.spec();
  if (state_ != nullptr) state_->watch(variable.state());
}

std::vector<Tensor> GradientTape::gradient(const Tensor& target,
                                           const Sources& sources,
                                           SourceLocation where) {
  if (state_ == nullptr) {
    Message("GradientTape.gradient")
        .rule("the tape has been used up by its first gradient()")
        .hint("make it persistent: GradientTape tape({.persistent = true})")
        .at(where)
        .raise<ValueError>();
  }
  if (state_->options().persistent) {
    return internal::graph::walk_back(*state_, target, sources, where);
  }
  // The walk must not go onto the tape that it walks: it is used up from here
  // on, but keeps its edges until the walk is over.
  const std::unique_ptr<TapeState> used = std::move(state_);
  const internal::graph::PauseTape pause(used.get());
  return internal::graph::walk_back(*used, target, sources, where);
}

}  // namespace systolic
