// Tested by: systolic/distribute/run_platform_test.cc
#include "systolic/distribute/per_replica.h"

#include <numeric>
#include <ostream>

#include "systolic/array/manipulation.h"
#include "systolic/base/message.h"
#include "systolic/graph/context.h"
#include "systolic/graph/evaluate.h"

namespace systolic {

using internal::Message;
namespace graph = internal::graph;

namespace {

Tensor leaf(std::shared_ptr<graph::Storage> storage, const TensorSpec& spec) {
  return Tensor(graph::Ref{graph::make_data(std::move(storage), spec), 0});
}

}  // namespace

int64_t internal::distribute::BatchRows::total() const {
  return std::accumulate(real.begin(), real.end(), int64_t{0});
}

PerReplica::PerReplica(Tensor value, const graph::Placement* placement,
                       internal::distribute::BatchRowsPtr rows)
    : value_(std::move(value)), placement_(placement), rows_(std::move(rows)) {}

void PerReplica::require_defined() const {
  if (is_defined()) return;
  Message("PerReplica")
      .expected("one that holds values")
      .got("an undefined one (PerReplica())")
      .raise<ValueError>();
}

int PerReplica::num_replicas() const {
  require_defined();
  return placement_->num_replicas();
}

bool PerReplica::is_padded() const {
  return rows_ != nullptr && rows_->is_padded() && shape().rank() > 0 &&
         shape()[0] == rows_->share;
}

std::vector<Array> PerReplica::arrays() const {
  const auto buffers = graph::storage_of(value_.ref())->on(placement_);
  std::vector<Array> all = internal::runtime::to_host(buffers);
  if (is_padded()) {
    for (size_t i = 0; i < all.size(); ++i) {
      all[i] = all[i].slice({Slice(0, rows_->real[i])});
    }
  }
  return all;
}

std::vector<Tensor> PerReplica::values() const {
  require_defined();
  std::vector<Tensor> values;
  if (is_padded()) {
    // Each has a size of its own: cut on the host, no program for each.
    for (Array& array : arrays()) {
      const TensorSpec cut = array.spec();
      values.push_back(
          leaf(std::make_shared<graph::Storage>(std::move(array)), cut));
    }
    return values;
  }
  const auto buffers = graph::storage_of(value_.ref())->on(placement_);
  for (size_t i = 0; i < buffers.size(); ++i) {
    const auto* here = graph::Placement::single(placement_->devices()[i]);
    values.push_back(
        leaf(std::make_shared<graph::Storage>(here, std::vector{buffers[i]}),
             spec()));
  }
  return values;
}

Tensor PerReplica::operator[](int replica) const {
  if (replica < 0 || replica >= num_replicas()) {
    Message("PerReplica")
        .expected("a replica in 0 ... ", num_replicas() - 1)
        .got(replica)
        .raise<OutOfRangeError>();
  }
  return values()[static_cast<size_t>(replica)];
}

PerReplica::operator Tensor() const {
  if (num_replicas() > 1) {
    Message("PerReplica")
        .rule("the values of ", num_replicas(), " replicas are no one Tensor")
        .detail("each", spec())
        .hint(
            "strategy.reduce(ReduceOp::sum, value) combines them, "
            "strategy.gather(value) joins them, value[0] is the first")
        .raise<ValueError>();
  }
  return values().front();
}

Array PerReplica::concat(int axis) const {
  require_defined();
  const std::vector<Array> all = arrays();
  if (all.size() == 1) return all.front();
  return concatenate(all, axis);
}

std::string PerReplica::to_string(SourceLocation where) const {
  if (!is_defined()) return "PerReplica()";
  if (const graph::Context* step = graph::step_around()) {
    Message("PerReplica")
        .rule("values can not be read inside ", step->step_name,
              ": code there runs when it is recorded")
        .detail("each", spec())
        .at(where)
        .raise<ValueError>();
  }
  const std::vector<Tensor> all = values();
  if (all.size() == 1) return all.front().to_string(where);
  std::string text = "PerReplica:{\n";
  for (size_t i = 0; i < all.size(); ++i) {
    text += "  " + std::to_string(i) + ": " + all[i].to_string(where);
    text += i + 1 < all.size() ? ",\n" : "\n";
  }
  return text + "}";
}

std::ostream& operator<<(std::ostream& out, const PrintedPerReplica& printed) {
  return out << printed.values.to_string(printed.where);
}

}  // namespace systolic
