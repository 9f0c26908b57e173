// Storage: the evaluated value of a node: one buffer per replica, or a host
// Array that is sent when a program first needs it.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/graph/placement.h"
#include "systolic/runtime/buffer.h"

namespace systolic::internal::graph {

class Storage {
 public:
  /// A host value; each placement that uses it gets a copy, once.
  explicit Storage(Array host) : host_(std::move(host)) {}

  /// Buffers that a launch or a transfer made, one per replica.
  Storage(const Placement* placement, std::vector<runtime::BufferPtr> buffers)
      : placement_(placement), buffers_(std::move(buffers)) {}

  /// A value that is never computed: a plan is being made (Planning). Reading
  /// it throws ValueError.
  static std::shared_ptr<Storage> stand_in(const Placement* placement);

  bool is_stand_in() const { return is_stand_in_; }

  /// Where it was made; null for a host value.
  const Placement* placement() const { return placement_; }

  /// The buffers on `placement`, sent or copied there if need be.
  std::vector<runtime::BufferPtr> on(const Placement* placement);

  /// Makes `placement` where it is, and drops all other device copies.
  void move_to(const Placement* placement);

  /// The value on the host (replica 0's where they differ).
  Array host();

  /// Each replica's value on the host.
  std::vector<Array> replicas();

  /// Whether a launch has taken its memory.
  bool is_donated() const;

  /// Goes back to the host's copy of a value whose memory was taken, if there
  /// is one; returns whether the value is there.
  bool restore();

 private:
  struct Copy {
    const Placement* placement;
    std::vector<runtime::BufferPtr> buffers;
  };

  std::vector<runtime::BufferPtr> copy_to(const Placement* placement) const;

  std::mutex mutex_;
  const Placement* placement_ = nullptr;
  std::vector<runtime::BufferPtr> buffers_;
  std::vector<Copy> copies_;
  std::optional<Array> host_;
  bool is_stand_in_ = false;
};

using StoragePtr = std::shared_ptr<Storage>;

}  // namespace systolic::internal::graph
