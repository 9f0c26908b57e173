// The statements of Emitter that compute: elementwise, movement, reductions,
// windows, products.
#include <algorithm>
#include <numeric>

#include "systolic/base/message.h"
#include "systolic/stablehlo/emitter.h"

namespace systolic::internal::stablehlo {

namespace {

std::string padding_matrix(std::span<const EdgePadding> edges) {
  std::string text = "dense<[";
  for (size_t i = 0; i < edges.size(); ++i) {
    if (i > 0) text += ", ";
    text += "[" + std::to_string(edges[i].low) + ", " +
            std::to_string(edges[i].high) + "]";
  }
  return text + "]> : tensor<" + std::to_string(edges.size()) + "x2xi64>";
}

int64_t windows_along(int64_t size, const Window& window, size_t i) {
  const int64_t base =
      window.base_dilation.empty() ? 1 : window.base_dilation[i];
  const int64_t dilation =
      window.window_dilation.empty() ? 1 : window.window_dilation[i];
  const int64_t spread = size == 0 ? 0 : (size - 1) * base + 1;
  const int64_t padded =
      spread + window.padding[i].low + window.padding[i].high;
  const int64_t reach = (window.size[i] - 1) * dilation + 1;
  return padded < reach ? 0 : (padded - reach) / window.strides[i] + 1;
}

std::string window_attributes(const Window& window) {
  std::string text = "window_dimensions = " + i64_array(window.size) +
                     ", window_strides = " + i64_array(window.strides) +
                     ", padding = " + padding_matrix(window.padding);
  if (!window.base_dilation.empty()) {
    text += ", base_dilations = " + i64_array(window.base_dilation);
  }
  if (!window.window_dilation.empty()) {
    text += ", window_dilations = " + i64_array(window.window_dilation);
  }
  return text;
}

std::string list(std::span<const int64_t> values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(values[i]);
  }
  return text + "]";
}

}  // namespace

Value Emitter::unary(std::string_view op, const Value& x) {
  return statement(op, {x}, x.spec);
}

Value Emitter::binary(std::string_view op, const Value& x, const Value& y) {
  return statement(op, {x, y}, x.spec);
}

Value Emitter::compare(std::string_view direction, const Value& x,
                       const Value& y) {
  return statement("compare", {x, y}, {DType::boolean, x.spec.shape},
                   "comparison_direction = #stablehlo<comparison_direction " +
                       std::string(direction) + ">");
}

Value Emitter::select(const Value& predicate, const Value& x, const Value& y) {
  return statement("select", {predicate, x, y}, x.spec);
}

Value Emitter::convert(const Value& x, DType dtype) {
  if (x.spec.dtype == dtype) return x;
  if (dtype == DType::boolean) {
    return compare("NE", x, splat(x.spec, 0));
  }
  return statement("convert", {x}, {dtype, x.spec.shape});
}

Value Emitter::broadcast_in_dim(const Value& x, const Shape& shape,
                                std::span<const int64_t> dimensions) {
  return statement("broadcast_in_dim", {x}, {x.spec.dtype, shape},
                   "broadcast_dimensions = " + i64_array(dimensions));
}

Value Emitter::broadcast(const Value& x, const Shape& shape) {
  if (x.spec.shape == shape) return x;
  std::vector<int64_t> dimensions(x.spec.shape.rank());
  std::iota(dimensions.begin(), dimensions.end(),
            shape.rank() - x.spec.shape.rank());
  return broadcast_in_dim(x, shape, dimensions);
}

Value Emitter::reshape(const Value& x, const Shape& shape) {
  if (x.spec.shape == shape) return x;
  return statement("reshape", {x}, {x.spec.dtype, shape});
}

Value Emitter::transpose(const Value& x, std::span<const int64_t> permutation) {
  if (std::is_sorted(permutation.begin(), permutation.end())) return x;
  Shape shape = Shape::scalar();
  for (int64_t i : permutation) {
    shape.push_back(x.spec.shape[static_cast<int>(i)]);
  }
  return statement("transpose", {x}, {x.spec.dtype, shape},
                   "permutation = " + i64_array(permutation));
}

