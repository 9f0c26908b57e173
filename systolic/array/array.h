// A host value: elements of one type in row-major order, cheap to copy.
//   Array a = Array::from({1.f, 2.f, 3.f, 4.f}, {2, 2});
//   float f = a[{0, 1}].item<float>();
// Copies share the elements, which are treated as immutable.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/array/dtype.h"
#include "systolic/array/index.h"
#include "systolic/array/shape.h"
#include "systolic/array/spec.h"

namespace systolic {

// An n-dimensional host array. Reading is safe from any number of threads.
class Array {
 public:
  // An array that holds nothing yet; only is_set and assignment make sense.
  Array() = default;
  // Copies share the elements.
  Array(const Array&) = default;
  Array& operator=(const Array&) = default;
  // The other array holds nothing any more.
  Array(Array&& other) noexcept { *this = std::move(other); }
  Array& operator=(Array&& other) noexcept;
  ~Array() = default;

  // A copy of the elements, row-major; without a shape, one axis.
  // Throws: ShapeError where their number does not fit the shape.
  template <ArrayElement T>
  static Array from(const std::vector<T>& values, const Shape& shape = {}) {
    if constexpr (std::is_same_v<T, bool>) {
      return from_bools(values, shape);
    } else {
      return copy(dtype_of<T>, values.data(), values.size(), shape);
    }
  }
  template <ArrayElement T, size_t N>
  static Array from(std::span<T, N> values, const Shape& shape = {}) {
    return copy(dtype_of<T>, values.data(), values.size(), shape);
  }
  template <ArrayElement T>
  static Array from(std::initializer_list<T> values, const Shape& shape = {}) {
    return copy(dtype_of<T>, values.begin(), values.size(), shape);
  }
  // Borrows the elements: no copy, and they must outlive every use.
  template <ArrayElement T, size_t N>
  requires(!std::is_same_v<std::remove_cv_t<T>, std::string>) static Array
      view(std::span<T, N> values, const Shape& shape = {}) {
    return wrap(dtype_of<T>, values.data(), values.size(), shape);
  }
  // One element without axes.
  template <ArrayElement T>
  static Array scalar(const T& value) {
    return copy(dtype_of<T>, &value, 1, Shape::scalar());
  }
  static Array scalar(const char* text) { return scalar(std::string(text)); }
  // Strings, of which only host arrays are made.
  static Array from_strings(std::vector<std::string> values,
                            const Shape& shape = {});
  // A copy of raw elements in the host's byte order.
  // Throws: ShapeError where the size in bytes does not fit.
  static Array from_bytes(const TensorSpec& spec,
                          std::span<const std::byte> bytes);
  // Elements that `owner` keeps alive; no copy. `data` is row-major.
  static Array share(const TensorSpec& spec, const void* data,
                     std::shared_ptr<const void> owner);
  // Elements with any value, to be written through mutable_data.
  static Array uninitialized(const TensorSpec& spec);
  static Array zeros(const Shape& shape, DType dtype = DType::float32);
  static Array ones(const Shape& shape, DType dtype = DType::float32);
  static Array full(const Shape& shape, double value,
                    DType dtype = DType::float32);

  // False for a default-made array.
  bool is_set() const { return spec_.shape.is_set(); }
  const TensorSpec& spec() const { return spec_; }
  const Shape& shape() const { return spec_.shape; }
  DType dtype() const { return spec_.dtype; }
  int rank() const { return spec_.shape.rank(); }
  // The number of elements.
  int64_t size() const { return size_; }
  size_t nbytes() const { return static_cast<size_t>(size_) * width_; }

  // The elements, row-major without gaps. Memory that the library allocates
  // starts at a multiple of 64 bytes.
  const std::byte* data() const { return data_; }
  // The elements for writing: first makes this array their only owner.
  std::byte* mutable_data();
  // Whether mutable_data() gives the elements themselves, since no other array
  // has them.
  bool is_sole_owner() const { return writable_ && owner_.use_count() == 1; }
  // Keeps the elements alive; null for a view.
  const std::shared_ptr<const void>& owner() const { return owner_; }

  // The elements as T. Throws TypeError where T is not the dtype.
  template <ArrayElement T>
  std::span<const T> span() const {
    if (dtype_of<T> != dtype()) throw_dtype(dtype_of<T>);
    return {reinterpret_cast<const T*>(data_), static_cast<size_t>(size_)};
  }
  template <ArrayElement T>
  std::span<T> mutable_span() {
    if (dtype_of<T> != dtype()) throw_dtype(dtype_of<T>);
    return {reinterpret_cast<T*>(mutable_data()), static_cast<size_t>(size_)};
  }
  // The only element, converted to T, towards zero where T is an integer;
  // std::string for strings.
  // Throws: ValueError unless there is exactly one element, and where an
  // integer T has no such number; TypeError for a complex element as a real
  // number.
  template <ArrayElement T>
  T item() const {
    if constexpr (std::is_same_v<T, std::string>) {
      return item_string();
    } else if constexpr (std::is_same_v<T, bool>) {
      return item_double() != 0;
    } else if constexpr (std::is_integral_v<T>) {
      using Limits = std::numeric_limits<T>;
      return static_cast<T>(
          item_integer(dtype_of<T>, Limits::min(), Limits::max()));
    } else if constexpr (is_complex(dtype_of<T>)) {
      return static_cast<T>(item_complex());
    } else {
      return static_cast<T>(item_double());
    }
  }

  // This array: code that takes a Tensor's numpy() works with an Array too.
  const Array& numpy() const { return *this; }
  // The part that the index names; shares the elements where they are
  // adjacent, else copies. Throws as resolve_indices.
  Array slice(Indices indices) const {
    return slice(std::span<const Index>(indices.begin(), indices.size()));
  }
  Array slice(std::span<const Index> indices) const;
  Array operator[](Indices indices) const { return slice(indices); }
  Array operator[](const Index& index) const {
    return slice(std::span<const Index>(&index, 1));
  }
  // The same elements in another shape, shared; one size may be -1.
  // Throws: ShapeError where the number of elements differs.
  Array reshaped(const Shape& shape) const;

  // As NumPy's str(): "[[1. 2.]\n [3. 4.]]".
  std::string to_string() const;
  // As NumPy's repr(): "array([1., 2.], dtype=float32)".
  std::string repr() const;

 private:
  static Array copy(DType dtype, const void* values, size_t count,
                    const Shape& shape);
  static Array wrap(DType dtype, const void* values, size_t count,
                    const Shape& shape);
  static Array from_bools(const std::vector<bool>& values, const Shape& shape);
  [[noreturn]] void throw_dtype(DType wanted) const;
  void require_one() const;
  void require_real_item() const;
  double item_double() const;
  std::complex<double> item_complex() const;
  int64_t item_integer(DType wanted, int64_t least, uint64_t most) const;
  const std::string& item_string() const;

  TensorSpec spec_;
  int64_t size_ = 0;
  size_t width_ = 4;
  const std::byte* data_ = nullptr;
  std::shared_ptr<const void> owner_;
  bool writable_ = false;  // the owner is memory that we allocated
};

inline Array& Array::operator=(Array&& other) noexcept {
  spec_ = std::exchange(other.spec_, TensorSpec());
  size_ = std::exchange(other.size_, 0);
  width_ = other.width_;
  data_ = std::exchange(other.data_, nullptr);
  owner_ = std::move(other.owner_);
  writable_ = std::exchange(other.writable_, false);
  return *this;
}

// Prints to_string().
std::ostream& operator<<(std::ostream& out, const Array& array);

}  // namespace systolic
