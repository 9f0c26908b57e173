#include "systolic/ops/collective.h"

#include "systolic/graph/context.h"
#include "systolic/graph/elementwise.h"
#include "systolic/graph/op.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic {

using namespace internal::graph;
using internal::stablehlo::Combine;

namespace {

struct ReduceOpOptions {
  ReduceOp op = ReduceOp::sum;
  template <class V>
  void visit(V&& v) const {
    v("op", op);
  }
};

Values lower_all_reduce(Lower& l, const ReduceOpOptions& o) {
  const int replicas = l.placement.num_replicas();
  if (replicas == 1) return Values(l.inputs().begin(), l.inputs().end());
  const Combine combine = o.op == ReduceOp::max   ? Combine::maximum
                          : o.op == ReduceOp::min ? Combine::minimum
                                                  : Combine::add;
  Values values = l.e.all_reduce(combine, l.inputs(), replicas);
  if (o.op == ReduceOp::mean) {
    for (auto& value : values) {
      value = l.e.binary("divide", value, l.e.splat(value.spec, replicas));
    }
  }
  return values;
}

constexpr Op<ReduceOpOptions> kAllReduce{
    .name = "all_reduce",
    .infer =
        [](Infer& in, const ReduceOpOptions& o) {
          refuse_float8(in);
          if (o.op != ReduceOp::sum && o.op != ReduceOp::mean) {
            refuse_complex(in);
          }
          std::vector<TensorSpec> specs;
          for (int i = 0; i < in.size(); ++i) specs.push_back(in[i]);
          return Specs(std::move(specs));
        },
    .lower = lower_all_reduce,
    .vjp =
        [](Vjp& v, const ReduceOpOptions& o) {
          if (o.op != ReduceOp::sum && o.op != ReduceOp::mean) {
            internal::Message("all_reduce")
                .rule("the largest or smallest value of all replicas has no ",
                      "gradient")
                .hint("use ReduceOp::sum or mean")
                .raise<ValueError>();
          }
          // What every replica made of the sum comes back to each summand.
          std::vector<Tensor> gradients;
          for (int i = 0; i < v.num_inputs(); ++i) {
            gradients.push_back(v.gradient(i));
          }
          return all_reduce(o.op, gradients);
        },
    .residuals = {0, 0}};

constexpr Op<> kReplicaId{
    .name = "replica_id",
    .infer =
        [](Infer&, const NoOptions&) {
          return Specs(TensorSpec{DType::int32, Shape::scalar()});
        },
    .lower =
        [](Lower& l, const NoOptions&) {
          if (l.placement.num_replicas() == 1) {
            return Values{l.e.splat(l.result(), 0)};
          }
          return Values{l.e.convert(l.e.replica_id(), DType::int32)};
        },
    .vjp = not_differentiable("it has no input"),
    .residuals = {0, 0}};

constexpr const OpDef* kCatalog[] = {&kDefinition<kAllReduce>,
                                     &kDefinition<kReplicaId>};

}  // namespace

std::span<const OpDef* const> internal::ops::collective_catalog() {
  return kCatalog;
}

int num_replicas_in_sync() {
  const Placement* placement = context().placement;
  return placement == nullptr ? 1 : placement->num_replicas();
}

Tensor replica_id_in_sync_group() {
  return record<kReplicaId>({}, NoOptions{}, SourceLocation::current());
}

Tensor valid_rows() {
  const Context& here = context();
  if (here.valid_rows.is_defined() || here.batch_rows < 0) {
    return here.valid_rows;
  }
  return Arg(here.batch_rows).tensor(DType::int32);
}

Tensor all_reduce(ReduceOp op, const Arg& x) {
  return record<kAllReduce>({x.tensor().ref()}, ReduceOpOptions{op}, x.where());
}

std::vector<Tensor> all_reduce(ReduceOp op, const std::vector<Tensor>& xs) {
  if (xs.empty()) return {};
  std::vector<Ref> inputs;
  for (const Tensor& x : xs) inputs.push_back(x.ref());
  return record_all<kAllReduce>(std::move(inputs), ReduceOpOptions{op},
                                SourceLocation::current());
}

}  // namespace systolic
