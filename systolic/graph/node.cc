#include "systolic/graph/node.h"

#include <algorithm>
#include <bit>

#include "systolic/graph/context.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/op.h"
#include "systolic/graph/tape_state.h"

namespace systolic::internal::graph {

namespace {

// A pending chain longer than this is computed although nobody looked at it,
// so that a forgotten loop does not grow the graph without end.
constexpr int32_t kMaxPendingDepth = 10'000;

}  // namespace

const TensorSpec& Ref::spec() const { return node->output(output).spec; }

Node::Node(NodeKind node_kind, int count)
    : kind(node_kind), num_outputs(count) {
  if (count > 1) rest = std::make_unique<Output[]>(count - 1);
}

bool Node::is_evaluated() const {
  for (int i = 0; i < num_outputs; ++i) {
    if (output(i).storage == nullptr) return false;
  }
  return true;
}

Recorder& Recorder::current() {
  thread_local Recorder* recorder = new Recorder;
  return *recorder;
}

NodePtr make_data(StoragePtr storage, const TensorSpec& spec) {
  auto node = std::make_shared<Node>(NodeKind::data, 1);
  node->first.spec = spec;
  node->placement = storage->placement();
  node->first.storage = std::move(storage);
  return node;
}

namespace {

NodePtr make_literal_bits(DType dtype, uint64_t bits, bool is_float) {
  auto node = std::make_shared<Node>(NodeKind::literal, 1);
  node->first.spec = {dtype, Shape::scalar()};
  node->literal_bits = bits;
  node->literal_is_float = is_float;
  node->recorder = &Recorder::current();
  return node;
}

}  // namespace

NodePtr make_literal(DType dtype, double value) {
  return make_literal_bits(dtype, std::bit_cast<uint64_t>(value), true);
}

NodePtr make_literal(DType dtype, int64_t value) {
  if (is_floating(dtype)) {
    return make_literal(dtype, static_cast<double>(value));
  }
  return make_literal_bits(dtype, static_cast<uint64_t>(value), false);
}

NodePtr make_parameter(const TensorSpec& spec, uint64_t region) {
  auto node = std::make_shared<Node>(NodeKind::parameter, 1);
  node->first.spec = spec;
  node->region = region;
  node->in_step = true;
  node->recorder = &Recorder::current();
  return node;
}

Message Infer::error() const {
  Message message{std::string(op_)};
  for (size_t i = 0; i < inputs_.size(); ++i) {
    message.detail(inputs_.size() == 1 ? std::string("input")
                                       : "input " + std::to_string(i),
                   inputs_[i].spec());
  }
  message.at(where_);
  return message;
}

NodePtr record(const OpDef& op, std::vector<Ref> inputs,
               std::shared_ptr<const void> options,
               const SourceLocation& where) {
  Recorder& recorder = Recorder::current();
  int32_t depth = 0;
  uint64_t watched = 0;
  for (Ref& input : inputs) {
    if (input.node == nullptr) {
      Message(std::string(op.name))
          .expected("a Tensor that holds a value")
          .got("an undefined one (Tensor())")
          .at(where)
          .raise<ValueError>();
    }
    Node& node = *input.node;
    watched |= node.watched;
    if (!node.is_pending(input.output)) continue;
    if (node.recorder != &recorder) evaluate(input);
    if (node.depth > kMaxPendingDepth && !context().in_step) evaluate(input);
    depth = std::max(depth, node.depth + 1);
  }
  Infer infer(op.name, inputs, where);
  const Specs specs = op.infer(infer, options.get());
  auto node = std::make_shared<Node>(NodeKind::operation, specs.size());
  for (int i = 0; i < specs.size(); ++i) node->output(i).spec = specs[i];
  const Context& here = context();
  node->op = &op;
  node->options = std::move(options);
  node->inputs = std::move(inputs);
  node->where = where;
  node->recorder = &recorder;
  node->placement =
      here.placement ? here.placement : Placement::current_default();
  node->region = here.region;
  node->in_step = here.in_step;
  node->depth = depth;
  node->watched = watched;
  if (watched != 0) record_on_tapes(node);
  return node;
}

bool Lower::is_literal(int i, int64_t& value) const {
  const Node& input = *node.inputs[i].node;
  if (input.kind != NodeKind::literal || input.literal_is_float) return false;
  if (literal_is_argument && literal_is_argument(input)) return false;
  value = static_cast<int64_t>(input.literal_bits);
  return true;
}

bool Lower::has(platforms::Capability capability) const {
  return placement.client().has(capability);
}

bool Lower::has_kernel(std::string_view name) const {
  return placement.client().has_kernel(name);
}

}  // namespace systolic::internal::graph
