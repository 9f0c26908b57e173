// Tested by: systolic/ops/gather_platform_test.cc
#include "systolic/stablehlo/indexing.h"

#include <numeric>
#include <string>

namespace systolic::internal::stablehlo {

namespace {

// first, first + 1, ... as MLIR writes a list.
std::string counting(int64_t first, int64_t count) {
  std::string text = "[";
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(first + i);
  }
  return text + "]";
}

// The axes that an index vector names, and those of the slice behind them.
struct IndexAxes {
  int64_t named, sliced, batch;

  IndexAxes(const Value& x, const Value& indices)
      : named(indices.spec.shape[-1]),
        sliced(x.spec.shape.rank() - named),
        batch(indices.spec.shape.rank() - 1) {}
};

}  // namespace

Value gather_nd(Emitter& e, const Value& x, const Value& indices) {
  const IndexAxes axes(x, indices);
  Shape shape = Shape::scalar();
  for (int i = 0; i < axes.batch; ++i) shape.push_back(indices.spec.shape[i]);
  std::vector<int64_t> sizes;
  for (int i = 0; i < x.spec.shape.rank(); ++i) {
    sizes.push_back(i < axes.named ? 1 : x.spec.shape[i]);
    if (i >= axes.named) shape.push_back(x.spec.shape[i]);
  }
  return e.statement("gather", {x, indices}, {x.spec.dtype, shape},
                     "dimension_numbers = #stablehlo.gather<offset_dims = " +
                         counting(axes.batch, axes.sliced) +
                         ", collapsed_slice_dims = " + counting(0, axes.named) +
                         ", start_index_map = " + counting(0, axes.named) +
                         ", index_vector_dim = " + std::to_string(axes.batch) +
                         ">, slice_sizes = " + i64_array(sizes) +
                         ", indices_are_sorted = false");
}

Value scatter_nd(Emitter& e, const Value& x, const Value& indices,
                 const Value& updates, ScatterMode mode) {
  const IndexAxes axes(x, indices);
  const TensorSpec scalar{x.spec.dtype, Shape::scalar()};
  const TensorSpec pair[] = {scalar, scalar};
  const std::string body = e.region(pair, [&](std::span<const Value> v) {
    switch (mode) {
      case ScatterMode::replace:
        return std::vector<Value>{v[1]};
      case ScatterMode::add:
        return std::vector<Value>{e.binary("add", v[0], v[1])};
      case ScatterMode::maximum:
        return std::vector<Value>{e.binary("maximum", v[0], v[1])};
      default:
        return std::vector<Value>{e.binary("minimum", v[0], v[1])};
    }
  });
  return e.statement(
      "scatter", {x, indices, updates}, x.spec,
      "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = " +
          counting(axes.batch, axes.sliced) +
          ", inserted_window_dims = " + counting(0, axes.named) +
          ", scatter_dims_to_operand_dims = " + counting(0, axes.named) +
          ", index_vector_dim = " + std::to_string(axes.batch) +
          ">, indices_are_sorted = false, unique_indices = false",
      body);
}

std::vector<Value> sort(Emitter& e, std::span<const Value> operands,
                        int64_t axis, bool descending) {
  std::vector<TensorSpec> results, arguments;
  for (const Value& operand : operands) {
    results.push_back(operand.spec);
    arguments.insert(arguments.end(), 2, {operand.spec.dtype, Shape::scalar()});
  }
  const bool real = is_floating(operands[0].spec.dtype);
  const std::string order = e.region(arguments, [&](std::span<const Value> v) {
    Value first = e.compare(descending ? "GT" : "LT", v[0], v[1]);
    if (real) {
      // A NaN counts as the largest number.
      const Value x = descending ? v[1] : v[0];
      const Value y = descending ? v[0] : v[1];
      const Value above =
          e.binary("and", e.compare("EQ", x, x), e.compare("NE", y, y));
      first = e.binary("or", first, above);
    }
    return std::vector<Value>{first};
  });
  return e.statement(
      "sort", operands, results,
      "dimension = " + std::to_string(axis) + " : i64, is_stable = true",
      order);
}

}  // namespace systolic::internal::stablehlo
