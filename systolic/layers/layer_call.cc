// Tested by: systolic/layers/symbolic_platform_test.cc
#include "systolic/layers/layer_call.h"

#include <utility>

#include "systolic/graph/op.h"

namespace systolic::internal {

namespace {

using graph::Infer;
using graph::Lower;
using graph::Specs;

struct CallOptions {
  std::shared_ptr<const LayerCall> call;
  template <class V>
  void visit(V&&) const {}
};

constexpr graph::Op<CallOptions> kLayerCall{
    .name = "layer",
    .infer = [](Infer&, const CallOptions& o) -> Specs {
      if (o.call->results.size() == 1) return o.call->results.front();
      return o.call->results;
    },
    .lower = [](Lower& l, const CallOptions&) -> graph::Values {
      Message("Tensor")
          .rule("the Tensor is symbolic: it has a shape but no value")
          .hint("call the model with data to get values")
          .at(l.node.where)
          .raise<ValueError>();
    },
    .vjp = graph::not_differentiable("the Tensor is symbolic")};

}  // namespace

std::vector<Tensor> record_layer_call(LayerCall call,
                                      const std::vector<Tensor>& inputs,
                                      const SourceLocation& where) {
  std::vector<graph::Ref> refs;
  for (const Tensor& input : inputs) refs.push_back(input.ref());
  CallOptions options{std::make_shared<const LayerCall>(std::move(call))};
  const graph::NodePtr node =
      graph::record(graph::kDefinition<kLayerCall>, std::move(refs),
                    graph::share_options(std::move(options)), where);
  node->symbolic = true;
  std::vector<Tensor> results;
  for (int i = 0; i < node->num_outputs; ++i) {
    results.push_back(Tensor(graph::Ref{node, i}));
  }
  return results;
}

const LayerCall* layer_call_of(const graph::Node& node) {
  if (node.op != &graph::kDefinition<kLayerCall>) return nullptr;
  return static_cast<const CallOptions*>(node.options.get())->call.get();
}

}  // namespace systolic::internal
