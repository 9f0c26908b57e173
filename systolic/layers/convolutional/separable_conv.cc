#include "systolic/layers/convolutional/separable_conv.h"

#include <algorithm>

#include "systolic/layers/window.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic::layers {

namespace {

using Sizes = std::vector<int64_t>;

Sizes sizes(int64_t size) { return {size}; }
Sizes sizes(const Extent2D& extent) {
  return {extent.height(), extent.width()};
}

template <class Extent>
class SeparableConvBase final : public LayerBase {
 public:
  SeparableConvBase(std::string_view class_name, int64_t filters,
                    const Extent& kernel_size,
                    SeparableConvOptions<Extent> options,
                    const SourceLocation& where)
      : LayerBase(layer_options(options)),
        name_of_class_(class_name),
        filters_(filters),
        kernel_size_(sizes(kernel_size)),
        options_(std::move(options)),
        strides_(sizes(options_.strides)),
        dilation_(sizes(options_.dilation_rate)) {
    check("filters", {filters}, where);
    check("kernel_size", kernel_size_, where);
    check("strides", strides_, where);
    check("dilation_rate", dilation_, where);
    check("depth_multiplier", {options_.depth_multiplier}, where);
    if (std::ranges::max(strides_) > 1 && std::ranges::max(dilation_) > 1) {
      error()
          .expected("strides or dilation_rate of 1")
          .got("strides ", Shape(std::span<const int64_t>(strides_)),
               " and dilation_rate ",
               Shape(std::span<const int64_t>(dilation_)))
          .at(where)
          .template raise<ValueError>();
    }
    set_input_spec({.rank = axes() + 2});
  }

  std::string_view class_name() const override { return name_of_class_; }

  void build(const Shape& input_shape) override {
    const int axis = channel_axis(options_.data_format);
    const int64_t channels = input_shape[axis];
    compute_output_shape(input_shape);  // throws where no window fits
    Shape depthwise(std::span<const int64_t>{kernel_size_});
    depthwise.push_back(channels);
    depthwise.push_back(options_.depth_multiplier);
    depthwise_ = add_weight({.name = "depthwise_kernel",
                             .shape = depthwise,
                             .initializer = options_.depthwise_initializer,
                             .regularizer = options_.depthwise_regularizer,
                             .constraint = options_.depthwise_constraint});
    Shape pointwise = Shape::filled(axes(), 1);
    pointwise.push_back(channels < 0 ? -1
                                     : channels * options_.depth_multiplier);
    pointwise.push_back(filters_);
    pointwise_ = add_weight({.name = "pointwise_kernel",
                             .shape = pointwise,
                             .initializer = options_.pointwise_initializer,
                             .regularizer = options_.pointwise_regularizer,
                             .constraint = options_.pointwise_constraint});
    if (options_.use_bias) {
      bias_ = add_weight({.name = "bias",
                          .shape = {filters_},
                          .initializer = options_.bias_initializer,
                          .regularizer = options_.bias_regularizer,
                          .constraint = options_.bias_constraint});
    }
    set_input_spec({.rank = axes() + 2, .axes = {{axis, channels}}});
  }

  Tensor call(Tensor x, CallContext) override {
    compute_output_shape(x.shape());
    Tensor y = nn::separable_conv(x, value(depthwise_), value(pointwise_),
                                  {.strides = strides_,
                                   .padding = options_.padding,
                                   .dilation_rate = dilation_,
                                   .data_format = options_.data_format});
    if (options_.use_bias) {
      Shape shape = Shape::filled(y.rank(), 1);
      shape.set(channel_axis(options_.data_format), filters_);
      y = y + reshape(value(bias_), shape);
    }
    return options_.activation(y);
  }

  Shape compute_output_shape(const Shape& input_shape) const override {
    const bool last = options_.data_format == DataFormat::channels_last;
    Shape out = input_shape;
    for (size_t i = 0; i < kernel_size_.size(); ++i) {
      const int axis = static_cast<int>(i) + (last ? 1 : 2);
      out.set(axis, window_output(input_shape[axis], kernel_size_[i],
                                  strides_[i], options_.padding, dilation_[i]));
      if (out[axis] != 0) continue;
      error()
          .expected("an input no smaller than the kernel ",
                    Shape(std::span<const int64_t>(kernel_size_)))
          .got(input_shape)
          .hint("use padding = \"same\" or a smaller kernel")
          .at(call_site())
          .template raise<ShapeError>();
    }
    out.set(channel_axis(options_.data_format), filters_);
    return out;
  }

 private:
  int axes() const { return static_cast<int>(kernel_size_.size()); }

  void check(std::string_view name, const Sizes& values,
             const SourceLocation& where) const {
    for (const int64_t value : values) {
      if (value > 0) continue;
      error()
          .expected(name, " > 0")
          .got(value)
          .at(where)
          .template raise<ValueError>();
    }
  }

  std::string_view name_of_class_;
  int64_t filters_;
  Sizes kernel_size_;
  SeparableConvOptions<Extent> options_;
  Sizes strides_, dilation_;
  Variable depthwise_, pointwise_, bias_;
};

}  // namespace

SeparableConv1D::SeparableConv1D(Dim filters, Dim kernel_size,
                                 SeparableConv1DOptions options,
                                 SourceLocation where)
    : Layer(std::make_shared<SeparableConvBase<int64_t>>(
          "SeparableConv1D", filters, kernel_size, std::move(options), where)) {
}

SeparableConv2D::SeparableConv2D(Dim filters, Extent2D kernel_size,
                                 SeparableConv2DOptions options,
                                 SourceLocation where)
    : Layer(std::make_shared<SeparableConvBase<Extent2D>>(
          "SeparableConv2D", filters, kernel_size, std::move(options), where)) {
}

}  // namespace systolic::layers
