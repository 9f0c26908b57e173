// Tested by: systolic/models/functional_platform_test.cc
#include "systolic/models/functional_graph.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "systolic/base/auto_name.h"
#include "systolic/base/message.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/name_scope.h"
#include "systolic/graph/op.h"
#include "systolic/graph/symbolic.h"
#include "systolic/layers/core/input_layer.h"

namespace systolic::internal::models {

using graph::Node;
using graph::NodeKind;
using graph::NodePtr;
using graph::Ref;
using systolic::layers::Layer;

namespace {

// "average_pool" as "AveragePool".
std::string camel(std::string_view name) {
  std::string text;
  bool upper = true;
  for (const char c : name) {
    if (c == '_') {
      upper = true;
      continue;
    }
    text +=
        upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = false;
  }
  return text;
}

// Whether a value has to be made anew for each batch: it is made of the
// model's inputs, or has a size that only stands for another.
bool is_part(const Ref& ref) {
  if (ref.node->symbolic) return true;
  if (ref.node->kind != NodeKind::operation) return false;
  const Shape& shape = ref.spec().shape;
  return ref.node->is_pending(ref.output) &&
         std::any_of(shape.begin(), shape.end(), is_stand_in);
}

// What Keras calls an operation: a layer, with all its calls, or one op.
const void* operation_of(const GraphStep& step) {
  if (step.call != nullptr) return &step.call->layer.base();
  return step.node.get();
}

}  // namespace

// Finds the steps as Keras does (keras/src/ops/function.py, map_graph), so
// that layers and weights have Keras's order.
class FunctionalGraph::Walk {
 public:
  Walk(FunctionalGraph& graph, const std::string& who)
      : graph_(graph), who_(who) {}

  void run() {
    for (size_t i = 0; i < graph_.inputs_.size(); ++i) {
      inputs_.emplace(key(graph_.inputs_[i].ref()), static_cast<int>(i));
    }
    for (const Tensor& output : graph_.outputs_) visit(output.ref());
    add_unused_inputs();
    find_depths();
    sort();
    check_names();
  }

 private:
  using Key = std::pair<const Node*, int>;
  static Key key(const Ref& ref) { return {ref.node.get(), ref.output}; }

  int input_of(const Ref& ref) const {
    const auto found = inputs_.find(key(ref));
    return found == inputs_.end() ? -1 : found->second;
  }

  // The step of a value's node; made, with all that it needs, at first sight.
  int visit(const Ref& ref) {
    const int input = input_of(ref);
    const Key id = input >= 0 ? key(ref) : Key{ref.node.get(), -1};
    if (const auto found = found_.find(id); found != found_.end()) {
      return found->second;
    }
    GraphStep step = start(ref, input);
    order_.emplace(operation_of(step), static_cast<int>(order_.size()));
    if (input < 0) {
      for (const Ref& source : ref.node->inputs) {
        step.sources.push_back(source_of(source, step.name));
      }
    }
    accessed_.push_back(step.name);
    graph_.steps_.push_back(std::move(step));
    const int at = static_cast<int>(graph_.steps_.size()) - 1;
    found_.emplace(id, at);
    return at;
  }

  GraphStep start(const Ref& ref, int input) {
    GraphStep step{.node = ref.node, .input = input};
    step.call = layer_call_of(*ref.node);
    if (input >= 0 && !ref.node->inputs.empty()) {
      // A value in the middle of another model is an input of this one.
      const Shape shape = graph::with_unknown(ref.spec().shape);
      Shape rest = shape;
      rest.erase(0);
      step.node =
          systolic::layers::Input(
              rest,
              {.dtype = ref.spec().dtype,
               .name = step.call != nullptr ? step.call->layer.name() : ""})
              .ref()
              .node;
      step.call = layer_call_of(*step.node);
    } else if (input < 0 && step.call != nullptr && ref.node->inputs.empty()) {
      raise_disconnected(ref, step.call->layer.name());
    }
    if (step.call != nullptr) {
      step.name = step.call->layer.name();
      step.class_name = step.call->layer.class_name();
    } else {
      step.class_name = camel(ref.node->op->name);
      step.name = auto_name(step.class_name);
    }
    return step;
  }

