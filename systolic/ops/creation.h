// Tensors made from numbers: ranges, the identity, diagonals, triangles.
//
//   Tensor x = linspace(0, 1, 5);           // [0. 0.25 0.5 0.75 1.]
//   Tensor upper = triu(ones({3, 3}), 1);
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "systolic/graph/arg.h"

namespace systolic {

namespace internal::ops {
template <class T>
concept Number = (std::integral<T> ||
                  std::floating_point<T>)&&!std::same_as<T, bool>;
/// start, start + step, ... before stop.
Tensor int_range(int64_t start, int64_t stop, int64_t step, DType dtype);
Tensor real_range(double start, double stop, double step, DType dtype);
}  // namespace internal::ops

/// start, start + step, ... before stop: int32 of whole numbers, else float32.
/// Throws ValueError for a step of 0.
template <internal::ops::Number T, internal::ops::Number U>
Tensor arange(T start, U stop,
              std::type_identity_t<std::common_type_t<T, U>> step = 1,
              std::optional<DType> dtype = std::nullopt) {
  if constexpr (std::integral<std::common_type_t<T, U>>) {
    return internal::ops::int_range(
        static_cast<int64_t>(start), static_cast<int64_t>(stop),
        static_cast<int64_t>(step), dtype.value_or(DType::int32));
  } else {
    return internal::ops::real_range(
        static_cast<double>(start), static_cast<double>(stop),
        static_cast<double>(step), dtype.value_or(DType::float32));
  }
}

struct LinspaceOptions {
  /// Whether `stop` is the last number.
  bool endpoint = true;
  std::optional<DType> dtype = std::nullopt;
  /// Where the new axis goes, if start and stop are not scalars.
  int axis = 0;
};
/// `num` numbers from start to stop, at equal distances.
Tensor linspace(const Arg& start, const Arg& stop, int64_t num = 50,
                const LinspaceOptions& options = {});
/// 10 to the powers linspace(start, stop, num).
Tensor logspace(const Arg& start, const Arg& stop, int64_t num = 50,
                const LinspaceOptions& options = {});

/// `value` in the shape of `x`, with its dtype.
Tensor full_like(const Arg& x, const Arg& value);

struct EyeOptions {
  /// Columns; unset: as many as rows.
  std::optional<int64_t> columns = std::nullopt;
  /// The diagonal that is one: above 0 to the right of the main one.
  int64_t k = 0;
  DType dtype = DType::float32;
};
/// Ones on a diagonal, else zeros.
Tensor eye(int64_t rows, const EyeOptions& options = {});
/// The identity matrix.
Tensor identity(int64_t n, DType dtype = DType::float32);
/// Ones at and below a diagonal, else zeros.
Tensor tri(int64_t rows, const EyeOptions& options = {});

/// A vector as the k-th diagonal of a matrix, or the k-th diagonal of a
/// matrix.
Tensor diag(const Arg& x, int64_t k = 0);
/// The flattened `x` as the k-th diagonal of a matrix.
Tensor diagflat(const Arg& x, int64_t k = 0);
struct DiagonalOptions {
  int64_t offset = 0;
  int axis1 = 0;
  int axis2 = 1;
};
/// The diagonals of the matrices over two axes, as a new last axis.
Tensor diagonal(const Arg& x, const DiagonalOptions& options = {});
/// The sums of those diagonals.
Tensor trace(const Arg& x, const DiagonalOptions& options = {});
/// The matrices of the last two axes with zeros above the k-th diagonal.
Tensor tril(const Arg& x, int64_t k = 0);
/// The matrices of the last two axes with zeros below the k-th diagonal.
Tensor triu(const Arg& x, int64_t k = 0);

/// Each vector along an axis of its own, repeated over the others'. Indexing
/// "xy": the first vector along the second axis; "ij": along the first.
std::vector<Tensor> meshgrid(const std::vector<Tensor>& xs,
                             const std::string& indexing = "xy");

}  // namespace systolic
