// Substitution: a recorded body taken up again with other values.
//
//   Substitution values(region);
//   values.set(parameter, x);
//   values.repeat(region);             // its operations, recorded here
//   Tensor y = values(region.results[0]);
#pragma once

#include <memory>

#include "systolic/graph/node.h"
#include "systolic/graph/ref_table.h"
#include "systolic/graph/tensor.h"

namespace systolic::internal::graph {

class Substitution {
 public:
  explicit Substitution(const Region& region) : region_(region.id) {}

  /// Lets `value` stand for `ref`.
  void set(const Ref& ref, Tensor value);

  /// What stands for a value: what was set; for one from outside the body,
  /// itself; for one of an operation of the body, that operation recorded
  /// again here, of what stands for its inputs.
  Tensor operator()(const Ref& ref);

  /// Records all operations of the region again here.
  void repeat(const Region& region);

  /// The operations that were recorded, in order.
  const std::vector<NodePtr>& recorded() const { return recorded_; }

 private:
  void repeat(const NodePtr& node);
  std::shared_ptr<const Region> copy(const Region& region);

  uint64_t region_;
  RefTable<Tensor> values_;
  std::vector<NodePtr> recorded_;
};

}  // namespace systolic::internal::graph
