#include "systolic/layers/merging/merge.h"

#include <algorithm>

#include "systolic/layers/options.h"
#include "systolic/losses/weighting.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"

namespace systolic::layers {

namespace {

using Inputs = std::vector<Tensor>;
using Shapes = std::vector<Shape>;

// An input of a lower rank, with axes of size 1 behind its batch.
Shape of_rank(Shape shape, int rank) {
  while (shape.rank() < rank) shape.insert(std::min(1, shape.rank()), 1);
  return shape;
}

int largest_rank(const Shapes& shapes) {
  int rank = 0;
  for (const Shape& shape : shapes) rank = std::max(rank, shape.rank());
  return rank;
}

bool is_undefined(const Tensor& x) { return !x.is_defined(); }

// What all merges say of inputs that do not fit.
internal::Message add_shapes(internal::Message message, const Shapes& shapes) {
  for (size_t i = 0; i < shapes.size(); ++i) {
    message.detail("input " + std::to_string(i), shapes[i]);
  }
  return message;
}

class MergeBase : public LayerBase {
 public:
  using LayerBase::LayerBase;

  void build_all(const Shapes& input_shapes) final {
    compute_output_shapes(input_shapes);  // throws where they do not fit
  }
  Tensor call(Tensor x, CallContext) final { return x; }
  bool supports_masking() const final { return true; }

 protected:
  void require_count(size_t count, size_t wanted) const {
    if (count == wanted) return;
    error()
        .expected("exactly ", wanted, " inputs")
        .got(count)
        .at(call_site())
        .raise<ValueError>();
  }
};

using Function = Tensor (*)(const Inputs&);

// An elementwise function of the inputs.
class ElementwiseBase final : public MergeBase {
 public:
  ElementwiseBase(std::string_view class_name, const MergeOptions& options,
                  Function function)
      : MergeBase({.trainable = options.trainable,
                   .dtype = options.dtype,
                   .name = options.name}),
        name_of_class_(class_name),
        function_(function) {}

  std::string_view class_name() const override { return name_of_class_; }

  std::vector<Tensor> call_all(Inputs inputs, CallContext) override {
    Shapes shapes;
    for (const Tensor& x : inputs) shapes.push_back(x.shape());
    compute_output_shapes(shapes);
    const int rank = largest_rank(shapes);
    for (Tensor& x : inputs) {
      if (x.rank() < rank) x = reshape(x, of_rank(x.shape(), rank));
    }
    return {function_(inputs)};
  }

  // As Keras: what counts in one of them counts.
  Tensor compute_mask(const Inputs&, const Inputs& masks) const override {
    if (masks.empty() || std::ranges::any_of(masks, &is_undefined)) return {};
    Tensor mask = masks[0];
    for (size_t i = 1; i < masks.size(); ++i) mask = logical_or(mask, masks[i]);
    return mask;
  }

  Shapes compute_output_shapes(const Shapes& shapes) const override {
    if (name_of_class_ == "Subtract") require_count(shapes.size(), 2);
    const int rank = largest_rank(shapes);
    Shape out = of_rank(shapes[0], rank);
    for (size_t i = 1; i < shapes.size(); ++i) {
      const Shape shape = of_rank(shapes[i], rank);
      for (int axis = 0; axis < rank; ++axis) {
        out.set(axis, merged(out[axis], shape[axis], axis, shapes));
      }
    }
    return {out};
  }

 private:
  int64_t merged(int64_t a, int64_t b, int axis, const Shapes& shapes) const {
    if (a == b) return a;
    if (a < 0 || b < 0) {
      // Of the batch the known size counts, as in Keras.
      return axis == 0 ? std::max(a, b) : -1;
    }
    if (axis > 0 && a == 1) return b;
    if (axis > 0 && b == 1) return a;
    add_shapes(error(), shapes)
        .expected(axis == 0 ? "inputs of one batch size"
                            : "inputs whose shapes broadcast")
        .got(a, " and ", b, " along axis ", axis)
        .at(call_site())
        .raise<ShapeError>();
  }

  std::string_view name_of_class_;
  Function function_;
};

template <Tensor (*combine)(const Arg&, const Arg&)>
Tensor folded(const Inputs& inputs) {
  Tensor y = inputs[0];
  for (size_t i = 1; i < inputs.size(); ++i) y = combine(y, inputs[i]);
  return y;
}

Tensor averaged(const Inputs& inputs) {
  return folded<add>(inputs) / static_cast<double>(inputs.size());
}

std::shared_ptr<LayerBase> make_elementwise(std::string_view class_name,
                                            const MergeOptions& options,
                                            Function function) {
  return std::make_shared<ElementwiseBase>(class_name, options, function);
}

class ConcatenateBase final : public MergeBase {
 public:
  explicit ConcatenateBase(const ConcatenateOptions& options)
      : MergeBase({.trainable = options.trainable,
                   .dtype = options.dtype,
                   .name = options.name}),
        axis_(options.axis) {}

  std::string_view class_name() const override { return "Concatenate"; }

  std::vector<Tensor> call_all(Inputs inputs, CallContext) override {
    Shapes shapes;
    for (const Tensor& x : inputs) shapes.push_back(x.shape());
    compute_output_shapes(shapes);
    return {concatenate(inputs, axis_, call_site())};
  }

  Tensor compute_mask(const Inputs& inputs,
                      const Inputs& masks) const override {
    if (masks.empty()) return {};
    Inputs all;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Shape& shape = inputs[i].shape();
      Tensor mask = masks[i];
      if (is_undefined(mask)) mask = full(shape, true);
      all.push_back(
          broadcast_to(internal::rows_of_rank(mask, shape.rank()), shape));
    }
    return reduce_any(concatenate(all, axis_), {.axis = -1});
  }

