// Tensor: a value in a program, pending or on devices.
//
//   Tensor c = matmul(a, b);          // recorded; shapes are checked here
//   std::cout << c << c.numpy();      // computed when it is looked at
//
// A Tensor is a cheap handle: copies share the value, which never changes.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>

#include "systolic/array/array.h"
#include "systolic/array/index.h"
#include "systolic/base/error.h"
#include "systolic/graph/ref.h"

namespace systolic {

class Tensor {
 public:
  /// No value; only assignment and is_defined() are allowed.
  Tensor() = default;
  ~Tensor() { reset(); }
  Tensor(const Tensor& other);
  Tensor(Tensor&& other) noexcept : ref_(std::move(other.ref_)) {}
  Tensor& operator=(const Tensor& other);
  Tensor& operator=(Tensor&& other) noexcept;

  /// Whether it holds a value.
  bool is_defined() const { return ref_.node != nullptr; }

  /// Dtype and shape.
  const TensorSpec& spec() const;
  const Shape& shape() const { return spec().shape; }
  DType dtype() const { return spec().dtype; }
  int rank() const { return spec().shape.rank(); }

  /// The value on the host; waits for it. Throws ValueError inside a step,
  /// where code runs when it is recorded, and for symbolic Tensors.
  Array numpy(SourceLocation where = SourceLocation::current()) const;

  /// The value of a one-element Tensor as a C++ number. Throws as numpy().
  template <class T>
  T item(SourceLocation where = SourceLocation::current()) const {
    return numpy(where).item<T>();
  }

  /// Full name of the device that holds it.
  std::string device() const;

  /// The part that `indices` name, as NumPy: `x[{1, Slice(0, 3), ellipsis}]`.
  Tensor operator[](Indices indices) const;

  /// The part of the first axis that `index` names.
  Tensor operator[](const Index& index) const;

  /// `Tensor(`, the array, `, shape=(2, 2), dtype=float32)`. Throws as
  /// numpy() inside a step; the values of other symbolic Tensors are left out.
  std::string to_string(SourceLocation where = SourceLocation::current()) const;

  /// For the graph: a handle on an output of a node.
  explicit Tensor(internal::graph::Ref ref);

  /// For the graph: what it refers to.
  const internal::graph::Ref& ref() const { return ref_; }

 private:
  void reset();

  internal::graph::Ref ref_;
};

/// What operator<< takes: a Tensor and the line that prints it.
struct PrintedTensor {
  PrintedTensor(const Tensor& t,
                SourceLocation location = SourceLocation::current())
      : tensor(t), where(location) {}
  const Tensor& tensor;
  SourceLocation where;
};

/// Prints to_string(). Throws as Tensor::numpy.
std::ostream& operator<<(std::ostream& out, const PrintedTensor& printed);

}  // namespace systolic
