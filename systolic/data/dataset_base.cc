#include "systolic/data/dataset_base.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "systolic/base/message.h"

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

void detail::save_pipeline(const DatasetBase& dataset, StateWriter& state) {
  const std::vector<const DatasetBase*> nodes = nodes_of(dataset);
  state.begin("pipeline");
  state.write_int(static_cast<int64_t>(nodes.size()));
  for (const DatasetBase* node : nodes) {
    state.begin(node->name());
    state.write_int(node->cardinality());
    state.write_string(node->parameters());
  }
}

void detail::check_pipeline(const DatasetBase& dataset, StateReader& state) {
  const std::vector<const DatasetBase*> nodes = nodes_of(dataset);
  state.expect("pipeline");
  const auto count = static_cast<size_t>(state.read_int());
  for (size_t i = 0; i < std::min(count, nodes.size()); ++i) {
    const DatasetBase& node = *nodes[i];
    state.expect(node.name());
    const int64_t cardinality = state.read_int();
    const std::string parameters = state.read_string();
    // First what the user wrote: it says why lengths differ.
    if (parameters != node.parameters()) {
      state.throw_mismatch(node.parameters(), parameters);
    }
    if (cardinality != node.cardinality()) {
      state.throw_mismatch(cardinality_text(node.cardinality()),
                           cardinality_text(cardinality));
    }
  }
  if (count == nodes.size()) return;
  state.throw_mismatch(std::to_string(nodes.size()) + " nodes",
                       std::to_string(count));
}

std::string detail::describe_elements(const DatasetBase& dataset) {
  std::string text;
  for (const DatasetBase* node : nodes_of(dataset)) {
    const std::optional<std::string> parameters = node->element_parameters();
    if (!parameters) continue;
    text += internal::concatenate_text(node->name(), ": ",
                                       cardinality_text(node->cardinality()),
                                       ", ", *parameters, "\n");
  }
  return text;
}

void detail::save_nodes(const DatasetBase& dataset, StateWriter& state) {
  state.begin("nodes");
  for (const DatasetBase* node : nodes_of(dataset)) {
    state.begin(node->name());
    node->save_node(state);
  }
}

void detail::restore_nodes(const DatasetBase& dataset, StateReader& state) {
  state.expect("nodes");
  for (const DatasetBase* node : nodes_of(dataset)) {
    state.expect(node->name());
    node->restore_node(state);
  }
}

void detail::save_pass(const DatasetBase& dataset, IteratorBase& iterator,
                       StateWriter& state) {
  save_pipeline(dataset, state);
  iterator.save(state);
  save_nodes(dataset, state);
}

void detail::restore_pass(const DatasetBase& dataset, IteratorBase& iterator,
                          StateReader& state) {
  check_pipeline(dataset, state);
  iterator.restore(state);
  restore_nodes(dataset, state);
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

std::string detail::node_name(std::string kind, const std::string& user_name) {
  if (!user_name.empty()) kind += " \"" + user_name + '"';
  return kind;
}

TransformBase::TransformBase(std::shared_ptr<const DatasetBase> input,
                             std::string kind, const std::string& user_name)
    : input_(std::move(input)),
      name_(detail::node_name(std::move(kind), user_name)) {}

}  // namespace systolic::data
