// RefTable: a map from values of the graph, for walks that look at each node
// a few times. Whoever fills it keeps the nodes alive.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "systolic/graph/ref.h"

namespace systolic::internal::graph {

template <class T>
class RefTable {
 public:
  /// The entry of a value, or null. Valid until the next insert().
  T* find(const Ref& ref) { return find(ref.node.get(), ref.output); }
  const T* find(const Ref& ref) const {
    return find(ref.node.get(), ref.output);
  }
  T* find(const Node* node, int output) {
    return const_cast<T*>(std::as_const(*this).find(node, output));
  }
  const T* find(const Node* node, int output) const {
    if (slots_.empty()) return nullptr;
    const uintptr_t key = key_of(node, output);
    for (size_t i = start(key);; i = (i + 1) & mask()) {
      if (slots_[i].key == key) return &slots_[i].value;
      if (slots_[i].key == 0) return nullptr;
    }
  }

  /// The entry of a value, and whether it is new.
  std::pair<T*, bool> insert(const Node* node, int output) {
    if (count_ * 2 >= slots_.size()) grow();
    const uintptr_t key = key_of(node, output);
    size_t i = start(key);
    for (; slots_[i].key != 0; i = (i + 1) & mask()) {
      if (slots_[i].key == key) return {&slots_[i].value, false};
    }
    slots_[i].key = key;
    ++count_;
    return {&slots_[i].value, true};
  }

  size_t size() const { return count_; }

 private:
  struct Slot {
    uintptr_t key = 0;
    T value{};
  };

  static uintptr_t key_of(const Node* node, int output) {
    // Nodes are 16 bytes apart at least, and addresses have 48 bits.
    return (reinterpret_cast<uintptr_t>(node) << 12) ^
           static_cast<uintptr_t>(output);
  }
  size_t mask() const { return slots_.size() - 1; }
  size_t start(uintptr_t key) const {
    return (key * 0x9e3779b97f4a7c15ull >> 20) & mask();
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    for (Slot& slot : old) {
      if (slot.key == 0) continue;
      size_t i = start(slot.key);
      while (slots_[i].key != 0) i = (i + 1) & mask();
      slots_[i] = std::move(slot);
    }
  }

  std::vector<Slot> slots_;
  size_t count_ = 0;
};

}  // namespace systolic::internal::graph
