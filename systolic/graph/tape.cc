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
    : options_(options), bit_(take_bit()), region_(context().region) {
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

bool is_taped() {
  return std::ranges::any_of(
      tapes, [](const TapeState* tape) { return !tape->is_paused(); });
}

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
    if (tape->is_paused() || tape->region() != node->region) continue;
    if ((watched & tape->bit()) != 0) tape->remember(node);
  }
}

void watch_variable(const VariablePtr& state, const Ref& value) {
  if (tapes.empty()) return;
  const uint64_t region = context().region;
  for (TapeState* tape : tapes) {
    if (tape->is_paused() || tape->region() != region) continue;
    if (tape->watches(*state)) tape->remember_read(state, value);
  }
}

bool is_differentiated(std::span<const Ref> inputs) {
  if (tapes.empty()) return false;
  uint64_t watched = 0;
  for (const Ref& input : inputs) watched |= input.node->watched.load();
  const uint64_t region = context().region;
  for (const TapeState* tape : tapes) {
    if (tape->is_paused()) continue;
    // What the tapes around a body watch is not known inside it.
    if (tape->region() != region || (watched & tape->bit()) != 0) return true;
  }
  return false;
}

Tensor without_tape(const Tensor& value) {
  if (tapes.empty()) return value;
  uint64_t live = 0;
  bool is_around = false;
  const uint64_t region = context().region;
  for (const TapeState* tape : tapes) {
    live |= tape->bit();
    is_around |= tape->region() != region;
  }
  // The walk through a body's gradient must end here, too.
  if (region != 0 && is_around) return stop_gradient(value);
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

namespace {

void mark_wanted(bool wanted) {
  for (const TapeState* tape : tapes) {
    for (const NodePtr& node : tape->nodes()) {
      const void* options = node->options.get();
      for (size_t i = 0; i < node->inputs.size(); ++i) {
        if (!rule_reads(*node->op, options, Side::input, i)) continue;
        const Ref& input = node->inputs[i];
        input.node->output(input.output).wanted_by_tape = wanted;
      }
      for (int i = 0; i < node->num_outputs; ++i) {
        if (rule_reads(*node->op, options, Side::output, i)) {
          node->output(i).wanted_by_tape = wanted;
        }
      }
    }
  }
}

}  // namespace

WantedByTapes::WantedByTapes() { mark_wanted(true); }

WantedByTapes::~WantedByTapes() { mark_wanted(false); }

}  // namespace internal::graph

using internal::Message;
using internal::graph::TapeState;
using internal::graph::TapeUse;

StopRecording::StopRecording(std::shared_ptr<TapeState> state)
    : state_(std::move(state)) {
  if (state_ != nullptr) state_->pause();
}

StopRecording::~StopRecording() {
  if (state_ != nullptr) state_->resume();
}

GradientTape::GradientTape(GradientTapeOptions options)
    : options_(options), state_(std::make_shared<TapeState>(options)) {}

GradientTape::~GradientTape() = default;

void GradientTape::watch(const Tensor& tensor) {
  tensor.spec();
  if (state_ != nullptr) state_->watch(tensor.ref());
}

void GradientTape::watch(const Variable& variable) {
  variable.spec();
  if (state_ != nullptr) state_->watch(variable.state());
}

StopRecording GradientTape::stop_recording() { return StopRecording(state_); }

void GradientTape::reset() {
  // The old one's bit is free for the new one.
  state_ = nullptr;
  state_ = std::make_shared<TapeState>(options_);
}

namespace {

[[noreturn]] void raise_used_up(const char* method,
                                const SourceLocation& where) {
  Message(std::string("GradientTape.") + method)
      .rule("the tape has been used up by its first gradient()")
      .hint("make it persistent: GradientTape tape({.persistent = true})")
      .at(where)
      .raise<ValueError>();
}

}  // namespace

std::vector<Variable> GradientTape::watched_variables(
    SourceLocation where) const {
  if (state_ == nullptr) raise_used_up("watched_variables", where);
  std::vector<Variable> variables;
  for (const auto& [state, ref] : state_->reads()) {
    const Variable variable(state);
    if (std::ranges::find(variables, variable) == variables.end()) {
      variables.push_back(variable);
    }
  }
  return variables;
}

TapeUse GradientTape::use(const char* method, const SourceLocation& where) {
  if (state_ == nullptr) raise_used_up(method, where);
  if (options_.persistent) return TapeUse(state_, false);
  return TapeUse(std::exchange(state_, nullptr), true);
}

std::vector<Tensor> GradientTape::gradient(const Targets& targets,
                                           const Sources& sources,
                                           const GradientOptions& options,
                                           SourceLocation where) {
  const TapeUse tape = use("gradient", where);
  return internal::graph::walk_back(*tape, targets, sources, options, where);
}

}  // namespace systolic
