#include "systolic/graph/node.h"

#include <algorithm>
#include <bit>

#include "systolic/base/log.h"
#include "systolic/graph/context.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/lowering_target.h"
#include "systolic/graph/name_scope.h"
#include "systolic/graph/op.h"
#include "systolic/graph/record_hook.h"
#include "systolic/graph/tape_state.h"

namespace systolic::internal::graph {

namespace {

// A value of more pending operations than these is computed although nobody
// looked at it: a loop then runs one program again and again, while a program
// that grows with the loop takes a compiler more than twice as long for twice
// as much.
constexpr int32_t kMaxPending = 1'000;

}  // namespace

const TensorSpec& Ref::spec() const { return node->output(output).spec; }

Node::Node(NodeKind node_kind, int count)
    : kind(node_kind), num_outputs(count) {
  if (count > 1) rest = std::make_unique<Output[]>(count - 1);
}

void Node::set_value(int i, StoragePtr storage) {
  Output& out = output(i);
  out.storage = std::move(storage);
  out.has_value.store(true, std::memory_order_release);
}

bool Node::is_finished() const {
  for (int i = 0; i < num_outputs; ++i) {
    const Output& out = output(i);
    if (out.has_value.load(std::memory_order_relaxed)) continue;
    if (num_outputs == 1 || out.handles.load() > 0 || out.consumers.load() > 0)
      return false;
  }
  return true;
}

void Node::let_go() {
  if (inputs.empty() && options == nullptr) return;
  const DropScope scope;
  for (Ref& input : inputs) {
    Node& node = *input.node;
    if (node.num_outputs > 1) {
      node.output(input.output).consumers.fetch_sub(1);
    }
    if (node.kind == NodeKind::operation) {
      DropScope::drop(std::move(input.node));
    }
  }
  inputs.clear();
  // The bodies of a loop hold nodes too.
  if (op != nullptr && op->regions != nullptr) {
    DropScope::drop(std::move(options));
  }
  options.reset();
}

namespace {

// The list of the outermost scope; null outside all scopes.
thread_local std::vector<std::shared_ptr<const void>>* dropped = nullptr;

}  // namespace

DropScope::DropScope() : is_outermost_(dropped == nullptr) {
  if (is_outermost_) dropped = &list_;
}

DropScope::~DropScope() {
  if (!is_outermost_) return;
  while (!list_.empty()) {
    // What it holds comes into the list meanwhile.
    const std::shared_ptr<const void> last = std::move(list_.back());
    list_.pop_back();
  }
  dropped = nullptr;
}

void DropScope::drop(std::shared_ptr<const void> item) {
  // Others hold it still: this frees nothing.
  if (item.use_count() > 1) return;
  dropped->push_back(std::move(item));
}

namespace {

// Recorders whose threads have ended; each is some later thread's again.
struct RecorderPool {
  std::mutex mutex;
  std::vector<Recorder*> free;
};

RecorderPool& recorder_pool() {
  static auto* pool = new RecorderPool;
  return *pool;
}

struct RecorderLease {
  RecorderLease() {
    RecorderPool& pool = recorder_pool();
    const std::lock_guard lock(pool.mutex);
    if (pool.free.empty()) {
      recorder = new Recorder;
    } else {
      recorder = pool.free.back();
      pool.free.pop_back();
    }
  }
  ~RecorderLease() {
    RecorderPool& pool = recorder_pool();
    const std::lock_guard lock(pool.mutex);
    pool.free.push_back(recorder);
  }
  Recorder* recorder;
};

}  // namespace

Recorder& Recorder::current() {
  thread_local const RecorderLease lease;
  return *lease.recorder;
}

namespace {

// Blocks of the size of a node that this thread has freed: a step frees as many
// as the next one needs.
class FreeBlocks {
 public:
  ~FreeBlocks() {
    for (void* block : blocks_) ::operator delete(block);
    is_gone = true;
  }
  // Null if there is none.
  void* take() {
    if (blocks_.empty()) return nullptr;
    void* block = blocks_.back();
    blocks_.pop_back();
    return block;
  }
  bool give(void* block) {
    if (blocks_.size() == kMost) return false;
    if (blocks_.capacity() == 0) blocks_.reserve(kMost);
    blocks_.push_back(block);
    return true;
  }
  // After the end of the thread's objects, nodes may still be freed.
  static thread_local bool is_gone;

