#include "systolic/layers/input_spec.h"

#include "systolic/base/message.h"

namespace systolic::layers {

using internal::Message;

namespace {

// "rank 4", "rank >= 2" where the shape has another; else empty.
std::string wanted_rank(const InputSpec& spec, int rank) {
  if (spec.rank >= 0 && rank != spec.rank) {
    return "rank " + std::to_string(spec.rank);
  }
  if (spec.min_rank >= 0 && rank < spec.min_rank) {
    return "rank >= " + std::to_string(spec.min_rank);
  }
  if (spec.max_rank >= 0 && rank > spec.max_rank) {
    return "rank <= " + std::to_string(spec.max_rank);
  }
  return {};
}

}  // namespace

void check_input(const InputSpec& spec, const Shape& shape,
                 const std::string& who, const std::string& shown,
                 const SourceLocation& where) {
  const std::string rank = wanted_rank(spec, shape.rank());
  if (!rank.empty()) {
    Message message(who);
    message.expected("input ", rank)
        .got("rank ", shape.rank())
        .detail("input", shown);
    if (!spec.hint.empty()) message.hint(spec.hint);
    message.at(where).raise<ShapeError>();
  }
  for (const auto& [axis, size] : spec.axes) {
    const bool there = axis < 0 ? -axis <= shape.rank() : axis < shape.rank();
    if (there && (size < 0 || shape[axis] < 0 || shape[axis] == size)) continue;
    Message message(who);
    message.expected("axis ", axis, " of input shape to have value ", size)
        .got(there ? std::to_string(shape[axis]) : "no such axis")
        .detail("input", shown);
    if (spec.built_for.is_set()) {
      message.detail("built for", spec.built_for)
          .hint(
              "a layer keeps the shape that it was first called with: make "
              "another layer for other inputs");
    }
    message.at(where).raise<ShapeError>();
  }
}

}  // namespace systolic::layers