Value Emitter::slice(const Value& x, std::span<const int64_t> starts,
                     std::span<const int64_t> limits,
                     std::span<const int64_t> strides) {
  Shape shape = Shape::scalar();
  for (size_t i = 0; i < starts.size(); ++i) {
    shape.push_back((limits[i] - starts[i] + strides[i] - 1) / strides[i]);
  }
  return statement("slice", {x}, {x.spec.dtype, shape},
                   "start_indices = " + i64_array(starts) +
                       ", limit_indices = " + i64_array(limits) +
                       ", strides = " + i64_array(strides));
}

Value Emitter::dynamic_slice(const Value& x, std::span<const Value> starts,
                             std::span<const int64_t> sizes) {
  std::vector<Value> operands{x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  const TensorSpec result{x.spec.dtype, Shape(sizes)};
  return statement("dynamic_slice", operands, std::span(&result, 1),
                   "slice_sizes = " + i64_array(sizes))[0];
}

Value Emitter::dynamic_update_slice(const Value& x, const Value& update,
                                    std::span<const Value> starts) {
  std::vector<Value> operands{x, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return statement("dynamic_update_slice", operands, std::span(&x.spec, 1))[0];
}

Value Emitter::pad(const Value& x, const Value& value,
                   std::span<const EdgePadding> edges,
                   std::span<const int64_t> interior) {
  std::vector<int64_t> low, high;
  Shape shape = Shape::scalar();
  for (size_t i = 0; i < edges.size(); ++i) {
    low.push_back(edges[i].low);
    high.push_back(edges[i].high);
    const int64_t size = x.spec.shape[static_cast<int>(i)];
    shape.push_back(size + std::max<int64_t>(size - 1, 0) * interior[i] +
                    edges[i].low + edges[i].high);
  }
  return statement("pad", {x, value}, {x.spec.dtype, shape},
                   "edge_padding_low = " + i64_array(low) +
                       ", edge_padding_high = " + i64_array(high) +
                       ", interior_padding = " + i64_array(interior));
}

Value Emitter::concatenate(std::span<const Value> values, int64_t dimension) {
  TensorSpec result = values[0].spec;
  std::vector<int64_t> dims(result.shape.begin(), result.shape.end());
  dims[dimension] = 0;
  for (const Value& value : values) {
    dims[dimension] += value.spec.shape[static_cast<int>(dimension)];
  }
  result.shape = Shape(std::span<const int64_t>(dims));
  return statement("concatenate", values, std::span(&result, 1),
                   "dimension = " + std::to_string(dimension) + " : i64")[0];
}

Value Emitter::iota(const TensorSpec& spec, int64_t dimension) {
  return statement("iota", {}, spec,
                   "iota_dimension = " + std::to_string(dimension) + " : i64");
}

Value Emitter::reverse(const Value& x, std::span<const int64_t> dimensions) {
  return statement("reverse", {x}, x.spec,
                   "dimensions = " + i64_array(dimensions));
}

Value Emitter::fft(const Value& x, bool inverse, int axes) {
  const auto lengths = x.spec.shape.dims().last(static_cast<size_t>(axes));
  return statement("fft", {x}, x.spec,
                   "fft_type = #stablehlo<fft_type " +
                       std::string(inverse ? "IFFT" : "FFT") +
                       ">, fft_length = " + i64_array(lengths));
}

Value Emitter::reduce(Combine combine, const Value& x,
                      std::span<const int64_t> axes) {
  const Value initial = neutral(combine, x.spec.dtype);
  Shape shape = Shape::scalar();
  for (int i = 0; i < x.spec.shape.rank(); ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) {
      shape.push_back(x.spec.shape[i]);
    }
  }
  const std::string body = combine_region(combine, x.spec.dtype);
  return statement("reduce", {x, initial}, {x.spec.dtype, shape},
                   "dimensions = " + i64_array(axes), body);
}

Value Emitter::arg_reduce(bool largest, const Value& x, int64_t axis) {
  const TensorSpec index_spec{DType::int32, x.spec.shape};
  const Value positions = iota(index_spec, axis);
  const Value worst =
      neutral(largest ? Combine::maximum : Combine::minimum, x.spec.dtype);
  const TensorSpec scalar{x.spec.dtype, Shape::scalar()};
  const TensorSpec index_scalar{DType::int32, Shape::scalar()};
  const Value zero = splat(index_scalar, 0);
  const TensorSpec arguments[] = {scalar, index_scalar, scalar, index_scalar};
  const std::string body = region(arguments, [&](std::span<const Value> v) {
    // NaN wins, as in NumPy; between equals the first index does.
    Value better = compare(largest ? "GT" : "LT", v[0], v[2]);
    if (is_floating(x.spec.dtype)) {
      better = binary("or", better, compare("NE", v[0], v[0]));
    }
    const Value same = compare("EQ", v[0], v[2]);
    const Value first = compare("LT", v[1], v[3]);
    const Value index_better = binary("or", better, binary("and", same, first));
    return std::vector<Value>{select(better, v[0], v[2]),
                              select(index_better, v[1], v[3])};
  });
  Shape shape = Shape::scalar();
  for (int i = 0; i < x.spec.shape.rank(); ++i) {
    if (i != axis) shape.push_back(x.spec.shape[i]);
  }
  const Value operands[] = {x, positions, worst, zero};
  const TensorSpec results[] = {{x.spec.dtype, shape}, {DType::int32, shape}};
  return statement("reduce", operands, results,
                   "dimensions = " + i64_array(std::span(&axis, 1)), body)[1];
}

Value Emitter::reduce_window(Combine combine, const Value& x,
                             const Window& window) {
  const Value initial = neutral(combine, x.spec.dtype);
  Shape shape = Shape::scalar();
  for (int i = 0; i < x.spec.shape.rank(); ++i) {
    shape.push_back(windows_along(x.spec.shape[i], window, i));
  }
  const std::string body = combine_region(combine, x.spec.dtype);
  return statement("reduce_window", {x, initial}, {x.spec.dtype, shape},
                   window_attributes(window), body);
}

Value Emitter::select_and_scatter(const Value& x, const Value& source,
                                  const Window& window) {
  const TensorSpec scalar{x.spec.dtype, Shape::scalar()};
  const Value zero = splat(scalar, 0);
  const TensorSpec pair[] = {scalar, scalar};
  const std::string select = region(pair, [&](std::span<const Value> v) {
    return std::vector<Value>{compare("GE", v[0], v[1])};
  });
  const std::string scatter = combine_region(Combine::add, x.spec.dtype);
  return statement("select_and_scatter", {x, source, zero}, x.spec,
                   window_attributes(window), select + ", " + scatter);
}

Value Emitter::convolution(const Value& x, const Value& filter,
                           const Window& window, const Shape& result,
                           int64_t feature_groups, int64_t batch_groups) {
  std::string spatial;
  for (size_t i = 0; i < window.strides.size(); ++i) {
    spatial += ", " + std::to_string(i);
  }
  const std::string numbers = "dimension_numbers = #stablehlo.conv<[b" +
                              spatial + ", f]x[" + spatial.substr(2) +
                              ", i, o]->[b" + spatial + ", f]>";
  std::string attributes = "window_strides = " + i64_array(window.strides) +
                           ", padding = " + padding_matrix(window.padding);
  if (!window.base_dilation.empty()) {
    attributes += ", lhs_dilation = " + i64_array(window.base_dilation);
  }
  if (!window.window_dilation.empty()) {
    attributes += ", rhs_dilation = " + i64_array(window.window_dilation);
  }
  attributes += ", " + numbers +
                ", feature_group_count = " + std::to_string(feature_groups) +
                " : i64, batch_group_count = " + std::to_string(batch_groups) +
                " : i64";
  return statement("convolution", {x, filter}, {x.spec.dtype, result},
                   attributes);
}

Value Emitter::dot_general(const Value& x, const Value& y,
                           std::span<const int64_t> x_batch,
                           std::span<const int64_t> y_batch,
                           std::span<const int64_t> x_contract,
                           std::span<const int64_t> y_contract, DType dtype) {
  Shape shape = Shape::scalar();
  for (int64_t i : x_batch) shape.push_back(x.spec.shape[static_cast<int>(i)]);
  const auto free = [&](const Value& v, std::span<const int64_t> batch,
                        std::span<const int64_t> contract) {
    for (int i = 0; i < v.spec.shape.rank(); ++i) {
      if (std::find(batch.begin(), batch.end(), i) == batch.end() &&
          std::find(contract.begin(), contract.end(), i) == contract.end()) {
        shape.push_back(v.spec.shape[i]);
      }
    }
  };
  free(x, x_batch, x_contract);
  free(y, y_batch, y_contract);
  return statement(
      "dot_general", {x, y}, {dtype, shape},
      "dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = " +
          list(x_batch) + ", rhs_batching_dimensions = " + list(y_batch) +
          ", lhs_contracting_dimensions = " + list(x_contract) +
          ", rhs_contracting_dimensions = " + list(y_contract) + ">");
}

std::string Emitter::gather_attributes(const Shape& shape, int index_rank,
                                       int64_t axis) const {
  std::vector<int64_t> offset, sizes;
  for (int i = 0; i < shape.rank(); ++i) {
    if (i < axis) offset.push_back(i);
    if (i > axis) offset.push_back(i - 1 + index_rank);
    sizes.push_back(i == axis ? 1 : shape[i]);
  }
  return "dimension_numbers = #stablehlo.gather<offset_dims = " + list(offset) +
         ", collapsed_slice_dims = [" + std::to_string(axis) +
         "], start_index_map = [" + std::to_string(axis) +
         "], index_vector_dim = " + std::to_string(index_rank) +
         ">, slice_sizes = " + i64_array(sizes) +
         ", indices_are_sorted = false";
}

Value Emitter::take(const Value& x, const Value& indices, int64_t axis) {
  Shape shape = Shape::scalar();
  for (int i = 0; i < axis; ++i) shape.push_back(x.spec.shape[i]);
  for (int64_t d : indices.spec.shape) shape.push_back(d);
  for (int i = static_cast<int>(axis) + 1; i < x.spec.shape.rank(); ++i) {
    shape.push_back(x.spec.shape[i]);
  }
  return statement(
      "gather", {x, indices}, {x.spec.dtype, shape},
      gather_attributes(x.spec.shape, indices.spec.shape.rank(), axis));
}

Value Emitter::scatter_add_rows(const Shape& shape, const Value& indices,
                                const Value& updates, int64_t axis) {
  return scatter_rows(Combine::add, shape, indices, updates, false, axis);
}

Value Emitter::scatter_rows(Combine combine, const Shape& shape,
                            const Value& indices, const Value& updates,
                            bool sorted, int64_t axis) {
  const TensorSpec spec{updates.spec.dtype, shape};
  const Value start = broadcast_in_dim(neutral(combine, spec.dtype), shape, {});
  std::vector<int64_t> window;
  const int index_rank = indices.spec.shape.rank();
  for (int i = 0; i < shape.rank(); ++i) {
    if (i < axis) window.push_back(i);
    if (i > axis) window.push_back(i - 1 + index_rank);
  }
  const std::string body = combine_region(combine, spec.dtype);
  return statement(
      "scatter", {start, indices, updates}, spec,
      "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = " +
          list(window) + ", inserted_window_dims = [" + std::to_string(axis) +
          "], scatter_dims_to_operand_dims = [" + std::to_string(axis) +
          "], index_vector_dim = " + std::to_string(index_rank) +
          ">, indices_are_sorted = " + (sorted ? "true" : "false") +
          ", unique_indices = false",
      body);
}

}  // namespace systolic::internal::stablehlo
