// The sizes of an array's or tensor's axes: a small value without allocation.
//   Shape s{2, 3};  s.rank();  s[-1];  s.elements();  // 2, 3, 6
// A default-made Shape is unset; Shape::scalar() is the shape of one number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>

namespace systolic {

// The most axes that a shape can have.
inline constexpr int kMaxRank = 12;

// An ordered list of axis sizes, or unset. A size of -1 is unknown and occurs
// only in shapes that a user of Keras sees, such as (None, 10).
class Shape {
 public:
  // An unset shape.
  Shape() = default;
  // The given sizes. Throws ShapeError for sizes below -1 or over kMaxRank.
  Shape(std::initializer_list<int64_t> dims)
      : Shape(std::span<const int64_t>(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const int64_t> dims);

  // The shape of a single number, ().
  static Shape scalar() {
    Shape shape;
    shape.rank_ = 0;
    return shape;
  }
  // A shape of `rank` axes of size `fill`.
  static Shape filled(int rank, int64_t fill);

  // True unless default-made.
  bool is_set() const { return rank_ >= 0; }
  // The number of axes; 0 for an unset shape.
  int rank() const { return rank_ < 0 ? 0 : rank_; }
  // The size of axis i; negative counts from the end.
  // Throws: OutOfRangeError where there is no such axis.
  int64_t operator[](int i) const {
    int axis = i < 0 ? i + rank_ : i;
    if (axis < 0 || axis >= rank_) throw_no_axis(i);
    return dims_[static_cast<size_t>(axis)];
  }
  // Sets the size of axis i; negative counts from the end.
  void set(int i, int64_t size);
  // Adds an axis at the end. Throws ShapeError past kMaxRank.
  void push_back(int64_t size);
  // Puts an axis of `size` before axis i (0 ... rank).
  void insert(int i, int64_t size);
  // Takes axis i out; negative counts from the end.
  void erase(int i);

  // The product of the sizes; 1 for a scalar, 0 for an unset shape.
  // Throws: ShapeError where a size is unknown.
  int64_t elements() const {
    int64_t product = rank_ < 0 ? 0 : 1;
    for (int64_t size : *this) {
      if (size < 0) throw_unknown();
      product *= size;
    }
    return product;
  }
  // False where a size is -1, and for an unset shape.
  bool is_known() const;

  const int64_t* data() const { return dims_.data(); }
  const int64_t* begin() const { return dims_.data(); }
  const int64_t* end() const { return dims_.data() + rank(); }
  // The sizes, valid while the shape lives.
  std::span<const int64_t> dims() const { return {begin(), end()}; }

  // Equal where both are unset, or rank and every size agree.
  bool operator==(const Shape& other) const {
    if (rank_ != other.rank_) return false;
    for (int i = 0; i < rank_; ++i) {
      if (dims_[static_cast<size_t>(i)] != other.dims_[static_cast<size_t>(i)])
        return false;
    }
    return true;
  }
  // Equal shapes have equal hashes.
  size_t hash() const;

  // As Python prints the tuple: "(2, 3)", "(3,)", "()", "(None, 10)"; an
  // unset shape gives "<unset>".
  std::string to_string() const;

 private:
  [[noreturn]] void throw_no_axis(int i) const;
  [[noreturn]] void throw_unknown() const;
  int checked_axis(int i) const;

  int rank_ = -1;
  std::array<int64_t, kMaxRank> dims_{};
};

// Prints to_string().
std::ostream& operator<<(std::ostream& out, const Shape& shape);

// The shape that both broadcast to, by NumPy's rules.
// Throws: ShapeError naming `who` where two sizes differ and none is 1.
Shape broadcast(const Shape& a, const Shape& b, const char* who = "broadcast");

}  // namespace systolic
