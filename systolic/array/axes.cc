#include "systolic/array/axes.h"

#include <algorithm>

#include "systolic/base/message.h"

namespace systolic {

using internal::Message;

Axes::Axes(std::span<const int> axes) {
  if (axes.size() > static_cast<size_t>(kMaxRank)) {
    Message("axis")
        .expected("at most ", kMaxRank, " axes")
        .got(axes.size())
        .raise<ValueError>();
  }
  count_ = static_cast<int>(axes.size());
  std::copy(axes.begin(), axes.end(), axes_.begin());
}

bool Axes::contains(int axis) const {
  return std::find(begin(), end(), axis) != end();
}

Axes Axes::resolve_in_order(int rank, std::string_view who) const {
  Axes out;
  out.count_ = is_set() ? count_ : rank;
  for (int i = 0; i < out.count_; ++i) {
    size_t at = static_cast<size_t>(i);
    out.axes_[at] = is_set() ? resolve_axis(axes_[at], rank, who) : i;
    if (std::find(out.begin(), out.begin() + i, out.axes_[at]) !=
        out.begin() + i) {
      Message(std::string(who))
          .expected("each axis once")
          .got("axis = ", to_string())
          .raise<ValueError>();
    }
  }
  return out;
}

Axes Axes::resolve(int rank, std::string_view who) const {
  Axes out = resolve_in_order(rank, who);
  std::sort(out.axes_.begin(), out.axes_.begin() + out.count_);
  return out;
}

std::string Axes::to_string() const {
  if (!is_set()) return "None";
  if (count_ == 1) return std::to_string(axes_[0]);
  std::string out = "(";
  for (int i = 0; i < count_; ++i) {
    if (i > 0) out += ", ";
    out += std::to_string(axes_[static_cast<size_t>(i)]);
  }
  return out + ")";
}

int resolve_axis(int axis, int rank, std::string_view who) {
  if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
  Message message{std::string(who)};
  if (rank == 0) {
    message.expected("an input with axes, for axis = ", axis).got("a scalar");
  } else {
    message
        .expected("an axis from ", -rank, " to ", rank - 1,
                  " for an input of rank ", rank)
        .got("axis = ", axis);
  }
  message.raise<OutOfRangeError>();
}

Shape reduced_shape(const Shape& shape, const ReduceOptions& options,
                    std::string_view who) {
  Axes axes = options.axis.resolve(shape.rank(), who);
  Shape out = shape.is_set() ? shape : Shape::scalar();
  for (int i = axes.size() - 1; i >= 0; --i) {
    if (options.keepdims) {
      out.set(axes[i], 1);
    } else {
      out.erase(axes[i]);
    }
  }
  return out;
}

}  // namespace systolic
