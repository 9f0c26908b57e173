#include "systolic/ops/exchange.h"

#include <algorithm>

#include "systolic/array/axes.h"
#include "systolic/graph/op.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/stablehlo/collectives.h"

namespace systolic {

using namespace internal::graph;
namespace stablehlo = internal::stablehlo;

namespace {

struct GatherOptions {
  int64_t axis = 0;
  int replicas = 1;
  template <class V>
  void visit(V&& v) const {
    v("axis", axis);
    v("replicas", replicas);
  }
};

// `x` with one axis longer or shorter.
Specs resized(Infer& in, int64_t axis, int64_t size) {
  Shape shape = in.shape(0);
  shape.set(static_cast<int>(axis), size);
  return TensorSpec{in.dtype(0), shape};
}

int64_t divided(const Infer& in, int64_t axis, int replicas) {
  const int64_t size = in.shape(0)[static_cast<int>(axis)];
  if (size % replicas == 0) return size / replicas;
  in.error()
      .expected("a size along axis ", axis, " that ", replicas,
                " replicas share evenly")
      .got(size)
      .detail("input", in[0])
      .raise<ValueError>();
}

Tensor scatter_sum(const Tensor& x, GatherOptions options,
                   const SourceLocation& where = SourceLocation::current());

constexpr Op<GatherOptions> kAllGather{
    .name = "all_gather",
    .infer =
        [](Infer& in, const GatherOptions& o) {
          const int64_t size = in.shape(0)[static_cast<int>(o.axis)];
          return resized(in, o.axis, size * o.replicas);
        },
    .lower =
        [](Lower& l, const GatherOptions& o) {
          if (o.replicas == 1) return Values{l[0]};
          return Values{stablehlo::all_gather(l.e, l[0], o.axis, o.replicas)};
        },
    .vjp =
        [](Vjp& v, const GatherOptions& o) {
          // Every replica's result has this one's value in it.
          return Grads{scatter_sum(v.gradient(), o)};
        },
    .residuals = {0, 0}};

constexpr Op<GatherOptions> kReduceScatter{
    .name = "reduce_scatter",
    .infer =
        [](Infer& in, const GatherOptions& o) {
          return resized(in, o.axis, divided(in, o.axis, o.replicas));
        },
    .lower =
        [](Lower& l, const GatherOptions& o) {
          if (o.replicas == 1) return Values{l[0]};
          return Values{
              stablehlo::reduce_scatter(l.e, l[0], o.axis, o.replicas)};
        },
    .vjp =
        [](Vjp& v, const GatherOptions& o) {
          return Grads{record<kAllGather>({v.gradient().ref()}, o,
                                          SourceLocation::current())};
        },
    .residuals = {0, 0}};

Tensor scatter_sum(const Tensor& x, GatherOptions options,
                   const SourceLocation& where) {
  return record<kReduceScatter>({x.ref()}, options, where);
}

struct ExchangeOptions {
  int64_t split = 0;
  int64_t concat = 0;
  int replicas = 1;
  template <class V>
  void visit(V&& v) const {
    v("split", split);
    v("concat", concat);
    v("replicas", replicas);
  }
};

Grads exchange_gradient(Vjp& v, const ExchangeOptions& o);

constexpr Op<ExchangeOptions> kAllToAll{
    .name = "all_to_all",
    .infer =
        [](Infer& in, const ExchangeOptions& o) {
          Shape shape = in.shape(0);
          const int split = static_cast<int>(o.split);
          const int concat = static_cast<int>(o.concat);
          shape.set(split, divided(in, o.split, o.replicas));
          shape.set(concat, shape[concat] * o.replicas);
          return Specs(TensorSpec{in.dtype(0), shape});
        },
    .lower =
        [](Lower& l, const ExchangeOptions& o) {
          if (o.replicas == 1) return Values{l[0]};
          return Values{
              stablehlo::all_to_all(l.e, l[0], o.split, o.concat, o.replicas)};
        },
    .vjp = exchange_gradient,
    .residuals = {0, 0}};

Grads exchange_gradient(Vjp& v, const ExchangeOptions& o) {
  // The way back.
  return {record<kAllToAll>({v.gradient().ref()},
                            ExchangeOptions{o.concat, o.split, o.replicas},
                            SourceLocation::current())};
}

struct PermuteOptions {
  std::vector<int64_t> sources, targets;
  template <class V>
  void visit(V&& v) const {
    v("sources", sources);
    v("targets", targets);
  }
};

Grads permute_gradient(Vjp& v, const PermuteOptions& o);

constexpr Op<PermuteOptions> kPermute{
    .name = "collective_permute",
    .infer = [](Infer& in, const PermuteOptions&) { return Specs(in[0]); },
    .lower =
        [](Lower& l, const PermuteOptions& o) {
          if (l.placement.num_replicas() == 1) {
            // A replica that sends to itself, or nobody.
            return Values{o.sources.empty() ? l.e.splat(l.result(), 0) : l[0]};
          }
          return Values{
              stablehlo::collective_permute(l.e, l[0], o.sources, o.targets)};
        },
    .vjp = permute_gradient,
    .residuals = {0, 0}};

Grads permute_gradient(Vjp& v, const PermuteOptions& o) {
  return {record<kPermute>({v.gradient().ref()},
                           PermuteOptions{o.targets, o.sources},
                           SourceLocation::current())};
}

constexpr const OpDef* kCatalog[] = {
    &kDefinition<kAllGather>, &kDefinition<kReduceScatter>,
    &kDefinition<kAllToAll>, &kDefinition<kPermute>};

void require_replica(const char* who, int replica,
                     const SourceLocation& where) {
  if (replica >= 0 && replica < num_replicas_in_sync()) return;
  internal::Message(who)
      .expected("replicas from 0 to ", num_replicas_in_sync() - 1)
      .got(replica)
      .at(where)
      .raise<ValueError>();
}

}  // namespace

std::span<const OpDef* const> internal::ops::exchange_catalog() {
  return kCatalog;
}

Tensor all_gather(const Arg& x, int axis) {
  const Tensor in = x.tensor();
  const int place = resolve_axis(axis, in.rank(), "all_gather");
  return record<kAllGather>(
      {in.ref()}, GatherOptions{place, num_replicas_in_sync()}, x.where());
}

Tensor reduce_scatter(ReduceOp op, const Arg& x, int axis) {
  if (op != ReduceOp::sum && op != ReduceOp::mean) {
    internal::Message("reduce_scatter")
        .expected("ReduceOp::sum or mean")
        .got(op == ReduceOp::max ? "max" : "min")
        .hint("take the part of an all_reduce")
        .at(x.where())
        .raise<ValueError>();
  }
  const Tensor in = x.tensor();
  const int place = resolve_axis(axis, in.rank(), "reduce_scatter");
  const int replicas = num_replicas_in_sync();
  const Tensor total =
      scatter_sum(in, GatherOptions{place, replicas}, x.where());
  return op == ReduceOp::sum ? total : total / replicas;
}

Tensor all_to_all(const Arg& x, const AllToAllOptions& options) {
  const Tensor in = x.tensor();
  const int split = resolve_axis(options.split_axis, in.rank(), "all_to_all");
  const int concat = resolve_axis(options.concat_axis, in.rank(), "all_to_all");
  return record<kAllToAll>(
      {in.ref()}, ExchangeOptions{split, concat, num_replicas_in_sync()},
      x.where());
}

Tensor collective_permute(const Arg& x, const SourceTargetPairs& pairs) {
  PermuteOptions options;
  const auto add = [&](std::vector<int64_t>& all, int replica,
                       const char* what) {
    require_replica("collective_permute", replica, x.where());
    if (std::ranges::find(all, replica) != all.end()) {
      internal::Message("collective_permute")
          .expected("each ", what, " once")
          .got(replica, " twice")
          .at(x.where())
          .raise<ValueError>();
    }
    all.push_back(replica);
  };
  for (const auto& [source, target] : pairs) {
    add(options.sources, source, "source");
    add(options.targets, target, "target");
  }
  return record<kPermute>({x.tensor().ref()}, std::move(options), x.where());
}

Tensor collective_broadcast(const Arg& x, int root) {
  require_replica("collective_broadcast", root, x.where());
  const Tensor in = x.tensor();
  const bool truth = in.dtype() == DType::boolean;
  const Tensor value = truth ? cast(in, DType::int32) : in;
  // All but the root add zeros.
  const Tensor mine = equal(replica_id_in_sync_group(), root);
  const Tensor sent =
      all_reduce(ReduceOp::sum, where(mine, value, zeros_like(value)));
  return truth ? cast(sent, DType::boolean) : sent;
}

}  // namespace systolic
