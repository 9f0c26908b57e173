// Emitter: writes one StableHLO module as text, statement by statement.
//
//   Emitter e("main");
//   Value x = e.argument({DType::float32, Shape{2, 2}});
//   e.finish({e.unary("exponential", x)});
//   std::string text = e.module();
//
// It knows statements and values; nothing of gradients, layers or models.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/array/spec.h"

namespace systolic::internal::stablehlo {

/// An SSA value of the module being written: `%id`, or `%id#index`.
struct Value {
  int id = -1;
  int index = -1;
  TensorSpec spec;
};

/// Low and high padding of one dimension, in elements; negative trims.
struct EdgePadding {
  int64_t low = 0;
  int64_t high = 0;
};

/// A window over the spatial dimensions of a convolution or a pooling.
struct Window {
  std::vector<int64_t> size;
  std::vector<int64_t> strides;
  std::vector<EdgePadding> padding;
  std::vector<int64_t> base_dilation;
  std::vector<int64_t> window_dilation;
};

/// The combining operation of a reduction.
enum class Combine { add, multiply, maximum, minimum, logical_and, logical_or };

/// The element type as StableHLO spells it: `f32`, `i1`, `complex<f32>`.
std::string_view element_type(DType dtype);

/// The tensor type as StableHLO spells it: `tensor<2x3xf32>`.
std::string tensor_type(const TensorSpec& spec);

/// A list attribute: `array<i64: 1, 2>`.
std::string i64_array(std::span<const int64_t> values);

/// Writes a module with one public function.
class Emitter {
 public:
  /// Starts `func.func public @name` in a module of `num_replicas` replicas.
  explicit Emitter(std::string_view name, int num_replicas = 1);

  /// Adds an argument; one with `alias_output` >= 0 is donated to that result.
  Value argument(const TensorSpec& spec, int alias_output = -1);

  /// Ends the function with these results.
  void finish(std::span<const Value> results);

  /// The whole module; valid after finish().
  std::string module() const;

  /// Says where the statements from now on come from, as a name ("dense/add")
  /// and a line of a file; an empty name: nothing is said.
  void set_place(std::string_view name, std::string_view file = {},
                 int64_t line = 0);

  /// A constant with every element equal to `value`.
  Value splat(const TensorSpec& spec, double value);

  /// A constant with every element equal to the integer `value`.
  Value splat_integer(const TensorSpec& spec, int64_t value);

  /// A constant that holds the elements of a small array.
  Value constant(const Array& array);

  /// Writes one statement in MLIR's generic form; returns its results. `op` is
  /// StableHLO's, or has its dialect before a point: "chlo.lgamma".
  std::vector<Value> statement(std::string_view op,
                               std::span<const Value> operands,
                               std::span<const TensorSpec> results,
                               std::string_view attributes = {},
                               std::string_view regions = {});

  /// A statement with one result.
  Value statement(std::string_view op, std::initializer_list<Value> operands,
                  const TensorSpec& result, std::string_view attributes = {},
                  std::string_view regions = {});

  /// An elementwise operation that keeps the spec, such as "exponential".
  Value unary(std::string_view op, const Value& x);

  /// An elementwise operation on two values of one spec, such as "add".
  Value binary(std::string_view op, const Value& x, const Value& y);

  /// A comparison; `direction` is EQ, NE, LT, LE, GT or GE.
  Value compare(std::string_view direction, const Value& x, const Value& y);

  /// Elements of `x` where `predicate` holds, else of `y`.
  Value select(const Value& predicate, const Value& x, const Value& y);

  /// The same elements as another dtype; `x` itself where it has it already.
  Value convert(const Value& x, DType dtype);

  /// `x` repeated to `shape`; dimension i of x becomes dimensions[i].
  Value broadcast_in_dim(const Value& x, const Shape& shape,
                         std::span<const int64_t> dimensions);

  /// `x` broadcast to `shape` by NumPy's rules.
  Value broadcast(const Value& x, const Shape& shape);

  /// The same elements in another shape.
  Value reshape(const Value& x, const Shape& shape);

  /// Dimension i of the result is dimension permutation[i] of `x`.
  Value transpose(const Value& x, std::span<const int64_t> permutation);

  /// Elements start, start + stride, ... below limit, for each dimension.
  Value slice(const Value& x, std::span<const int64_t> starts,
              std::span<const int64_t> limits,
              std::span<const int64_t> strides);

  /// A block of the given sizes from starts that are values.
  Value dynamic_slice(const Value& x, std::span<const Value> starts,
                      std::span<const int64_t> sizes);

