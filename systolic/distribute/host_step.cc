// Tested by: systolic/distribute/distributed_dataset_platform_test.cc
#include "systolic/distribute/host_step.h"

#include <algorithm>
#include <utility>

#include "systolic/base/log.h"
#include "systolic/base/message.h"

namespace systolic::internal::distribute {

namespace {

using data::Element;
using data::ElementKind;

// The Arrays of a tree in their order, in dtypes that devices take.
void add_leaves(const Element& element, std::string_view who,
                std::vector<Array>& out) {
  if (element.is_array()) {
    out.push_back(narrowed(element.array(), who, "element"));
    return;
  }
  for (const Element& item : element.items()) add_leaves(item, who, out);
}

std::vector<Array> leaves_of(const Element& element, std::string_view who) {
  std::vector<Array> leaves;
  add_leaves(element, who, leaves);
  return leaves;
}

// The rows that all leaves have; -1 where they have none, or not as many.
int64_t rows_of(const std::vector<Array>& leaves) {
  int64_t rows = -1;
  for (const Array& leaf : leaves) {
    if (leaf.rank() == 0) return -1;
    if (rows >= 0 && leaf.shape()[0] != rows) return -1;
    rows = leaf.shape()[0];
  }
  return rows;
}

HostStep split_step(std::vector<Element> elements,
                    const graph::Placement& placement, std::string_view who) {
  HostStep step;
  const Element& element = elements.front();
  const std::vector<Array> leaves = leaves_of(element, who);
  const int64_t rows = rows_of(leaves);
  if (rows <= 0) {
    Message message{std::string(who)};
    message
        .expected(
            "batches: as many rows, and at least one, in every part of "
            "an element")
        .got(element.spec());
    if (rows < 0) message.hint("call batch() on the data set");
    message.raise<ShapeError>();
  }
  const int64_t sent = rows_to_send(rows);
  step.share = share_of(sent, placement);
  step.real = real_rows_of(sent, step.share, placement);
  for (const Array& leaf : leaves) step.leaves.push_back({leaf});
  step.elements = std::move(elements);
  return step;
}

// Whether elements of two replicas can go through one program.
void check_alike(const Array& first, const Array& other, bool has_rows,
                 std::string_view who) {
  Shape wanted = first.shape();
  if (has_rows && other.rank() > 0) wanted.set(0, other.shape()[0]);
  if (first.dtype() == other.dtype() && wanted == other.shape()) return;
  Message(std::string(who))
      .expected("elements of one dtype and shape for all replicas")
      .got(first.spec(), " and ", other.spec())
      .raise<ShapeError>();
}

std::optional<HostStep> join_elements(std::vector<Element> elements,
                                      const graph::Placement& placement,
                                      std::string_view who) {
  const auto replicas = static_cast<size_t>(placement.num_replicas());
  std::vector<std::vector<Array>> parts;
  bool has_rows = true;
  for (const Element& element : elements) {
    parts.push_back(leaves_of(element, who));
    has_rows &= rows_of(parts.back()) >= 0;
  }
  if (!has_rows && elements.size() < replicas) {
    log(LogLevel::warning,
        concatenate_text(who, ": the data end with ", elements.size(),
                         " elements for ", replicas,
                         " replicas; without rows that could be filled up "
                         "they are left out"));
    return std::nullopt;
  }
  HostStep step;
  step.elements = std::move(elements);
  step.leaves.resize(parts.front().size());
  for (size_t r = 0; r < replicas; ++r) {
    if (has_rows) {
      const int64_t rows = r < parts.size() ? rows_of(parts[r]) : 0;
      step.real.push_back(static_cast<int32_t>(rows));
      step.share = std::max(step.share, rows);
    }
    for (size_t i = 0; i < step.leaves.size(); ++i) {
      const Array& first = parts.front()[i];
      if (r >= parts.size()) {
        Shape empty = first.shape();
        empty.set(0, 0);
        step.leaves[i].push_back(Array::zeros(empty, first.dtype()));
        continue;
      }
      check_alike(first, parts[r][i], has_rows, who);
      step.leaves[i].push_back(parts[r][i]);
    }
  }
  return step;
}

// The tree with its leaves in their order.
DistributedValues build(const Element& tree, std::vector<PerReplica>& leaves,
                        size_t& next) {
  if (tree.is_array()) return std::move(leaves[next++]);
  std::vector<DistributedValues> items;
  for (const Element& item : tree.items()) {
    items.push_back(build(item, leaves, next));
  }
  if (tree.kind() == ElementKind::tuple) {
    return DistributedValues::tuple(std::move(items));
  }
  return DistributedValues::dict({tree.keys().begin(), tree.keys().end()},
                                 std::move(items));
}

DistributedValues build(const HostStep& step, std::vector<Tensor> leaves,
                        const graph::Placement& placement) {
  BatchRowsPtr rows;
  if (step.has_rows()) {
    BatchRows found{step.share, step.real, {}};
    if (step.is_padded()) {
      std::vector<Array> counts;
      for (const int32_t count : step.real) {
        counts.push_back(Array::scalar(count));
      }
      found.valid_rows = send_values(counts, placement);
    }
    rows = std::make_shared<const BatchRows>(std::move(found));
  }
  std::vector<PerReplica> values;
  for (Tensor& leaf : leaves) {
    values.emplace_back(std::move(leaf), &placement, rows);
  }
  size_t next = 0;
  return build(step.tree(), values, next);
}

}  // namespace

bool HostStep::is_padded() const {
  return std::ranges::any_of(real, [&](int32_t rows) { return rows != share; });
}

bool HostStep::fits(const HostStep& other) const {
  if (share != other.share || real != other.real ||
      leaves.size() != other.leaves.size()) {
    return false;
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i][0].spec() != other.leaves[i][0].spec()) return false;
  }
  return true;
}

