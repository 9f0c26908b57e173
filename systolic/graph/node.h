// Node: one recorded operation, or a leaf. The graph's inside; users hold
// Tensors.
//
// A leaf holds data (on devices or the host), a C++ scalar (a literal of the
// program until it changes), or nothing (a parameter of a region).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/array/spec.h"
#include "systolic/base/error.h"
#include "systolic/graph/ref.h"
#include "systolic/graph/refs.h"
#include "systolic/graph/storage.h"

namespace systolic {
class Tensor;
}  // namespace systolic

namespace systolic::internal::graph {

struct OpDef;
struct Region;
class Recorder;

/// A value that a node gives.
struct Output {
  TensorSpec spec;
  /// Tensor handles that are alive: such a value is kept by a launch.
  std::atomic<int32_t> handles{0};
  /// Inputs of other nodes that are it; counted where a node has several
  /// outputs, so that one that nobody can ask for is known.
  std::atomic<int32_t> consumers{0};
  /// Whether `storage` is set, for good: other threads may look.
  std::atomic<bool> has_value{false};
  // Scratch of the program builder, under the recorder's lock: whether a
  // gradient tape will ask for it, and its place in the program's outputs.
  bool wanted_by_tape = false;
  int32_t slot = -1;
  // And how many references to it the program knows.
  int32_t uses = 0;
  StoragePtr storage;
};

enum class NodeKind : uint8_t { operation, data, literal, parameter };

struct Node {
  Node(NodeKind node_kind, int count);
  ~Node() { let_go(); }

  Output& output(int i) { return i == 0 ? first : rest[i - 1]; }
  const Output& output(int i) const { return i == 0 ? first : rest[i - 1]; }

  /// Whether a launch is needed before the value can be read.
  bool is_pending(int i) const {
    return kind == NodeKind::operation &&
           !output(i).has_value.load(std::memory_order_acquire);
  }

  /// Gives output i its value, for good.
  void set_value(int i, StoragePtr storage);

  /// Whether each output has its value or can not be asked for any more, so
  /// that the inputs are not needed, unless by a tape.
  bool is_finished() const;

  /// Lets inputs and options go.
  void let_go();

  NodeKind kind;
  int num_outputs;
  const OpDef* op = nullptr;
  std::shared_ptr<const void> options;
  Refs inputs;
  SourceLocation where;
  /// One for each output, where any has one: graph/mask.h.
  std::shared_ptr<const std::vector<Tensor>> masks;
  Recorder* recorder = nullptr;
  const Placement* placement = nullptr;
  /// The region it was recorded in; 0 outside all loop bodies.
  uint64_t region = 0;
  /// At least as many pending operations as it is made of, itself included;
  /// bounds the pending graph.
  int32_t weight = 0;
  /// Bits of the live tapes that watch something it was made of.
  std::atomic<uint64_t> watched{0};
  /// Tapes that hold it, and so its inputs.
  int32_t taped = 0;
  /// Recorded inside a step: its value can not be read there.
  bool in_step = false;
  /// Made of inputs of a functional model: it never has a value.
  bool symbolic = false;

  // Scratch of the program builder, under the recorder's lock.
  uint64_t visit = 0;
  int32_t number = -1;

  /// Whose it is (NameScope); 0 where nobody says.
  uint32_t scope = 0;

  // A literal's value: the bits of a double where the dtype is a floating
  // one, else of an int64.
  uint64_t literal_bits = 0;
  bool literal_is_float = false;

  Output first;
  std::unique_ptr<Output[]> rest;
};

/// Frees nodes one after the other until it goes: a chain as long as a program
/// would else be freed by a recursion as deep.
class DropScope {
 public:
  DropScope();
  ~DropScope();
  DropScope(const DropScope&) = delete;
  DropScope& operator=(const DropScope&) = delete;

  /// Frees a node, or the options of one, at the latest when the outermost
  /// scope goes. Only inside a scope.
  static void drop(std::shared_ptr<const void> item);

 private:
  std::vector<std::shared_ptr<const void>> list_;
  bool is_outermost_;
};

/// A body that a control-flow node runs: parameters in, results out.
struct Region {
  uint64_t id = 0;
  std::vector<NodePtr> parameters;
  std::vector<Ref> results;
  /// Values of the outer program that the body uses.
  std::vector<Ref> captures;
  /// Values that the body has given a variable and reads, with the parameter
  /// (by number) that is the variable's first value.
  std::vector<std::pair<int, Ref>> reads;
};

/// The per-thread state of recording.
class Recorder {
 public:
  /// This thread's recorder; it outlives the thread, for a later thread.
  static Recorder& current();

  /// Held while the pending graph of this recorder is walked.
  std::recursive_mutex& mutex() { return mutex_; }

 private:
  std::recursive_mutex mutex_;
};

/// A new node; its memory is often that of one that has gone.
NodePtr make_node(NodeKind kind, int outputs);

/// A leaf that holds data.
NodePtr make_data(StoragePtr storage, const TensorSpec& spec);

/// A leaf for a C++ scalar as a value of `dtype`.
NodePtr make_literal(DType dtype, double value);
NodePtr make_literal(DType dtype, int64_t value);

/// The value of a literal.
Array literal_array(DType dtype, uint64_t bits);

/// A number for a walk over nodes, which marks those it has seen by it.
uint64_t next_visit();

/// Gives a literal its value as data beside its bits, so that it can be read.
void make_readable(Node& literal);

/// A leaf without a value: a parameter of the region `id`.
NodePtr make_parameter(const TensorSpec& spec, uint64_t region);

}  // namespace systolic::internal::graph
