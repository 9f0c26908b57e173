#include "systolic/layers/normalization/layer_normalization.h"

#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"

namespace systolic::layers {

namespace {

// What the classes of this file share.
class RowNormalizationBase : public LayerBase {
 public:
  RowNormalizationBase(std::string_view class_name, LayerOptions options,
                       double epsilon, const SourceLocation& where)
      : LayerBase(std::move(options)),
        name_of_class_(class_name),
        epsilon_(epsilon) {
    if (!(epsilon >= 0)) {
      error()
          .expected("epsilon >= 0")
          .got(epsilon)
          .at(where)
          .raise<ValueError>();
    }
    set_input_spec({.min_rank = 2});
  }

  std::string_view class_name() const final { return name_of_class_; }
  bool supports_masking() const final { return true; }

  Shape compute_output_shape(const Shape& input_shape) const override {
    return input_shape;
  }

 protected:
  static Tensor as(const Tensor& x, DType dtype) {
    return x.dtype() == dtype ? x : cast(x, dtype);
  }
  // Half precision would lose the sums.
  static Tensor widened(const Tensor& x) {
    return x.dtype() == DType::float64 ? x : as(x, DType::float32);
  }

  // To mean 0 and variance 1 over the axes.
  Tensor normalized(const Tensor& x, const Axes& axes) const {
    const Tensor center = x - mean(x, {.axis = axes, .keepdims = true});
    const Tensor variance =
        mean(square(center), {.axis = axes, .keepdims = true});
    return center * rsqrt(variance + epsilon_);
  }

  // gamma and beta, as far as the layer has them, in the shape of x's axes.
  template <class Options>
  void add_weights(const Shape& shape, const Options& options) {
    if (options.scale) {
      gamma_ = add_weight({.name = "gamma",
                           .shape = shape,
                           .initializer = options.gamma_initializer,
                           .regularizer = options.gamma_regularizer,
                           .constraint = options.gamma_constraint});
    }
    if (options.center) {
      beta_ = add_weight({.name = "beta",
                          .shape = shape,
                          .initializer = options.beta_initializer,
                          .regularizer = options.beta_regularizer,
                          .constraint = options.beta_constraint});
    }
  }

  Tensor scaled(Tensor x, const Shape& weights) const {
    if (gamma_.is_defined()) {
      x = x * reshape(as(gamma_, x.dtype()), weights);
    }
    if (beta_.is_defined()) x = x + reshape(as(beta_, x.dtype()), weights);
    return as(x, compute_dtype());
  }

  std::string_view name_of_class_;
  double epsilon_;
  Variable gamma_;
  Variable beta_;
};

// The sizes of the axes; those of the others are 1 where they stay.
Shape sizes_of(const Shape& shape, const Axes& axes, bool keep) {
  Shape out = keep ? Shape::filled(shape.rank(), 1) : Shape::scalar();
  for (const int axis : axes) {
    if (keep) {
      out.set(axis, shape[axis]);
    } else {
      out.push_back(shape[axis]);
    }
  }
  return out;
}

class LayerNormalizationBase final : public RowNormalizationBase {
 public:
  LayerNormalizationBase(LayerNormalizationOptions options,
                         const SourceLocation& where)
      : RowNormalizationBase("LayerNormalization", layer_options(options),
                             options.epsilon, where),
        options_(std::move(options)) {}

  void build(const Shape& input_shape) override {
    axes_ = options_.axis.resolve(input_shape.rank(), "LayerNormalization");
    add_weights(sizes_of(input_shape, axes_, false), options_);
  }

  Tensor call(Tensor x, CallContext) override {
    const Shape weights = sizes_of(x.shape(), axes_, true);
    return scaled(normalized(widened(x), axes_), weights);
  }

 private:
  LayerNormalizationOptions options_;
  Axes axes_;
};

class RMSNormalizationBase final : public RowNormalizationBase {
 public:
  RMSNormalizationBase(RMSNormalizationOptions options,
                       const SourceLocation& where)
      : RowNormalizationBase("RMSNormalization", layer_options(options),
                             options.epsilon, where),
        options_(std::move(options)) {}

  void build(const Shape& input_shape) override {
    axes_ = options_.axis.resolve(input_shape.rank(), "RMSNormalization");
    gamma_ = add_weight({.name = "scale",
                         .shape = sizes_of(input_shape, axes_, false),
                         .initializer = "ones"});
  }

  Tensor call(Tensor x, CallContext) override {
    x = widened(x);
    const Tensor square_mean =
        mean(square(x), {.axis = axes_, .keepdims = true});
    return scaled(x * rsqrt(square_mean + epsilon_),
                  sizes_of(x.shape(), axes_, true));
  }

 private:
  RMSNormalizationOptions options_;
  Axes axes_;
};

class GroupNormalizationBase final : public RowNormalizationBase {
 public:
  GroupNormalizationBase(GroupNormalizationOptions options,
                         const SourceLocation& where)
      : RowNormalizationBase("GroupNormalization", layer_options(options),
                             options.epsilon, where),
        options_(std::move(options)) {}

  void build(const Shape& input_shape) override {
    axis_ =
        options_.axis < 0 ? options_.axis + input_shape.rank() : options_.axis;
    if (axis_ < 1 || axis_ >= input_shape.rank()) {
      error()
          .expected(
              "an axis of the channels that the input has, behind its "
              "batch")
          .got("axis ", options_.axis)
          .detail("input", input_shape)
          .at(call_site())
          .raise<ShapeError>();
    }
    const int64_t channels = input_shape[axis_];
    groups_ = options_.groups == -1 ? channels : options_.groups;
    if (channels > 0 && (groups_ <= 0 || channels % groups_ != 0)) {
      error()
          .expected("a number of channels that groups = ", groups_, " divide")
          .got(channels, " channels")
          .detail("input", input_shape)
          .at(call_site())
          .raise<ShapeError>();
    }
    add_weights({channels}, options_);
    set_input_spec({.rank = input_shape.rank(), .axes = {{axis_, channels}}});
  }

  Tensor call(Tensor x, CallContext) override {
    const Shape shape = x.shape();
    Shape grouped = shape;
    grouped.set(axis_, groups_);
    grouped.insert(axis_ + 1, shape[axis_] / groups_);
    std::vector<int> axes;
    for (int i = 1; i < grouped.rank(); ++i) {
      if (i != axis_) axes.push_back(i);
    }
    const Tensor y = normalized(reshape(widened(x), grouped), axes);
    return scaled(reshape(y, shape), sizes_of(shape, {axis_}, true));
  }

 private:
  GroupNormalizationOptions options_;
  int axis_ = -1;
  int64_t groups_ = 1;
};

}  // namespace

LayerNormalization::LayerNormalization(LayerNormalizationOptions options,
                                       SourceLocation where)
    : Layer(std::make_shared<LayerNormalizationBase>(std::move(options),
                                                     where)) {}

RMSNormalization::RMSNormalization(RMSNormalizationOptions options,
                                   SourceLocation where)
    : Layer(std::make_shared<RMSNormalizationBase>(std::move(options), where)) {
}

GroupNormalization::GroupNormalization(GroupNormalizationOptions options,
                                       SourceLocation where)
    : Layer(std::make_shared<GroupNormalizationBase>(std::move(options),
                                                     where)) {}

}  // namespace systolic::layers