size_t HostStep::nbytes() const {
  size_t total = 0;
  for (const auto& parts : leaves) {
    for (const Array& part : parts) total += part.nbytes();
  }
  return total;
}

data::Dataset share_of_host(const data::Dataset& dataset,
                            const InputContext& hosts) {
  if (hosts.num_input_pipelines == 1) return dataset;
  return dataset.auto_shard(hosts.num_input_pipelines, hosts.input_pipeline_id);
}

std::optional<HostStep> make_step(std::vector<Element> elements,
                                  const DistributedSource& source,
                                  std::string_view who) {
  if (source.is_per_replica) {
    return join_elements(std::move(elements), *source.placement, who);
  }
  return split_step(std::move(elements), *source.placement, who);
}

std::optional<HostStep> read_step(data::Iterator& iterator,
                                  std::vector<Element>& begun,
                                  const DistributedSource& source,
                                  std::string_view who) {
  const size_t wanted = source.elements_of_step();
  Element element;
  while (begun.size() < wanted && iterator.get_next(&element)) {
    begun.push_back(std::move(element));
  }
  if (begun.empty()) return std::nullopt;
  return make_step(std::exchange(begun, {}), source, who);
}

DistributedValues send(const HostStep& step,
                       const graph::Placement& placement) {
  std::vector<Tensor> leaves;
  for (const auto& parts : step.leaves) {
    leaves.push_back(step.has_rows() ? send_rows(parts, step.share, placement)
                                     : send_values(parts, placement));
  }
  return build(step, std::move(leaves), placement);
}

DistributedValues send(std::span<const HostStep> steps, int64_t capacity,
                       const graph::Placement& placement) {
  const HostStep& first = steps.front();
  std::vector<Tensor> leaves;
  for (size_t i = 0; i < first.leaves.size(); ++i) {
    std::vector<HostPart> parts;
    for (const HostStep& step : steps) parts.push_back(step.leaves[i]);
    leaves.push_back(send_stack(parts, capacity, first.share, placement));
  }
  return build(first, std::move(leaves), placement);
}

}  // namespace systolic::internal::distribute
