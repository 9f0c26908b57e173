#include "systolic/ops/rearrange.h"

#include <algorithm>
#include <numeric>

#include "systolic/base/message.h"
#include "systolic/ops/math.h"
#include "systolic/ops/slicing.h"

namespace systolic {

namespace {

// Part [start, stop) along one axis.
Tensor part(const Tensor& x, int axis, int64_t start, int64_t stop,
            const SourceLocation& where) {
  std::vector<Index> index(static_cast<size_t>(x.rank()), Index(all));
  index[static_cast<size_t>(axis)] = Slice(start, stop);
  return slice(Arg(x, where), index);
}

Tensor roll_axis(const Tensor& x, int64_t shift, int axis,
                 const SourceLocation& where) {
  const int64_t size = x.shape()[axis];
  if (size == 0) return x;
  const int64_t cut = ((-shift) % size + size) % size;
  if (cut == 0) return x;
  return concatenate(
      {part(x, axis, cut, size, where), part(x, axis, 0, cut, where)}, axis,
      where);
}

void check_repeats(const char* who, const std::vector<int64_t>& repeats,
                   const SourceLocation& where) {
  for (int64_t count : repeats) {
    if (count >= 0) continue;
    internal::Message(who)
        .expected("repeats of at least 0")
        .got(count)
        .at(where)
        .raise<ValueError>();
  }
}

// One side of an axis padded with its own elements: the last one, or a mirror
// image, which leaves out the edge itself.
Tensor border(const Tensor& x, int axis, std::string_view mode, int64_t before,
              int64_t after, const SourceLocation& where) {
  const int64_t size = x.shape()[axis];
  const int64_t skipped = mode == "reflect" ? 1 : 0;
  const int64_t most = mode == "edge" ? (size > 0 ? INT64_MAX : 0)
                                      : std::max<int64_t>(size - skipped, 0);
  if (std::max(before, after) > most) {
    internal::Message("pad")
        .expected("widths of at most ", most, " in mode \"", mode, "\"")
        .got("(", before, ", ", after, ") for axis ", axis)
        .detail("input", x.spec())
        .at(where)
        .raise<ValueError>();
  }
  const auto side = [&](int64_t width, bool low) {
    if (mode == "edge") {
      Shape shape = x.shape();
      shape.set(axis, width);
      const int64_t at = low ? 0 : size - 1;
      return broadcast_to(part(x, axis, at, at + 1, where), shape);
    }
    const int64_t start = low ? skipped : size - skipped - width;
    return flip(part(x, axis, start, start + width, where), axis);
  };
  std::vector<Tensor> parts;
  if (before > 0) parts.push_back(side(before, true));
  parts.push_back(x);
  if (after > 0) parts.push_back(side(after, false));
  return concatenate(parts, axis, where);
}

Tensor require_blocks(const Arg& x, int64_t block, bool of_channels,
                      const char* who) {
  const Tensor in = x.tensor();
  const bool fits =
      in.rank() == 4 && block >= 1 &&
      (of_channels ? in.shape()[3] % (block * block) == 0
                   : in.shape()[1] % block == 0 && in.shape()[2] % block == 0);
  if (fits) return in;
  internal::Message(who)
      .expected("images (n, h, w, c) and a block size that divides ",
                of_channels ? "c twice" : "h and w")
      .got(in.shape(), " and ", block)
      .at(x.where())
      .raise<ShapeError>();
}

}  // namespace

Tensor ravel(const Arg& x) { return reshape(x, {-1}); }

Tensor moveaxis(const Arg& x, const Axes& source, const Axes& destination) {
  const Tensor in = x.tensor();
  const Axes from = source.resolve_in_order(in.rank(), "moveaxis");
  const Axes to = destination.resolve_in_order(in.rank(), "moveaxis");
  if (from.size() != to.size()) {
    internal::Message("moveaxis")
        .expected("as many destinations as sources")
        .got(source, " and ", destination)
        .at(x.where())
        .raise<ValueError>();
  }
  std::vector<int> order(static_cast<size_t>(in.rank()), -1);
  for (int i = 0; i < from.size(); ++i) {
    order[static_cast<size_t>(to[i])] = from[i];
  }
  int next = 0;
  for (int& axis : order) {
    if (axis >= 0) continue;
    while (from.contains(next)) ++next;
    axis = next++;
  }
  if (std::is_sorted(order.begin(), order.end())) return in;
  return transpose(Arg(in, x.where()), Axes(order));
}

Tensor swapaxes(const Arg& x, int axis1, int axis2) {
  const Tensor in = x.tensor();
  std::vector<int> order(static_cast<size_t>(in.rank()));
  std::iota(order.begin(), order.end(), 0);
  const int first = resolve_axis(axis1, in.rank(), "swapaxes");
  const int second = resolve_axis(axis2, in.rank(), "swapaxes");
  std::swap(order[static_cast<size_t>(first)],
            order[static_cast<size_t>(second)]);
  return transpose(Arg(in, x.where()), Axes(order));
}

Tensor reverse(const Arg& x, const Axes& axis) { return flip(x, axis); }

Tensor rot90(const Arg& x, int k, const Axes& axes) {
  const Tensor in = x.tensor();
  const Axes plane = axes.resolve_in_order(in.rank(), "rot90");
  if (plane.size() != 2) {
    internal::Message("rot90")
        .expected("two axes")
        .got(axes)
        .at(x.where())
        .raise<ValueError>();
  }
  const Arg here(in, x.where());
  switch (((k % 4) + 4) % 4) {
    case 1:
      return swapaxes(flip(here, plane[1]), plane[0], plane[1]);
    case 2:
      return flip(here, {plane[0], plane[1]});
    case 3:
      return flip(swapaxes(here, plane[0], plane[1]), plane[1]);
    default:
      return in;
  }
}

Tensor roll(const Arg& x, int64_t shift, std::optional<int> axis) {
  const Tensor in = x.tensor();
  if (axis) {
    return roll_axis(in, shift, resolve_axis(*axis, in.rank(), "roll"),
                     x.where());
  }
  const Tensor flat = reshape(Arg(in, x.where()), {-1});
  return reshape(roll_axis(flat, shift, 0, x.where()), in.shape());
}

Tensor roll(const Arg& x, const std::vector<int64_t>& shift, const Axes& axis) {
  Tensor result = x.tensor();
  const Axes axes = axis.resolve_in_order(result.rank(), "roll");
  if (axes.size() != static_cast<int>(shift.size())) {
    internal::Message("roll")
        .expected("one shift for each axis")
        .got(shift.size(), " shifts and axes ", axis)
        .at(x.where())
        .raise<ValueError>();
  }
  for (int i = 0; i < axes.size(); ++i) {
    result =
        roll_axis(result, shift[static_cast<size_t>(i)], axes[i], x.where());
  }
  return result;
}

Tensor tile(const Arg& x, const std::vector<int64_t>& repeats) {
  const Tensor in = x.tensor();
  check_repeats("tile", repeats, x.where());
  const int rank = std::max(in.rank(), static_cast<int>(repeats.size()));
  // (1, d) for each axis, repeated to (r, d), and put together.
  Shape split = Shape::scalar(), wide = split, joined = split;
  for (int i = 0; i < rank; ++i) {
    const int own = i - (rank - in.rank());
    const int count = i - (rank - static_cast<int>(repeats.size()));
    const int64_t size = own < 0 ? 1 : in.shape()[own];
    const int64_t times = count < 0 ? 1 : repeats[static_cast<size_t>(count)];
    if (times != 1) {
      split.push_back(1);
      wide.push_back(times);
    }
    split.push_back(size);
    wide.push_back(size);
    joined.push_back(size * times);
  }
  return reshape(broadcast_to(reshape(Arg(in, x.where()), split), wide),
                 joined);
}

Tensor repeat(const Arg& x, int64_t repeats, std::optional<int> axis) {
  check_repeats("repeat", {repeats}, x.where());
  const Tensor in = axis ? x.tensor() : ravel(x);
  const int place = resolve_axis(axis.value_or(0), in.rank(), "repeat");
  Shape wide = in.shape();
  wide.insert(place + 1, repeats);
  Shape joined = in.shape();
  joined.set(place, in.shape()[place] * repeats);
  return reshape(broadcast_to(expand_dims(Arg(in, x.where()), place + 1), wide),
                 joined);
}

Tensor repeat(const Arg& x, const std::vector<int64_t>& repeats,
              std::optional<int> axis) {
  check_repeats("repeat", repeats, x.where());
  const Tensor in = axis ? x.tensor() : ravel(x);
  const int place = resolve_axis(axis.value_or(0), in.rank(), "repeat");
  if (repeats.size() == 1) return repeat(Arg(in, x.where()), repeats[0], place);
  if (in.shape()[place] != static_cast<int64_t>(repeats.size())) {
    internal::Message("repeat")
        .expected("one number for each of ", in.shape()[place],
                  " elements along axis ", place)
        .got(repeats.size())
        .detail("input", in.spec())
        .at(x.where())
        .raise<ShapeError>();
  }
  std::vector<int32_t> places;
  for (size_t i = 0; i < repeats.size(); ++i) {
    places.insert(places.end(), static_cast<size_t>(repeats[i]),
                  static_cast<int32_t>(i));
  }
  return take(Arg(in, x.where()), Array::from(places), {.axis = place});
}

std::vector<Tensor> internal::ops::split_evenly(const Arg& x, int64_t sections,
                                                int axis) {
  const Tensor in = x.tensor();
  const int place = resolve_axis(axis, in.rank(), "split");
  const int64_t size = in.shape()[place];
  if (sections < 1 || size % sections != 0) {
    internal::Message("split")
        .expected("a number of sections that divides ", size)
        .got(sections)
        .detail("input", in.spec())
        .hint("give the positions: split(x, {2, 5})")
        .at(x.where())
        .raise<ValueError>();
  }
  std::vector<int64_t> indices;
  for (int64_t i = 1; i < sections; ++i) indices.push_back(size / sections * i);
  return split(Arg(in, x.where()), indices, place);
}

std::vector<Tensor> split(const Arg& x, const std::vector<int64_t>& indices,
                          int axis) {
  const Tensor in = x.tensor();
  const int place = resolve_axis(axis, in.rank(), "split");
  const int64_t size = in.shape()[place];
  std::vector<int64_t> edges{0};
  for (int64_t index : indices) {
    // As NumPy's slices do.
    edges.push_back(
        std::clamp<int64_t>(index < 0 ? index + size : index, 0, size));
  }
  edges.push_back(size);
  std::vector<Tensor> parts;
  for (size_t i = 0; i + 1 < edges.size(); ++i) {
    parts.push_back(
        part(in, place, edges[i], std::max(edges[i], edges[i + 1]), x.where()));
  }
  return parts;
}

std::vector<Tensor> unstack(const Arg& x, int axis) {
  const Tensor in = x.tensor();
  const int place = resolve_axis(axis, in.rank(), "unstack");
  std::vector<Tensor> slices;
  for (int64_t i = 0; i < in.shape()[place]; ++i) {
    slices.push_back(squeeze(part(in, place, i, i + 1, x.where()), place));
  }
  return slices;
}

Tensor hstack(const std::vector<Tensor>& xs, SourceLocation where) {
  const bool vectors = !xs.empty() && xs[0].rank() < 2;
  return concatenate(xs, vectors ? 0 : 1, where);
}

Tensor vstack(const std::vector<Tensor>& xs, SourceLocation where) {
  std::vector<Tensor> rows;
  for (const Tensor& x : xs) {
    rows.push_back(x.rank() < 2 ? reshape(Arg(x, where), {1, -1}) : x);
  }
  return concatenate(rows, 0, where);
}

Tensor pad(const Arg& x, const PadWidth& pad_width, const PadOptions& options) {
  const std::string& mode = options.mode;
  if (mode == "constant") return pad(x, pad_width, options.constant_values);
  if (mode != "reflect" && mode != "symmetric" && mode != "edge") {
    internal::Message("pad")
        .expected(R"("constant", "edge", "reflect" or "symmetric")")
        .got("\"", mode, "\"")
        .at(x.where())
        .raise<ValueError>();
  }
  Tensor result = x.tensor();
  // Also checks the widths.
  const Shape wanted = pad(Arg(result, x.where()), pad_width, 0).shape();
  for (int i = 0; i < wanted.rank(); ++i) {
    const auto& [before, after] = pad_width[static_cast<size_t>(i)];
    if (before + after == 0) continue;
    result = border(result, i, mode, before, after, x.where());
  }
  return result;
}

Tensor space_to_depth(const Arg& x, int64_t block_size) {
  const Tensor in = require_blocks(x, block_size, false, "space_to_depth");
  const Shape& s = in.shape();
  const int64_t b = block_size;
  const Tensor blocks =
      reshape(Arg(in, x.where()), {s[0], s[1] / b, b, s[2] / b, b, s[3]});
  return reshape(transpose(blocks, {0, 1, 3, 2, 4, 5}),
                 {s[0], s[1] / b, s[2] / b, b * b * s[3]});
}

Tensor depth_to_space(const Arg& x, int64_t block_size) {
  const Tensor in = require_blocks(x, block_size, true, "depth_to_space");
  const Shape& s = in.shape();
  const int64_t b = block_size, depth = s[3] / (b * b);
  const Tensor blocks =
      reshape(Arg(in, x.where()), {s[0], s[1], s[2], b, b, depth});
  return reshape(transpose(blocks, {0, 1, 3, 2, 4, 5}),
                 {s[0], s[1] * b, s[2] * b, depth});
}

}  // namespace systolic
