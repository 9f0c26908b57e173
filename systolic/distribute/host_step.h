// HostStep: what one step of all replicas takes of a data set, on the host.
// Inside of this room.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "systolic/data/dataset.h"
#include "systolic/distribute/distributed_dataset.h"
#include "systolic/distribute/distributed_values.h"
#include "systolic/distribute/feed.h"

namespace systolic::internal::distribute {

using systolic::distribute::DistributedValues;

/// The data set behind the handles.
struct DistributedSource {
  data::Dataset dataset;
  const graph::Placement* placement;
  /// Whether each element is one replica's, and not a batch to be split.
  bool is_per_replica;
  /// How many elements a step takes.
  size_t elements_of_step() const {
    return is_per_replica ? static_cast<size_t>(placement->num_replicas()) : 1;
  }
  /// Room of the stacks that run_steps has sent: part of their programs.
  std::atomic<int64_t> stack_capacity{0};
};

/// The batch of one step.
struct HostStep {
  /// What the data set gave: a batch of all replicas, or an element for each
  /// replica that has one.
  std::vector<data::Element> elements;
  /// For each leaf of the tree one Array, whose rows are split, or one for
  /// each replica.
  std::vector<std::vector<Array>> leaves;
  /// Rows of each replica, and how many are real; share is -1 for values
  /// without rows.
  int64_t share = -1;
  std::vector<int32_t> real;

  /// The tree of all elements.
  const data::Element& tree() const { return elements.front(); }
  bool has_rows() const { return share >= 0; }
  bool is_padded() const;
  /// Whether one program serves both, in one stack.
  bool fits(const HostStep& other) const;
  /// Bytes of all leaves.
  size_t nbytes() const;
};

/// The part of a data set that one of several hosts reads, by the policy of its
/// options (Dataset::auto_shard); the data set itself where there is one host.
data::Dataset share_of_host(const data::Dataset& dataset,
                            const InputContext& hosts);

/// The next step's batch, or nothing at the end. `begun` are elements of it
/// that were read before; those read before one whose making throws are left
/// there. Throws ShapeError, TypeError, ValueError naming `who` for what can
/// not be split or sent.
std::optional<HostStep> read_step(data::Iterator& iterator,
                                  std::vector<data::Element>& begun,
                                  const DistributedSource& source,
                                  std::string_view who);

/// The batch of elements; nothing where they are too few for the replicas and
/// cannot be filled up.
std::optional<HostStep> make_step(std::vector<data::Element> elements,
                                  const DistributedSource& source,
                                  std::string_view who);

/// Sends a batch to the replicas.
DistributedValues send(const HostStep& step, const graph::Placement& placement);

/// Sends batches that fit each other as one stack with room for `capacity`.
DistributedValues send(std::span<const HostStep> steps, int64_t capacity,
                       const graph::Placement& placement);

}  // namespace systolic::internal::distribute
