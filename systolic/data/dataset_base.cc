#include "systolic/data/dataset_base.h"

#include <unordered_set>
#include <utility>

namespace systolic::data {
namespace {

// Adds a node and all below it, each once.
void collect_nodes(const DatasetBase& node,
                   std::unordered_set<const DatasetBase*>* seen,
                   std::vector<const DatasetBase*>* nodes) {
  if (!seen->insert(&node).second) return;
  nodes->push_back(&node);
  for (const DatasetBase* input : node.inputs()) {
    collect_nodes(*input, seen, nodes);
  }
}

std::string cardinality_text(int64_t cardinality) {
  if (cardinality == INFINITE_CARDINALITY) return "elements without end";
  if (cardinality < 0) return "elements whose number is not known";
  return std::to_string(cardinality) + " elements";
}

std::vector<const DatasetBase*> nodes_of(const DatasetBase& dataset) {
  std::unordered_set<const DatasetBase*> seen;
  std::vector<const DatasetBase*> nodes;
  collect_nodes(dataset, &seen, &nodes);
  return nodes;
}

}  // namespace

void detail::save_nodes(const DatasetBase& dataset, StateWriter& state) {
  const std::vector<const DatasetBase*> nodes = nodes_of(dataset);
  state.begin("nodes");
  state.write_int(static_cast<int64_t>(nodes.size()));
  for (const DatasetBase* node : nodes) {
    state.begin(node->name());
    state.write_int(node->cardinality());
    node->save_node(state);
  }
}

void detail::restore_nodes(const DatasetBase& dataset, StateReader& state) {
  const std::vector<const DatasetBase*> nodes = nodes_of(dataset);
  state.expect("nodes");
  const int64_t count = state.read_int();
  if (count != static_cast<int64_t>(nodes.size())) {
    state.throw_mismatch(std::to_string(count) + " nodes",
                         std::to_string(nodes.size()));
  }
  for (const DatasetBase* node : nodes) {
    state.expect(node->name());
    const int64_t cardinality = state.read_int();
    if (cardinality != node->cardinality()) {
      state.throw_mismatch(cardinality_text(cardinality),
                           cardinality_text(node->cardinality()));
    }
    node->restore_node(state);
  }
}

bool DatasetBase::randomizes() const {
  if (reshuffles()) return true;
  for (const DatasetBase* input : inputs()) {
    if (input->randomizes()) return true;
  }
  return false;
}

bool DatasetBase::has_own_order() const {
  for (const DatasetBase* input : inputs()) {
    if (input->has_own_order()) return true;
  }
  return false;
}

Options DatasetBase::options() const {
  Options merged;
  for (const DatasetBase* input : inputs()) {
    merged = input->options().merged_over(merged);
  }
  return merged;
}

const Options& IteratorContext::options() const {
  static const Options kNone;
  return run ? run->options() : kNone;
}

std::shared_ptr<StageCounters> IteratorContext::stage(
    const DatasetBase& node) const {
  if (!run || peek) return nullptr;
  if (maker == nullptr) return run->stage(&node, node.name());
  return run->stage(maker, node.name(), maker->name());
}

std::string detail::node_name(std::string kind, const std::string& user_name) {
  if (!user_name.empty()) kind += " \"" + user_name + '"';
  return kind;
}

TransformBase::TransformBase(std::shared_ptr<const DatasetBase> input,
                             std::string kind, const std::string& user_name)
    : input_(std::move(input)),
      name_(detail::node_name(std::move(kind), user_name)) {}

}  // namespace systolic::data
