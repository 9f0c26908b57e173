#include "systolic/ops/slicing.h"

#include "systolic/base/message.h"
#include "systolic/graph/op.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/positions.h"

namespace systolic {

using namespace internal::graph;
namespace stablehlo = internal::stablehlo;

namespace {

// A block of `sizes` elements, `steps` apart (steps > 0), from starts that
// are the inputs after the first.
struct SliceOptions {
  std::vector<int64_t> sizes, steps;
  template <class V>
  void visit(V&& v) const {
    v("sizes", sizes);
    v("steps", steps);
  }
};

Tensor scatter_slice(const Tensor& gradient, const std::vector<Tensor>& starts,
                     const SliceOptions& options, const Shape& shape);

Values lower_slice(Lower& l, const SliceOptions& o) {
  const size_t rank = o.sizes.size();
  std::vector<int64_t> starts(rank);
  bool literal = true;
  for (size_t i = 0; i < rank; ++i) {
    literal &= l.is_literal(static_cast<int>(i) + 1, starts[i]);
  }
  std::vector<int64_t> spans(rank), zeros(rank, 0);
  for (size_t i = 0; i < rank; ++i) {
    spans[i] = o.sizes[i] == 0 ? 0 : (o.sizes[i] - 1) * o.steps[i] + 1;
  }
  if (literal) {
    std::vector<int64_t> limits(rank);
    for (size_t i = 0; i < rank; ++i) limits[i] = starts[i] + spans[i];
    return {l.e.slice(l[0], starts, limits, o.steps)};
  }
  const auto block = l.e.dynamic_slice(l[0], l.inputs().subspan(1), spans);
  return {l.e.slice(block, zeros, spans, o.steps)};
}

Grads slice_gradient(Vjp& v, const SliceOptions& o) {
  std::vector<Tensor> starts;
  for (int i = 1; i < v.num_inputs(); ++i) starts.push_back(v.input(i));
  Grads grads(v.num_inputs());
  grads[0] = scatter_slice(v.gradient(), starts, o, v.input_spec(0).shape);
  return grads;
}

constexpr Op<SliceOptions> kSlice{
    .name = "slice",
    .infer =
        [](Infer& in, const SliceOptions& o) {
          return Specs(TensorSpec{in.dtype(0),
                                  Shape(std::span<const int64_t>(o.sizes))});
        },
    .lower = lower_slice,
    .vjp = slice_gradient,
    .residuals = {~1u, 0}};

struct ScatterSliceOptions {
  std::vector<int64_t> steps;
  Shape shape;
  template <class V>
  void visit(V&& v) const {
    v("steps", steps);
    v("shape", shape);
  }
};

// The gradient of slice: zeros with the block put in its place.
constexpr Op<ScatterSliceOptions> kScatterSlice{
    .name = "scatter_slice",
    .infer =
        [](Infer& in, const ScatterSliceOptions& o) {
          return Specs(TensorSpec{in.dtype(0), o.shape});
        },
    .lower =
        [](Lower& l, const ScatterSliceOptions& o) {
          const TensorSpec scalar{l.result().dtype, Shape::scalar()};
          const auto zero = l.e.splat(scalar, 0);
          const int rank = o.shape.rank();
          std::vector<int64_t> starts(rank), interior(rank);
          std::vector<stablehlo::EdgePadding> edges(rank);
          bool literal = true;
          for (int i = 0; i < rank; ++i) {
            literal &= l.is_literal(i + 1, starts[i]);
            interior[i] = o.steps[i] - 1;
          }
          if (literal) {
            for (int i = 0; i < rank; ++i) {
              const int64_t size = l[0].spec.shape[i];
              const int64_t span = size == 0 ? 0 : (size - 1) * o.steps[i] + 1;
              edges[i] = {starts[i], o.shape[i] - starts[i] - span};
            }
            return Values{l.e.pad(l[0], zero, edges, interior)};
          }
          const auto spread = l.e.pad(l[0], zero, edges, interior);
          return Values{l.e.dynamic_update_slice(
              l.e.splat(l.result(), 0), spread, l.inputs().subspan(1))};
        },
    .vjp =
        [](Vjp& v, const ScatterSliceOptions& o) {
          std::vector<Ref> inputs{v.gradient().ref()};
          SliceOptions options;
          options.steps = o.steps;
          for (int64_t size : v.input_spec(0).shape)
            options.sizes.push_back(size);
          for (int i = 1; i < v.num_inputs(); ++i) {
            inputs.push_back(v.input(i).ref());
          }
          Grads grads(v.num_inputs());
          grads[0] = record_all<kSlice>(std::move(inputs), std::move(options),
                                        SourceLocation::current())[0];
          return grads;
        },
    .residuals = {~1u, 0}};

Tensor scatter_slice(const Tensor& gradient, const std::vector<Tensor>& starts,
                     const SliceOptions& options, const Shape& shape) {
  std::vector<Ref> inputs{gradient.ref()};
  for (const Tensor& start : starts) inputs.push_back(start.ref());
  return record_all<kScatterSlice>(std::move(inputs),
                                   ScatterSliceOptions{options.steps, shape},
                                   SourceLocation::current())[0];
}

// The inputs are x, the block that goes into it, and the starts.
Grads update_slice_gradient(Vjp& v, const NoOptions&);

constexpr Op<> kUpdateSlice{
    .name = "update_slice",
    .infer =
        [](Infer& in, const NoOptions&) {
          if (in.dtype(0) != in.dtype(1)) {
            in.error()
                .expected("a block of dtype ", in.dtype(0))
                .got(in.dtype(1))
                .raise<TypeError>();
          }
          return Specs(in[0]);
        },
    .lower =
        [](Lower& l, const NoOptions&) {
          return Values{
              l.e.dynamic_update_slice(l[0], l[1], l.inputs().subspan(2))};
        },
    .vjp = update_slice_gradient,
    .residuals = {~3u, 0}};

Grads update_slice_gradient(Vjp& v, const NoOptions&) {
  const Tensor gradient = v.gradient();
  const Shape& block = v.input_spec(1).shape;
  std::vector<Ref> starts;
  for (int i = 2; i < v.num_inputs(); ++i) starts.push_back(v.input(i).ref());
  Grads grads(v.num_inputs());
  if (v.needs(0)) {
    const Tensor nothing = zeros(block, gradient.dtype());
    std::vector<Ref> inputs{gradient.ref(), nothing.ref()};
    inputs.insert(inputs.end(), starts.begin(), starts.end());
    grads[0] = record_all<kUpdateSlice>(std::move(inputs), {},
                                        SourceLocation::current())[0];
  }
  if (v.needs(1)) {
    SliceOptions options;
    options.sizes.assign(block.begin(), block.end());
    options.steps.assign(options.sizes.size(), 1);
    std::vector<Ref> inputs{gradient.ref()};
    inputs.insert(inputs.end(), starts.begin(), starts.end());
    grads[1] = record_all<kSlice>(std::move(inputs), std::move(options),
                                  SourceLocation::current())[0];
  }
  return grads;
}

constexpr const OpDef* kCatalog[] = {&kDefinition<kSlice>,
                                     &kDefinition<kScatterSlice>,
                                     &kDefinition<kUpdateSlice>};

}  // namespace

std::span<const OpDef* const> internal::ops::slicing_catalog() {
  return kCatalog;
}

Tensor slice(const Arg& x, std::span<const Index> indices) {
  const Tensor in = x.tensor();
  const ResolvedIndices where = resolve_indices(in.shape(), indices, "slice");
  SliceOptions options;
  std::vector<Ref> inputs{in.ref()};
  std::vector<int> flipped;
  for (int i = 0; i < in.rank(); ++i) {
    int64_t start = where.starts[i], step = where.steps[i];
    const int64_t size = where.sliced[i];
    if (step < 0) {
      // Taken forwards from its last element, then turned round.
      start += (size - 1) * step;
      step = -step;
      flipped.push_back(i);
    }
    if (size == 0) start = 0;
    options.sizes.push_back(size);
    options.steps.push_back(step);
    inputs.push_back({make_literal(DType::int32, start), 0});
  }
  Tensor out = in;
  if (where.sliced != in.shape() || !flipped.empty()) {
    out =
        record_all<kSlice>(std::move(inputs), std::move(options), x.where())[0];
  }
  if (!flipped.empty()) out = flip(Arg(out, x.where()), Axes(flipped));
  return reshape(Arg(out, x.where()), where.result);
}

Tensor slice(const Arg& x, Indices indices) {
  return slice(x, std::span<const Index>(indices.begin(), indices.size()));
}

Tensor Tensor::operator[](Indices indices) const {
  const auto where =
      indices.size() == 0 ? SourceLocation() : indices.begin()->where();
  return slice(Arg(*this, where), indices);
}

Tensor Tensor::operator[](const Index& index) const {
  return slice(Arg(*this, index.where()), std::span<const Index>(&index, 1));
}

namespace {

// The starts of a block, one int32 scalar for each axis.
std::vector<Ref> block_starts(const char* who, const Tensor& x,
                              std::span<const Arg> starts, const Shape& block,
                              const SourceLocation& where) {
  bool fits =
      block.rank() == x.rank() && static_cast<int>(starts.size()) == x.rank();
  for (int i = 0; fits && i < x.rank(); ++i) {
    fits = block[i] >= 0 && block[i] <= x.shape()[i];
  }
  if (!fits) {
    internal::Message(who)
        .expected("a start for each axis and a block that fits into the input")
        .got(starts.size(), " starts and a block of shape ", block)
        .detail("input", x.spec())
        .at(where)
        .raise<ShapeError>();
  }
  std::vector<Ref> refs;
  for (int i = 0; i < x.rank(); ++i) {
    const Arg& start = starts[static_cast<size_t>(i)];
    const bool is_number =
        start.is_scalar() || start.tensor().shape().elements() == 1;
    if (!is_integer(start.dtype()) || !is_number) {
      internal::Message(who)
          .expected("an integer scalar as start of axis ", i)
          .got(start.tensor().spec())
          .at(where)
          .raise<TypeError>();
    }
    internal::ops::check_positions(
        who, start.tensor(), {0, x.shape()[i] - block[i], "starts"}, where);
    refs.push_back(reshape(cast(start, DType::int32), Shape::scalar()).ref());
  }
  return refs;
}

// The elements of a vector of starts.
std::vector<Tensor> each_start(const char* who, const Arg& starts) {
  const Tensor all = starts.tensor();
  if (all.rank() != 1) {
    internal::Message(who)
        .expected("starts as a vector, one for each axis")
        .got(all.spec())
        .at(starts.where())
        .raise<ShapeError>();
  }
  std::vector<Tensor> each;
  for (int64_t i = 0; i < all.shape()[0]; ++i) each.push_back(all[i]);
  return each;
}

Tensor block_of(const Tensor& x, std::vector<Ref> starts, const Shape& shape,
                const SourceLocation& where) {
  SliceOptions options;
  options.sizes.assign(shape.begin(), shape.end());
  options.steps.assign(options.sizes.size(), 1);
  starts.insert(starts.begin(), x.ref());
  return record_all<kSlice>(std::move(starts), std::move(options), where)[0];
}

Tensor with_block(const Tensor& x, const Arg& updates, std::vector<Ref> starts,
                  const SourceLocation& where) {
  const Tensor block = updates.tensor(x.dtype());
  starts.insert(starts.begin(), {x.ref(), block.ref()});
  return record_all<kUpdateSlice>(std::move(starts), {}, where)[0];
}

}  // namespace

Tensor slice(const Arg& x, std::initializer_list<Arg> start_indices,
             const Shape& shape) {
  const Tensor in = x.tensor();
  const std::span<const Arg> starts(start_indices.begin(),
                                    start_indices.size());
  return block_of(in, block_starts("slice", in, starts, shape, x.where()),
                  shape, x.where());
}

Tensor slice(const Arg& x, const Arg& start_indices, const Shape& shape) {
  const Tensor in = x.tensor();
  const std::vector<Tensor> each = each_start("slice", start_indices);
  const std::vector<Arg> starts(each.begin(), each.end());
  return block_of(in, block_starts("slice", in, starts, shape, x.where()),
                  shape, x.where());
}

Tensor slice_update(const Arg& inputs, std::initializer_list<Arg> start_indices,
                    const Arg& updates) {
  const Tensor in = inputs.tensor();
  const std::span<const Arg> starts(start_indices.begin(),
                                    start_indices.size());
  return with_block(in, updates,
                    block_starts("slice_update", in, starts,
                                 updates.tensor().shape(), inputs.where()),
                    inputs.where());
}

Tensor slice_update(const Arg& inputs, const Arg& start_indices,
                    const Arg& updates) {
  const Tensor in = inputs.tensor();
  const std::vector<Tensor> each = each_start("slice_update", start_indices);
  const std::vector<Arg> starts(each.begin(), each.end());
  return with_block(in, updates,
                    block_starts("slice_update", in, starts,
                                 updates.tensor().shape(), inputs.where()),
                    inputs.where());
}

Tensor dynamic_index(const Arg& x, const Arg& start) {
  const Tensor in = x.tensor();
  if (in.rank() == 0) {
    internal::Message("dynamic_index")
        .expected("an input with a first axis")
        .got("a scalar")
        .at(x.where())
        .raise<ShapeError>();
  }
  if (is_floating(start.dtype())) {
    internal::Message("dynamic_index")
        .expected("an integer position")
        .got(start.dtype())
        .at(x.where())
        .raise<TypeError>();
  }
  internal::ops::check_positions("dynamic_index", start.tensor(),
                                 {0, in.shape()[0] - 1}, x.where());
  SliceOptions options;
  std::vector<Ref> inputs{in.ref(), cast(start, DType::int32).ref()};
  Shape rest = Shape::scalar();
  for (int i = 0; i < in.rank(); ++i) {
    options.sizes.push_back(i == 0 ? 1 : in.shape()[i]);
    options.steps.push_back(1);
    if (i > 0) {
      inputs.push_back({make_literal(DType::int32, int64_t{0}), 0});
      rest.push_back(in.shape()[i]);
    }
  }
  const Tensor row =
      record_all<kSlice>(std::move(inputs), std::move(options), x.where())[0];
  return reshape(Arg(row, x.where()), rest);
}

Tensor dynamic_update(const Arg& x, const Arg& start, const Arg& row) {
  const Tensor in = x.tensor(), part = row.tensor(in.dtype());
  Shape block{1};
  for (int64_t size : part.shape()) block.push_back(size);
  Shape wanted = in.shape();
  if (wanted.rank() > 0) wanted.set(0, 1);
  if (in.rank() == 0 || block != wanted) {
    internal::Message("dynamic_update")
        .expected("a row as x has them along its first axis")
        .got(part.shape())
        .detail("x", in.spec())
        .detail("row", part.spec())
        .at(row.where())
        .raise<ShapeError>();
  }
  std::vector<Ref> inputs{in.ref(), reshape(part, block).ref(),
                          cast(start, DType::int32).ref()};
  for (int i = 1; i < in.rank(); ++i) {
    inputs.push_back({make_literal(DType::int32, int64_t{0}), 0});
  }
  return record_all<kUpdateSlice>(std::move(inputs), {}, x.where())[0];
}

}  // namespace systolic
