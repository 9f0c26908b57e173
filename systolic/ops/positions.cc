#include "systolic/ops/positions.h"

#include <optional>

#include "systolic/array/cast.h"
#include "systolic/base/message.h"
#include "systolic/graph/evaluate.h"

namespace systolic::internal::ops {

namespace {

// The place of element `flat` of `shape`, as Python writes a tuple.
Shape place_of(int64_t flat, const Shape& shape) {
  Shape place = Shape::filled(shape.rank(), 0);
  for (int i = shape.rank() - 1; i >= 0; --i) {
    place.set(i, flat % shape[i]);
    flat /= shape[i];
  }
  return place;
}

}  // namespace

void check_positions(std::string_view who, const Tensor& positions,
                     const PositionRange& range, const SourceLocation& where) {
  if (!is_integer(positions.dtype())) return;
  const std::optional<Array> known = graph::known_value(positions);
  if (!known) return;
  const Array wide = cast(*known, DType::int64);
  const auto values = wide.span<int64_t>();
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= range.first && values[i] <= range.last) continue;
    Message message{std::string(who)};
    message.expected(range.what, " in ", range.first, " ... ", range.last);
    if (wide.shape().rank() == 0) {
      message.got(values[i]);
    } else {
      message.got(values[i], " at ",
                  place_of(static_cast<int64_t>(i), wide.shape()));
    }
    message.at(where).raise<OutOfRangeError>();
  }
}

void check_index_vectors(std::string_view who, const Tensor& indices,
                         const Shape& shape, const SourceLocation& where) {
  const std::optional<Array> known = graph::known_value(indices);
  if (!known || known->size() == 0) return;
  const Array wide = cast(*known, DType::int64);
  const auto values = wide.span<int64_t>();
  const auto columns = static_cast<size_t>(wide.shape()[-1]);
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t size = shape[static_cast<int>(i % columns)];
    if (values[i] >= -size && values[i] < size) continue;
    Message(std::string(who))
        .expected("positions in ", -size, " ... ", size - 1, " for axis ",
                  i % columns)
        .got(values[i], " at ", place_of(static_cast<int64_t>(i), wide.shape()))
        .detail("input", shape)
        .at(where)
        .raise<OutOfRangeError>();
  }
}

}  // namespace systolic::internal::ops