  GraphStep::Source source_of(const Ref& source, const std::string& needs) {
    if (!is_part(source) && input_of(source) < 0) {
      // Computed once, not in each step.
      if (source.node->kind == NodeKind::operation) graph::evaluate(source);
      return {.value = Tensor(source)};
    }
    needed_by_ = needs;
    const int step = visit(source);
    return {.step = step,
            .output = graph_.steps_[step].input >= 0 ? 0 : source.output};
  }

  [[noreturn]] void raise_disconnected(const Ref& ref,
                                       const std::string& name) const {
    std::string before;
    for (const std::string& one : accessed_) {
      before += (before.empty() ? "" : ", ") + one;
    }
    Message message(who_);
    message.rule("graph disconnected: \"", name,
                 "\" is none of the model's inputs");
    if (!needed_by_.empty()) message.detail("needed by", needed_by_);
    message.detail("tensor", ref.spec())
        .detail("operations before it", before.empty() ? "none" : before)
        .hint("give it as an input, or leave out what is made of it")
        .raise<ValueError>();
  }

  void add_unused_inputs() {
    for (const Tensor& input : graph_.inputs_) {
      const bool is_known = found_.contains(key(input.ref()));
      if (!is_known) unused_.insert(visit(input.ref()));
    }
  }

  void find_depths() {
    auto& steps = graph_.steps_;
    std::vector<int> depths(steps.size(), 0);
    std::map<const void*, int> of_operations;
    for (int i = static_cast<int>(steps.size()) - 1; i >= 0; --i) {
      int& depth = depths[i];
      int& known = of_operations[operation_of(steps[i])];
      depth = std::max(depth, known);
      known = depth;
      for (const GraphStep::Source& source : steps[i].sources) {
        if (source.step < 0) continue;
        depths[source.step] = std::max(depths[source.step], depth + 1);
      }
    }
    graph_.depths_ = std::move(depths);
    operation_depths_ = std::move(of_operations);
  }