  /// `x` with a block replaced by `update`, from starts that are values.
  Value dynamic_update_slice(const Value& x, const Value& update,
                             std::span<const Value> starts);

  /// `x` with `value` around and `interior` elements between its elements.
  Value pad(const Value& x, const Value& value,
            std::span<const EdgePadding> edges,
            std::span<const int64_t> interior);

  /// Joins values along one dimension.
  Value concatenate(std::span<const Value> values, int64_t dimension);

  /// 0, 1, 2, ... along one dimension.
  Value iota(const TensorSpec& spec, int64_t dimension);

  /// `x` with the given dimensions turned round.
  Value reverse(const Value& x, std::span<const int64_t> dimensions);

  /// `x` combined over `axes`, which disappear.
  Value reduce(Combine combine, const Value& x, std::span<const int64_t> axes);

  /// Index (int32) of the first largest (or smallest) element along `axis`.
  Value arg_reduce(bool largest, const Value& x, int64_t axis);

  /// `x` combined over windows that cover all its dimensions.
  Value reduce_window(Combine combine, const Value& x, const Window& window);

  /// Adds each element of `source` at the largest element of its window in x.
  Value select_and_scatter(const Value& x, const Value& source,
                           const Window& window);

  /// A convolution of NHWC `x` with HWIO `filter`.
  Value convolution(const Value& x, const Value& filter, const Window& window,
                    const Shape& result, int64_t feature_groups = 1,
                    int64_t batch_groups = 1);

  /// A general product: batch and contracting dimensions of both sides.
  Value dot_general(const Value& x, const Value& y,
                    std::span<const int64_t> x_batch,
                    std::span<const int64_t> y_batch,
                    std::span<const int64_t> x_contract,
                    std::span<const int64_t> y_contract, DType dtype);

  /// Rows of `x` (along `axis`) at `indices`.
  Value take(const Value& x, const Value& indices, int64_t axis);

  /// Zeros of `shape` with rows of `updates` added (along axis) at `indices`.
  Value scatter_add_rows(const Shape& shape, const Value& indices,
                         const Value& updates, int64_t axis);

  /// Rows of `updates` combined (along axis) at `indices`; those outside are
  /// left out. `sorted` is a promise that the indices rise.
  Value scatter_rows(Combine combine, const Shape& shape, const Value& indices,
                     const Value& updates, bool sorted, int64_t axis = 0);

  /// The discrete Fourier transform of complex x over the last `axes` axes (at
  /// most 3), or its inverse.
  Value fft(const Value& x, bool inverse, int axes);

  /// A call of a registered typed FFI handler.
  std::vector<Value> custom_call(std::string_view target,
                                 std::span<const Value> operands,
                                 std::span<const TensorSpec> results,
                                 std::string_view backend_config);

  /// Combines each value over all replicas in one collective.
  std::vector<Value> all_reduce(Combine combine, std::span<const Value> values,
                                int num_replicas);

  /// This replica's number (uint32 scalar).
  Value replica_id();

  /// Philox bits from a uint64[2 or 3] state: key, counter (lower half first).
  Value random_bits(const Value& state, const TensorSpec& spec);

  /// Builds the values of a region from its arguments.
  using RegionBuilder =
      std::function<std::vector<Value>(std::span<const Value>)>;

  /// The text of a region, for statement().
  std::string region(std::span<const TensorSpec> arguments,
                     const RegionBuilder& build);

  /// A loop: `body` runs while `condition` gives one true value. `trips`, if
  /// known, is said at its place: "scan[trips=50]".
  std::vector<Value> while_loop(std::span<const Value> initial,
                                const RegionBuilder& condition,
                                const RegionBuilder& body, int64_t trips = -1);

  /// The results of one of the branches: of branch `index` (int32), or of the
  /// first where `index` is a true bool. Branches take no arguments.
  std::vector<Value> choose(const Value& index,
                            std::span<const RegionBuilder> branches,
                            std::span<const TensorSpec> results);

  /// Number of statements written so far.
  int64_t statements() const { return statements_; }

 private:
  std::string combine_region(Combine combine, DType dtype);
  Value neutral(Combine combine, DType dtype);
  std::string gather_attributes(const Shape& shape, int index_rank,
                                int64_t axis) const;

  std::string name_;
  int num_replicas_;
  std::string arguments_;
  std::string body_;
  std::string results_;
  std::string place_;
  size_t place_name_end_ = 0;
  int next_id_ = 0;
  int num_arguments_ = 0;
  int64_t statements_ = 0;
};

}  // namespace systolic::internal::stablehlo
