// Sizes: what sizes of a recorded program stand for, so that it can be
// recorded again for others: a functional model for a batch.
//   Sizes sizes({{kStandInBatch, 32}});
//   sizes.actual(2 * kStandInBatch);   // 64
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/array/spec.h"

namespace systolic::internal::graph {

/// Stand-ins and the sizes that they stand for.
class Sizes {
 public:
  Sizes() = default;
  explicit Sizes(std::vector<std::pair<int64_t, int64_t>> pairs)
      : pairs_(std::move(pairs)) {}

  /// A size with each stand-in among its factors replaced.
  int64_t actual(int64_t size) const {
    if (size <= 0) return size;
    int64_t times = 1;
    for (const auto& [stand_in, number] : pairs_) {
      while (size % stand_in == 0) {
        size /= stand_in;
        times *= number;
      }
    }
    return size * times;
  }
  /// The same for each size of a shape.
  Shape actual(const Shape& shape) const {
    Shape out = shape;
    for (int i = 0; i < shape.rank(); ++i) out.set(i, actual(shape[i]));
    return out;
  }

 private:
  std::vector<std::pair<int64_t, int64_t>> pairs_;
};

/// Visits an options struct (`copy.visit(writer)`) that is not const and puts
/// the actual sizes into it.
class SizeWriter {
 public:
  explicit SizeWriter(const Sizes& sizes) : sizes_(sizes) {}

  template <class T>
  void operator()(std::string_view /*name*/, const T& value) const {
    // visit() is const, what it visits is not.
    write(const_cast<T&>(value));
  }

 private:
  template <class T>
  void write(T& value) const {
    if constexpr (std::same_as<T, int64_t>) value = sizes_.actual(value);
  }
  void write(Shape& shape) const { shape = sizes_.actual(shape); }
  void write(TensorSpec& spec) const { spec.shape = sizes_.actual(spec.shape); }
  template <class T>
  void write(std::vector<T>& values) const {
    for (T& value : values) write(value);
  }
  template <class T>
  void write(std::optional<T>& value) const {
    if (value) write(*value);
  }

  const Sizes& sizes_;
};

}  // namespace systolic::internal::graph
