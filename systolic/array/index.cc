#include "systolic/array/index.h"

#include <algorithm>

#include "systolic/base/message.h"

namespace systolic {
namespace {

using internal::Message;

std::string describe(std::span<const Index> indices) {
  std::string out = "[";
  for (size_t i = 0; i < indices.size(); ++i) {
    if (i > 0) out += ", ";
    out += indices[i].to_string();
  }
  return out + "]";
}

// The number of axes that the ellipsis, or the end of the index, stands for.
int missing_axes(const Shape& shape, std::span<const Index> indices,
                 std::string_view who) {
  int used = 0;
  int ellipses = 0;
  for (const Index& index : indices) {
    if (index.kind() == Index::Kind::ellipsis) {
      ++ellipses;
    } else if (index.kind() != Index::Kind::newaxis) {
      ++used;
    }
  }
  if (ellipses > 1) {
    Message(std::string(who))
        .expected("at most one ellipsis")
        .got(describe(indices))
        .at(indices[0].where())
        .raise<ValueError>();
  }
  if (used > shape.rank()) {
    Message(std::string(who))
        .expected("at most ", shape.rank(), " indices for shape ", shape)
        .got(used, " in ", describe(indices))
        .at(indices[0].where())
        .raise<ValueError>();
  }
  return shape.rank() - used;
}

struct Range {
  int64_t start;
  int64_t count;
  int64_t step;
};

// Python's slice.indices: clips both ends to the axis.
Range resolve_slice(const Index& index, int64_t size, std::string_view who) {
  const Slice& slice = index.slice();
  int64_t step = slice.step.value_or(1);
  if (step == 0) {
    Message(std::string(who))
        .expected("a slice step other than 0")
        .got(index.to_string())
        .at(index.where())
        .raise<ValueError>();
  }
  int64_t lowest = step > 0 ? 0 : -1;
  int64_t highest = step > 0 ? size : size - 1;
  auto clip = [&](int64_t position) {
    if (position < 0) position += size;
    return std::clamp(position, lowest, std::max(lowest, highest));
  };
  int64_t start =
      slice.start ? clip(*slice.start) : (step > 0 ? lowest : highest);
  int64_t stop = slice.stop ? clip(*slice.stop) : (step > 0 ? highest : lowest);
  int64_t count = 0;
  if (step > 0 && start < stop) count = (stop - start - 1) / step + 1;
  if (step < 0 && start > stop) count = (start - stop - 1) / -step + 1;
  return {count == 0 ? 0 : start, count, step};
}

int64_t resolve_position(const Index& index, int axis, const Shape& shape,
                         std::string_view who) {
  const int64_t position = index.position();
  const int64_t size = shape[axis];
  if (position >= -size && position < size) {
    return position < 0 ? position + size : position;
  }
  Message message{std::string(who)};
  if (size == 0) {
    message.rule("axis ", axis, " has no elements to index with ", position);
  } else {
    message
        .expected("an index from ", -size, " to ", size - 1, " for axis ", axis,
                  " of size ", size)
        .got(position);
  }
  message.detail("shape", shape).at(index.where()).raise<OutOfRangeError>();
}

}  // namespace

std::string Index::to_string() const {
  switch (kind_) {
    case Kind::integer:
      return std::to_string(position_);
    case Kind::ellipsis:
      return "...";
    case Kind::newaxis:
      return "None";
    case Kind::slice:
      break;
  }
  std::string out;
  if (slice_.start) out += std::to_string(*slice_.start);
  out += ':';
  if (slice_.stop) out += std::to_string(*slice_.stop);
  if (slice_.step) out += ":" + std::to_string(*slice_.step);
  return out;
}

ResolvedIndices resolve_indices(const Shape& shape,
                                std::span<const Index> indices,
                                std::string_view who) {
  int missing = missing_axes(shape, indices, who);
  ResolvedIndices out;
  out.sliced = Shape::scalar();
  out.result = Shape::scalar();
  auto take = [&](const Range& range) {
    size_t axis = static_cast<size_t>(out.sliced.rank());
    out.starts[axis] = range.start;
    out.steps[axis] = range.step;
    out.sliced.push_back(range.count);
  };
  auto take_whole = [&] {
    for (; missing > 0; --missing) {
      int64_t size = shape[out.sliced.rank()];
      take({0, size, 1});
      out.result.push_back(size);
    }
  };
  for (const Index& index : indices) {
    int axis = out.sliced.rank();
    switch (index.kind()) {
      case Index::Kind::integer:
        take({resolve_position(index, axis, shape, who), 1, 1});
        break;
      case Index::Kind::slice:
        take(resolve_slice(index, shape[axis], who));
        out.result.push_back(out.sliced[axis]);
        break;
      case Index::Kind::ellipsis:
        take_whole();
        break;
      case Index::Kind::newaxis:
        out.result.push_back(1);
        break;
    }
  }
  take_whole();
  return out;
}

}  // namespace systolic
