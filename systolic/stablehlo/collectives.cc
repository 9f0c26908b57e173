// Tested by: systolic/ops/exchange_platform_test.cc
#include "systolic/stablehlo/collectives.h"

#include <string>

namespace systolic::internal::stablehlo {

namespace {

// All replicas in one group.
std::string one_group(int num_replicas) {
  std::string text = "replica_groups = dense<[[";
  for (int i = 0; i < num_replicas; ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(i);
  }
  return text + "]]> : tensor<1x" + std::to_string(num_replicas) + "xi64>";
}

std::string number(const char* name, int64_t value) {
  return std::string(name) + " = " + std::to_string(value) + " : i64, ";
}

}  // namespace

Value all_gather(Emitter& e, const Value& x, int64_t axis, int num_replicas) {
  TensorSpec result = x.spec;
  const int at = static_cast<int>(axis);
  result.shape.set(at, result.shape[at] * num_replicas);
  return e.statement("all_gather", {x}, result,
                     number("all_gather_dim", axis) + one_group(num_replicas));
}

Value reduce_scatter(Emitter& e, const Value& x, int64_t axis,
                     int num_replicas) {
  TensorSpec result = x.spec;
  const int at = static_cast<int>(axis);
  result.shape.set(at, result.shape[at] / num_replicas);
  const TensorSpec scalar{x.spec.dtype, Shape::scalar()};
  const TensorSpec pair[] = {scalar, scalar};
  const std::string body = e.region(pair, [&](std::span<const Value> v) {
    return std::vector<Value>{e.binary("add", v[0], v[1])};
  });
  return e.statement(
      "reduce_scatter", {x}, result,
      number("scatter_dimension", axis) + one_group(num_replicas), body);
}

Value all_to_all(Emitter& e, const Value& x, int64_t split_axis,
                 int64_t concat_axis, int num_replicas) {
  TensorSpec result = x.spec;
  const int split = static_cast<int>(split_axis);
  const int concat = static_cast<int>(concat_axis);
  result.shape.set(split, result.shape[split] / num_replicas);
  result.shape.set(concat, result.shape[concat] * num_replicas);
  return e.statement("all_to_all", {x}, result,
                     number("split_dimension", split_axis) +
                         number("concat_dimension", concat_axis) +
                         number("split_count", num_replicas) +
                         one_group(num_replicas));
}

Value collective_permute(Emitter& e, const Value& x,
                         std::span<const int64_t> sources,
                         std::span<const int64_t> targets) {
  std::string pairs;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (i > 0) pairs += ", ";
    pairs += "[" + std::to_string(sources[i]) + ", " +
             std::to_string(targets[i]) + "]";
  }
  return e.statement("collective_permute", {x}, x.spec,
                     "source_target_pairs = dense<[" + pairs + "]> : tensor<" +
                         std::to_string(sources.size()) + "x2xi64>");
}

}  // namespace systolic::internal::stablehlo
