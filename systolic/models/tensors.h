// Tensors: the inputs or results of a layer or model: one Tensor, or several
// in order, with names where they have some.
//
//   models::Tensors pair{a, b};
//   models::Tensors named({{"image", a}, {"text", b}});
//   named["text"];  pair[0];  Tensor only = models::Tensors(a);
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/graph/arg.h"
#include "systolic/graph/tensor.h"
#include "systolic/graph/variable.h"

namespace systolic::models {

/// One Tensor, or several with or without names.
class Tensors {
 public:
  /// A name and its Tensor.
  using Entry = std::pair<std::string, Tensor>;

  /// None.
  Tensors() = default;
  /// One; none where it is undefined.
  Tensors(Tensor tensor);  // NOLINT: conversions are the point.
  /// The value of a Variable.
  Tensors(const Variable& variable)  // NOLINT
      : Tensors(variable.value()) {}
  /// Several, in order.
  Tensors(std::vector<Tensor> tensors)  // NOLINT
      : tensors_(std::move(tensors)) {}
  /// Several, in order.
  Tensors(std::initializer_list<Tensor> tensors) : tensors_(tensors) {}
  /// Several with names. Throws ValueError for a name that occurs twice.
  Tensors(std::initializer_list<Entry> entries)
      : Tensors(std::vector<Entry>(entries)) {}
  /// The same from a vector.
  explicit Tensors(const std::vector<Entry>& entries);

  /// Whether there is any.
  bool is_defined() const { return !tensors_.empty(); }
  /// How many there are.
  size_t size() const { return tensors_.size(); }
  /// All, in order.
  const std::vector<Tensor>& all() const { return tensors_; }
  auto begin() const { return tensors_.begin(); }
  auto end() const { return tensors_.end(); }
  /// Their names; empty where they have none.
  const std::vector<std::string>& names() const { return names_; }

  /// The only one; undefined where there is none. Throws ValueError for
  /// several.
  const Tensor& single() const;
  operator const Tensor&() const { return single(); }  // NOLINT
  operator Arg() const { return single(); }            // NOLINT: for ops
  /// The one at a place. Throws OutOfRangeError that says how many there are.
  const Tensor& operator[](size_t index) const;
  /// The one of a name. Throws NotFoundError that lists the names.
  const Tensor& operator[](std::string_view name) const;

  /// Others in the place of these, under the same names.
  Tensors like(std::vector<Tensor> tensors) const;

 private:
  std::vector<Tensor> tensors_;
  std::vector<std::string> names_;
};

}  // namespace systolic::models