  Shapes compute_output_shapes(const Shapes& shapes) const override {
    Shape out = shapes[0];
    const int axis = axis_ < 0 ? axis_ + out.rank() : axis_;
    bool fits = axis >= 0 && axis < out.rank();
    for (size_t i = 1; fits && i < shapes.size(); ++i) {
      fits = shapes[i].rank() == out.rank();
      for (int n = 0; fits && n < out.rank(); ++n) {
        const int64_t a = out[n], b = shapes[i][n];
        if (n == axis) {
          out.set(n, a < 0 || b < 0 ? -1 : a + b);
        } else {
          fits = a == b || a < 0 || b < 0;
          out.set(n, std::max(a, b));
        }
      }
    }
    if (fits) return {out};
    add_shapes(error(), shapes)
        .expected("inputs with matching shapes except for axis ", axis_)
        .got("others")
        .at(call_site())
        .raise<ShapeError>();
  }

 private:
  int axis_;
};

class DotBase final : public MergeBase {
 public:
  DotBase(DotAxes axes, const DotOptions& options, const SourceLocation& where)
      : MergeBase({.trainable = options.trainable,
                   .dtype = options.dtype,
                   .name = options.name}),
        axes_(axes),
        normalize_(options.normalize) {
    if (axes.first == 0 || axes.second == 0) {
      error()
          .expected("axes other than 0, the batch")
          .got("(", axes.first, ", ", axes.second, ")")
          .at(where)
          .raise<ValueError>();
    }
  }

  std::string_view class_name() const override { return "Dot"; }

  Tensor compute_mask(const Inputs&, const Inputs&) const override {
    return {};
  }

  std::vector<Tensor> call_all(Inputs inputs, CallContext) override {
    compute_output_shapes({inputs[0].shape(), inputs.at(1).shape()});
    const Tensor x = as_matrices(inputs[0], axes_.first, -1);
    const Tensor y = as_matrices(inputs[1], axes_.second, -2);
    Tensor z = matmul(x, y);
    // (batch, 1, 1) of two vectors is (batch, 1).
    if (inputs[0].rank() == 2) z = squeeze(z, 1);
    if (inputs[1].rank() == 2) z = inputs[0].rank() == 2 ? z : squeeze(z, -1);
    return {z};
  }

  Shapes compute_output_shapes(const Shapes& shapes) const override {
    require_count(shapes.size(), 2);
    Shape rest[2];
    int64_t sizes[2];
    for (int i = 0; i < 2; ++i) {
      const Shape& shape = shapes[static_cast<size_t>(i)];
      const int given = i == 0 ? axes_.first : axes_.second;
      const int axis = given < 0 ? given + shape.rank() : given;
      if (shape.rank() < 2 || shape.rank() > 3 || axis < 1 ||
          axis >= shape.rank()) {
        add_shapes(error(), shapes)
            .expected("inputs of rank 2 or 3 that have axis ", given)
            .got("rank ", shape.rank())
            .at(call_site())
            .raise<ShapeError>();
      }
      sizes[i] = shape[axis];
      rest[i] = shape;
      rest[i].erase(axis);
    }
    if (sizes[0] != sizes[1] && sizes[0] >= 0 && sizes[1] >= 0) {
      add_shapes(error(), shapes)
          .expected("equal sizes along axes (", axes_.first, ", ", axes_.second,
                    ")")
          .got(sizes[0], " and ", sizes[1])
          .at(call_site())
          .raise<ShapeError>();
    }
    Shape out = rest[0];
    for (int i = 1; i < rest[1].rank(); ++i) out.push_back(rest[1][i]);
    if (out.rank() == 1) out.push_back(1);
    return {out};
  }

 private:
  // As (batch, n, a) or (batch, a, n): `axis` comes to `place`.
  Tensor as_matrices(Tensor x, int axis, int place) const {
    if (axis < 0) axis += x.rank();
    if (normalize_) {
      const Tensor square_sum =
          sum(square(x), {.axis = axis, .keepdims = true});
      x = x * rsqrt(maximum(square_sum, 1e-12));
    }
    if (x.rank() == 2) return expand_dims(x, place == -1 ? 1 : 2);
    return axis == x.rank() + place ? x : transpose(x, {0, 2, 1});
  }

  DotAxes axes_;
  bool normalize_;
};

}  // namespace

Add::Add(MergeOptions options)
    : Layer(make_elementwise("Add", options, folded<systolic::add>)) {}

Subtract::Subtract(MergeOptions options)
    : Layer(make_elementwise("Subtract", options, folded<systolic::subtract>)) {
}

Multiply::Multiply(MergeOptions options)
    : Layer(make_elementwise("Multiply", options, folded<systolic::multiply>)) {
}

Average::Average(MergeOptions options)
    : Layer(make_elementwise("Average", options, averaged)) {}

Maximum::Maximum(MergeOptions options)
    : Layer(make_elementwise("Maximum", options, folded<systolic::maximum>)) {}

Minimum::Minimum(MergeOptions options)
    : Layer(make_elementwise("Minimum", options, folded<systolic::minimum>)) {}

Concatenate::Concatenate(ConcatenateOptions options)
    : Layer(std::make_shared<ConcatenateBase>(options)) {}

Dot::Dot(DotAxes axes, DotOptions options, SourceLocation where)
    : Layer(std::make_shared<DotBase>(axes, options, where)) {}

}  // namespace systolic::layers