  // By decreasing depth, and at one depth in the order of the walk.
  void sort() {
    auto& steps = graph_.steps_;
    std::vector<int> order(steps.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    const auto place = [&](int i) {
      const int seen =
          unused_.contains(i) ? -1 : order_[operation_of(steps[i])];
      return std::pair(-graph_.depths_[i], seen);
    };
    std::ranges::stable_sort(order,
                             [&](int a, int b) { return place(a) < place(b); });
    std::vector<int> new_place(steps.size());
    std::vector<GraphStep> sorted;
    std::vector<int> depths;
    for (size_t i = 0; i < order.size(); ++i) {
      new_place[order[i]] = static_cast<int>(i);
      sorted.push_back(std::move(steps[order[i]]));
      depths.push_back(graph_.depths_[order[i]]);
    }
    steps = std::move(sorted);
    graph_.depths_ = std::move(depths);
    for (GraphStep& step : steps) {
      for (GraphStep::Source& source : step.sources) {
        if (source.step < 0) continue;
        source.step = new_place[source.step];
        const GraphStep& from = steps[source.step];
        step.connections.push_back(
            from.name + "[" +
            std::to_string(from.call != nullptr ? from.call->index : 0) + "][" +
            std::to_string(source.output) + "]");
      }
    }
    for (const Tensor& output : graph_.outputs_) {
      const int step = new_place[visit(output.ref())];
      graph_.results_.push_back(
          {.step = step,
           .output = steps[step].input >= 0 ? 0 : output.ref().output});
    }
  }

  void check_names() const {
    std::map<std::string, const void*> names;
    for (const GraphStep& step : graph_.steps_) {
      const auto [entry, is_new] = names.emplace(step.name, operation_of(step));
      if (is_new || entry->second == operation_of(step)) continue;
      Message(who_)
          .expected("layers with different names")
          .got("\"", step.name, "\" twice")
          .hint("give one of them another .name")
          .raise<ValueError>();
    }
  }

  FunctionalGraph& graph_;
  const std::string& who_;
  std::map<Key, int> inputs_;
  std::map<Key, int> found_;
  std::map<const void*, int> order_;
  std::map<const void*, int> operation_depths_;
  std::set<int> unused_;
  std::vector<std::string> accessed_;
  std::string needed_by_;
};

FunctionalGraph::FunctionalGraph(std::vector<Tensor> inputs,
                                 std::vector<Tensor> outputs,
                                 const std::string& who)
    : inputs_(std::move(inputs)), outputs_(std::move(outputs)) {
  const auto check = [&](const std::vector<Tensor>& tensors,
                         std::string_view what) {
    if (tensors.empty()) {
      Message(who)
          .expected("at least one Tensor as ", what)
          .got("none")
          .raise<ValueError>();
    }
    for (const Tensor& tensor : tensors) {
      if (graph::is_symbolic(tensor)) continue;
      Message(who)
          .expected("symbolic Tensors as ", what)
          .got(tensor.is_defined() ? tensor.spec().to_string() : "Tensor()",
               tensor.is_defined() ? " with a value" : "")
          .hint("layers::Input gives one, layers and ops make more of it")
          .raise<ValueError>();
    }
  };
  check(inputs_, "inputs");
  check(outputs_, "outputs");
  Walk(*this, who).run();
}

std::vector<Layer> FunctionalGraph::layers() const {
  std::vector<Layer> all;
  for (const GraphStep& step : steps_) {
    if (step.call == nullptr) continue;
    if (std::ranges::find(all, step.call->layer) != all.end()) continue;
    all.push_back(step.call->layer);
  }
  return all;
}

std::vector<std::string> FunctionalGraph::input_names() const {
  std::vector<std::string> names(inputs_.size());
  for (const GraphStep& step : steps_) {
    if (step.input >= 0) names[step.input] = step.name;
  }
  return names;
}

std::vector<std::string> FunctionalGraph::output_names() const {
  std::vector<std::string> names;
  for (const GraphStep::Source& result : results_) {
    names.push_back(steps_[result.step].name);
  }
  return names;
}

bool FunctionalGraph::is_sequential() const {
  std::set<int> depths;
  std::set<const void*> operations;
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].connections.size() > 1) return false;
    if (!depths.insert(depths_[i]).second) return false;
    if (!operations.insert(operation_of(steps_[i])).second) return false;
  }
  return true;
}

std::vector<Tensor> FunctionalGraph::run(
    const std::vector<Tensor>& values,
    const systolic::layers::CallContext& context,
    const SourceLocation& where) const {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Shape& known = inputs_[i].shape();
    for (int axis = 0; axis < known.rank(); ++axis) {
      if (!is_stand_in(known[axis])) continue;
      pairs.emplace_back(known[axis], values[i].shape()[axis]);
    }
  }
  const graph::Sizes sizes(std::move(pairs));
  std::vector<std::vector<Tensor>> results(steps_.size());
  for (size_t i = 0; i < steps_.size(); ++i) {
    const GraphStep& step = steps_[i];
    if (step.input >= 0) {
      results[i] = {values[step.input]};
      continue;
    }
    std::vector<Tensor> inputs;
    for (const GraphStep::Source& source : step.sources) {
      inputs.push_back(source.step >= 0 ? results[source.step][source.output]
                                        : source.value);
    }
    if (step.call != nullptr) {
      results[i] = step.call->layer.call_all(
          inputs,
          {.training = step.call->training.value_or(context.training),
           .arguments = step.call->arguments},
          graph::NameScopes::are_noted() ? step.node->where : where);
      continue;
    }
    std::vector<Ref> refs;
    for (const Tensor& input : inputs) {
      const bool is_literal = input.ref().node->kind == NodeKind::literal;
      refs.push_back(is_literal ? graph::literal_again(input, sizes).ref()
                                : input.ref());
    }
    results[i] = graph::record_again(*step.node, std::move(refs), sizes);
  }
  std::vector<Tensor> outputs;
  for (const GraphStep::Source& result : results_) {
    outputs.push_back(results[result.step][result.output]);
  }
  return outputs;
}

}  // namespace systolic::internal::models