 private:
  static constexpr size_t kMost = 4096;
  std::vector<void*> blocks_;
};

thread_local bool FreeBlocks::is_gone = false;
thread_local FreeBlocks free_blocks;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kReuseBlocks = false;  // the sanitizer is to see each node
#else
constexpr bool kReuseBlocks = true;
#endif

template <class T>
struct NodeAllocator {
  using value_type = T;
  NodeAllocator() = default;
  template <class U>
  NodeAllocator(const NodeAllocator<U>&) {}
  T* allocate(size_t /*one*/) {
    void* block = nullptr;
    if (kReuseBlocks && !FreeBlocks::is_gone) block = free_blocks.take();
    if (block == nullptr) block = ::operator new(sizeof(T));
    return static_cast<T*>(block);
  }
  void deallocate(T* block, size_t /*one*/) noexcept {
    if (kReuseBlocks && !FreeBlocks::is_gone && free_blocks.give(block)) return;
    ::operator delete(block);
  }
  bool operator==(const NodeAllocator&) const = default;
};

}  // namespace

uint64_t next_visit() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

NodePtr make_node(NodeKind kind, int outputs) {
  return std::allocate_shared<Node>(NodeAllocator<Node>(), kind, outputs);
}

NodePtr make_data(StoragePtr storage, const TensorSpec& spec) {
  auto node = make_node(NodeKind::data, 1);
  node->first.spec = spec;
  // A host's value belongs where it was made, though it is not there yet.
  node->placement = storage->placement() != nullptr ? storage->placement()
                                                    : Placement::chosen();
  node->first.storage = std::move(storage);
  return node;
}

namespace {

NodePtr make_literal_bits(DType dtype, uint64_t bits) {
  auto node = make_node(NodeKind::literal, 1);
  node->first.spec = {dtype, Shape::scalar()};
  node->literal_bits = bits;
  node->literal_is_float = is_inexact(dtype);
  node->placement = Placement::chosen();
  node->recorder = &Recorder::current();
  return node;
}

}  // namespace

NodePtr make_literal(DType dtype, double value) {
  if (is_inexact(dtype)) {
    return make_literal_bits(dtype, std::bit_cast<uint64_t>(value));
  }
  if (dtype == DType::boolean) return make_literal_bits(dtype, value != 0);
  return make_literal_bits(dtype,
                           static_cast<uint64_t>(static_cast<int64_t>(value)));
}

NodePtr make_literal(DType dtype, int64_t value) {
  if (is_inexact(dtype)) {
    return make_literal(dtype, static_cast<double>(value));
  }
  if (dtype == DType::boolean) value = value != 0;
  return make_literal_bits(dtype, static_cast<uint64_t>(value));
}

Array literal_array(DType dtype, uint64_t bits) {
  if (is_inexact(dtype)) {
    return Array::full(Shape::scalar(), std::bit_cast<double>(bits), dtype);
  }
  Array array = Array::uninitialized({dtype, Shape::scalar()});
  // Little-endian: the low bytes of the integer are the narrow integer.
  std::copy_n(reinterpret_cast<const std::byte*>(&bits), size_of(dtype),
              array.mutable_data());
  return array;
}

void make_readable(Node& literal) {
  const std::lock_guard lock(literal.recorder->mutex());
  if (literal.first.storage != nullptr) return;
  literal.first.storage = std::make_shared<Storage>(
      literal_array(literal.first.spec.dtype, literal.literal_bits));
}

NodePtr make_parameter(const TensorSpec& spec, uint64_t region) {
  auto node = make_node(NodeKind::parameter, 1);
  node->first.spec = spec;
  node->region = region;
  node->in_step = true;
  node->recorder = &Recorder::current();
  return node;
}

Message Infer::error() const {
  Message message{std::string(op_)};
  for (size_t i = 0; i < inputs_.size(); ++i) {
    message.detail(inputs_.size() == 1 ? std::string("input")
                                       : "input " + std::to_string(i),
                   inputs_[i].spec());
  }
  message.at(where_);
  return message;
}

namespace {

[[noreturn]] void raise_undefined(const OpDef& op,
                                  const SourceLocation& where) {
  Message(std::string(op.name))
      .expected("a Tensor that holds a value")
      .got("an undefined one (Tensor())")
      .at(where)
      .raise<ValueError>();
}

// What makes a variable's first value runs before the step around it.
[[noreturn]] void raise_hoisted(const OpDef& op, const SourceLocation& where) {
  Message(std::string(op.name))
      .rule(
          "a variable's first value is computed before the step that makes "
          "the variable, and can not depend on values of the step")
      .hint("start from constants, and assign in the step")
      .at(where)
      .raise<ValueError>();
}

void evaluate_long_chain(std::span<const Ref> ends,
                         const SourceLocation& where) {
  static std::atomic<bool> is_told{false};
  if (!is_told.exchange(true)) {
    const std::string_view file = where.file_name();
    log(LogLevel::warning,
        "more than " + std::to_string(kMaxPending) +
            " operations were recorded and nobody looked at their values: "
            "they are computed now, at " +
            std::string(file.substr(file.rfind('/') + 1)) + ":" +
            std::to_string(where.line()) +
            "; read a value in the loop, or put the loop in a step");
  }
  evaluate(ends);
}

bool is_pending_here(const Ref& ref, const Recorder& recorder) {
  return ref.node->is_pending(ref.output) && ref.node->recorder == &recorder;
}

// How many pending operations the values are made of; stops counting above
// kMaxPending.
int32_t count_pending(std::span<const Ref> values, Recorder& recorder) {
  const std::lock_guard lock(recorder.mutex());
  const uint64_t visit = next_visit();
  std::vector<Node*> open;
  int32_t count = 0;
  const auto see = [&](const Ref& ref) {
    if (!is_pending_here(ref, recorder) || ref.node->visit == visit) return;
    ref.node->visit = visit;
    ++count;
    open.push_back(ref.node.get());
  };
  for (const Ref& value : values) see(value);
  while (!open.empty() && count <= kMaxPending) {
    const Node* node = open.back();
    open.pop_back();
    for (const Ref& input : node->inputs) see(input);
  }
  return count;
}

// The pending operations of a new one's inputs, which are computed where they
// are too many. The sum of their weights counts shared ones more than once.
int32_t bounded_pending(std::span<const Ref> inputs, Recorder& recorder,
                        const SourceLocation& where) {
  int32_t sum = 0;
  for (const Ref& input : inputs) {
    if (!is_pending_here(input, recorder)) continue;
    sum = std::min(sum + input.node->weight, kMaxPending + 1);
  }
  if (sum <= kMaxPending) return sum;
  const int32_t count = count_pending(inputs, recorder);
  if (count <= kMaxPending) return count;
  std::vector<Ref> pending;
  for (const Ref& input : inputs) {
    if (is_pending_here(input, recorder)) pending.push_back(input);
  }
  evaluate_long_chain(pending, where);
  return 0;
}

// What recording reads of the inputs.
struct InputFacts {
  int32_t pending = 0;
  uint64_t watched = 0;
  bool symbolic = false;
};

InputFacts take_inputs(const OpDef& op, Refs& inputs, Recorder& recorder,
                       const Context& here, const SourceLocation& where) {
  InputFacts facts;
  const bool is_hoisted = here.outer != nullptr && !here.in_step;
  bool is_bounded = false;
  for (Ref& input : inputs) {
    if (input.node == nullptr) raise_undefined(op, where);
    Node& node = *input.node;
    facts.watched |= node.watched.load(std::memory_order_relaxed);
    if (node.kind == NodeKind::data) continue;
    if (node.symbolic) {
      facts.symbolic = true;
      continue;
    }
    if (node.kind == NodeKind::literal) {
      // Its scratch is its own thread's.
      if (node.recorder == &recorder) continue;
      NodePtr own = make_node(NodeKind::literal, 1);
      own->first.spec = node.first.spec;
      own->literal_bits = node.literal_bits;
      own->literal_is_float = node.literal_is_float;
      own->recorder = &recorder;
      input.node = std::move(own);
      continue;
    }
    const bool is_pending = node.is_pending(input.output);
    if (is_hoisted && node.in_step &&
        (is_pending || node.kind == NodeKind::parameter)) {
      raise_hoisted(op, where);
    }
    if (!is_pending) continue;
    if (node.recorder != &recorder) {
      evaluate(input);
      continue;
    }
    is_bounded |= node.weight != 0;
  }
  if (is_bounded && !here.in_step) {
    facts.pending = bounded_pending(std::span(inputs.data(), inputs.size()),
                                    recorder, where);
  }
  return facts;
}

}  // namespace

namespace {

std::atomic<RecordHook> record_hook{nullptr};

}  // namespace

RecordHook set_record_hook(RecordHook hook) {
  return record_hook.exchange(hook);
}

NodePtr record(const OpDef& op, Refs inputs,
               std::shared_ptr<const void> options,
               const SourceLocation& where) {
  Recorder& recorder = Recorder::current();
  const Context& here = context();
  const InputFacts facts = take_inputs(op, inputs, recorder, here, where);
  Infer infer(op.name, std::span(inputs.data(), inputs.size()), where);
  const Specs specs = op.infer(infer, options.get());
  auto node = make_node(NodeKind::operation, specs.size());
  for (int i = 0; i < specs.size(); ++i) node->output(i).spec = specs[i];
  for (const Ref& input : inputs) {
    if (input.node->num_outputs > 1) {
      input.node->output(input.output).consumers.fetch_add(1);
    }
  }
  node->op = &op;
  node->options = std::move(options);
  node->inputs = std::move(inputs);
  node->where = where;
  node->recorder = &recorder;
  node->placement =
      here.placement ? here.placement : Placement::current_default();
  node->region = here.region;
  node->in_step = here.in_step;
  node->weight = here.in_step ? 0 : facts.pending + 1;
  // Nobody else has the node yet.
  node->watched.store(facts.watched, std::memory_order_relaxed);
  node->symbolic = facts.symbolic;
  node->scope = NameScope::current();
  if (facts.watched != 0) record_on_tapes(node);
  if (here.notes != nullptr) here.notes->operations.push_back(node);
  if (const RecordHook hook = record_hook.load(std::memory_order_relaxed)) {
    hook(node);
  }
  return node;
}

bool Lower::is_literal(int i, int64_t& value) const {
  const Node& input = *node.inputs[i].node;
  if (input.kind != NodeKind::literal || input.literal_is_float) return false;
  if (literal_is_argument && literal_is_argument(input)) return false;
  value = static_cast<int64_t>(input.literal_bits);
  return true;
}

bool Lower::has(platforms::Capability capability) const {
  if (const platforms::PlatformRow* row = LoweringTarget::current()) {
    return std::ranges::count(row->capabilities, capability) > 0;
  }
  return placement.client().has(capability);
}

bool Lower::has_kernel(std::string_view name) const {
  if (LoweringTarget::current() != nullptr) return false;
  return placement.client().has_kernel(name);
}

}  // namespace systolic::internal::graph
