#include "systolic/array/shape.h"

#include <algorithm>
#include <ostream>

#include "systolic/array/stand_in.h"
#include "systolic/base/message.h"

namespace systolic {
namespace {

using internal::Message;

void check_rank(size_t rank) {
  if (rank <= static_cast<size_t>(kMaxRank)) return;
  Message("Shape")
      .expected("at most ", kMaxRank, " axes")
      .got(rank)
      .raise<ShapeError>();
}

// Counts of elements and bytes are int64.
void check_elements(std::span<const int64_t> dims) {
  constexpr int64_t kMost = int64_t{1} << 58;
  int64_t elements = 1;
  for (const int64_t size : dims) {
    if (size <= 0) continue;
    if (elements <= kMost / size) {
      elements *= size;
      continue;
    }
    std::string text;
    for (const int64_t dim : dims) {
      text += (text.empty() ? "(" : ", ") + std::to_string(dim);
    }
    Message("Shape")
        .expected("at most 2^58 elements")
        .got(text, ")")
        .raise<ShapeError>();
  }
}

void check_size(int64_t size) {
  if (size >= -1) return;
  Message("Shape")
      .expected("sizes of 0 or more, or -1 for unknown")
      .got(size)
      .raise<ShapeError>();
}

}  // namespace

Shape::Shape(std::span<const int64_t> dims) {
  check_rank(dims.size());
  rank_ = static_cast<int>(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    check_size(dims[i]);
    dims_[i] = dims[i];
  }
  check_elements(dims);
}

Shape Shape::filled(int rank, int64_t fill) {
  Shape shape = scalar();
  for (int i = 0; i < rank; ++i) shape.push_back(fill);
  return shape;
}

int Shape::checked_axis(int i) const {
  int axis = i < 0 ? i + rank() : i;
  if (axis < 0 || axis >= rank()) throw_no_axis(i);
  return axis;
}

void Shape::set(int i, int64_t size) {
  check_size(size);
  dims_[static_cast<size_t>(checked_axis(i))] = size;
}

void Shape::push_back(int64_t size) { insert(rank(), size); }

void Shape::insert(int i, int64_t size) {
  check_rank(static_cast<size_t>(rank()) + 1);
  check_size(size);
  if (i < 0 || i > rank()) throw_no_axis(i);
  rank_ = rank() + 1;
  auto at = dims_.begin() + i;
  std::copy_backward(at, dims_.begin() + rank_ - 1, dims_.begin() + rank_);
  *at = size;
}

void Shape::erase(int i) {
  auto at = dims_.begin() + checked_axis(i);
  std::copy(at + 1, dims_.begin() + rank_, at);
  --rank_;
}

bool Shape::is_known() const {
  return is_set() &&
         std::all_of(begin(), end(), [](int64_t size) { return size >= 0; });
}

size_t Shape::hash() const {
  size_t value = static_cast<size_t>(rank_ + 1);
  for (int64_t size : *this) {
    value = (value ^ static_cast<size_t>(size)) * 0x9e3779b97f4a7c15u;
    value ^= value >> 29;
  }
  return value;
}

std::string Shape::to_string() const {
  if (!is_set()) return "<unset>";
  std::string out = "(";
  for (int i = 0; i < rank_; ++i) {
    int64_t size = dims_[static_cast<size_t>(i)];
    if (i > 0) out += ", ";
    out +=
        size < 0 || internal::is_stand_in(size) ? "None" : std::to_string(size);
  }
  out += rank_ == 1 ? ",)" : ")";
  return out;
}

void Shape::throw_no_axis(int i) const {
  Message message("Shape");
  if (rank() == 0) {
    message.rule("there is no axis ", i, " in ", *this);
  } else {
    message.expected("an axis from ", -rank(), " to ", rank() - 1).got(i);
    message.detail("shape", *this);
  }
  message.raise<OutOfRangeError>();
}

void Shape::throw_unknown() const {
  Message("Shape")
      .expected("known sizes")
      .got(*this)
      .hint("the number of elements is not known before the data is there")
      .raise<ShapeError>();
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << shape.to_string();
}

Shape broadcast(const Shape& a, const Shape& b, const char* who) {
  if (a == b) return a;
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape out = longer;
  int offset = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    int64_t x = longer[i + offset];
    int64_t y = shorter[i];
    if (x == y || y == 1) continue;
    // An unknown size takes the other's, which it must be equal to.
    if (x != 1 && x != -1 && y != -1) {
      Message(who)
          .expected("shapes that broadcast")
          .got(a, " and ", b)
          .hint("axis ", i - shorter.rank(), " has sizes ",
                a[i - shorter.rank()], " and ", b[i - shorter.rank()],
                "; they must be equal, or one of them 1")
          .raise<ShapeError>();
    }
    if (x == 1 || x == -1) out.set(i + offset, y);
  }
  return out;
}

}  // namespace systolic
