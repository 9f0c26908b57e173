// Tested by: systolic/layers/convolutional/conv2d_platform_test.cc
#include "systolic/layers/convolutional/convolution.h"

#include "systolic/ops/manipulation.h"

namespace systolic::layers {

namespace {

bool any_above_one(const Extent2D& extent) {
  return extent.height() > 1 || extent.width() > 1;
}

class ConvolutionBase final : public LayerBase {
 public:
  ConvolutionBase(Convolution how, const SourceLocation& where)
      : LayerBase(how.layer), how_(std::move(how)) {
    check_options(where);
    set_input_spec(spec({}));
  }

  std::string_view class_name() const override { return how_.class_name; }

  void build(const Shape& input_shape) override {
    const int axis = channel_axis(how_.window.data_format);
    const int64_t channels = input_shape[axis];
    if (channels >= 0 && channels % how_.groups != 0) {
      error()
          .expected("a number of channels that groups = ", how_.groups,
                    " divide")
          .got(channels, " channels")
          .detail("input", input_shape)
          .at(call_site())
          .raise<ShapeError>();
    }
    compute_output_shape(input_shape);  // throws where no window fits
    Shape kernel = Shape::scalar();
    if (how_.axes == 2) kernel.push_back(how_.window.size.height());
    kernel.push_back(how_.window.size.width());
    kernel.push_back(channels < 0 ? -1 : channels / how_.groups);
    kernel.push_back(how_.filters);
    kernel_ = add_weight({.name = "kernel",
                          .shape = kernel,
                          .initializer = how_.kernel_initializer,
                          .regularizer = how_.kernel_regularizer,
                          .constraint = how_.kernel_constraint});
    if (how_.use_bias) {
      bias_ = add_weight({.name = "bias",
                          .shape = {outputs(channels)},
                          .initializer = how_.bias_initializer,
                          .regularizer = how_.bias_regularizer,
                          .constraint = how_.bias_constraint});
    }
    set_input_spec(spec({{axis, channels}}));
  }

  Tensor call(Tensor x, CallContext) override {
    const Shape output = compute_output_shape(x.shape());
    x = as_image(x);
    const bool fused = how_.activation.name() == "relu";
    nn::ConvOptions options{.strides = how_.window.strides.sizes(),
                            .padding = how_.window.padding,
                            .dilation_rate = how_.window.dilation.sizes(),
                            .groups = how_.groups,
                            .activation = fused ? nn::FusedActivation::relu
                                                : nn::FusedActivation::none};
    Tensor kernel = value(kernel_);
    if (how_.axes == 1) kernel = expand_dims(kernel, 0);
    if (how_.is_depthwise) {
      const int64_t channels = x.shape()[-1];
      options.groups = channels;
      kernel =
          reshape(kernel, {how_.window.size.height(), how_.window.size.width(),
                           1, channels * how_.filters});
    }
    Tensor y = how_.use_bias ? nn::conv(x, kernel, value(bias_), options)
                             : nn::conv(x, kernel, options);
    y = from_image(y, output);
    return fused ? y : how_.activation(y);
  }

  Shape compute_output_shape(const Shape& input_shape) const override {
    const int axis = channel_axis(how_.window.data_format);
    const int64_t filters = outputs(input_shape[axis]);
    if (how_.axes == 2) {
      return window_output_shape(how_.window, input_shape, filters, error(),
                                 "kernel", call_site());
    }
    const bool last = how_.window.data_format == DataFormat::channels_last;
    const int steps_axis = last ? 1 : 2;
    Shape out = input_shape;
    const int64_t steps = window_output(
        out[steps_axis] < 0 ? -1 : out[steps_axis] + causal_zeros(),
        how_.window.size.width(), how_.window.strides.width(),
        how_.window.padding, how_.window.dilation.width());
    if (steps == 0) {
      error()
          .expected("an input with as many steps as the kernel reaches over")
          .got(input_shape)
          .detail("kernel_size", how_.window.size.width())
          .hint("use padding = \"same\" or \"causal\", or a smaller kernel")
          .at(call_site())
          .raise<ShapeError>();
    }
    out.set(steps_axis, steps);
    out.set(axis, filters);
    return out;
  }

  const Variable& kernel() const { return kernel_; }
  const Variable& bias() const { return bias_; }

 private:
  int64_t outputs(int64_t channels) const {
    if (!how_.is_depthwise) return how_.filters;
    return channels < 0 ? -1 : channels * how_.filters;
  }

  int64_t causal_zeros() const {
    if (!how_.is_causal) return 0;
    return how_.window.dilation.width() * (how_.window.size.width() - 1);
  }

  // As (n, h, w, c).
  Tensor as_image(const Tensor& x) const {
    if (how_.axes == 2) return to_channels_last(x, how_.window.data_format);
    const bool last = how_.window.data_format == DataFormat::channels_last;
    Tensor steps = last ? x : transpose(x, {0, 2, 1});
    if (causal_zeros() > 0) {
      steps = pad(steps, {{0, 0}, {causal_zeros(), 0}, {0, 0}});
    }
    return expand_dims(steps, 1);
  }

  Tensor from_image(const Tensor& y, const Shape& output) const {
    if (how_.axes == 2) return from_channels_last(y, how_.window.data_format);
    if (how_.window.data_format == DataFormat::channels_last) {
      return reshape(y, output);
    }
    return transpose(squeeze(y, 1), {0, 2, 1});
  }

  void check_options(const SourceLocation& where) const {
    if (how_.filters <= 0) {
      error()
          .expected(how_.is_depthwise ? "depth_multiplier" : "filters", " > 0")
          .got(how_.filters)
          .at(where)
          .raise<ValueError>();
    }
    require_positive(error(), "kernel_size", how_.window.size, where);
    require_positive(error(), "strides", how_.window.strides, where);
    require_positive(error(), "dilation_rate", how_.window.dilation, where);
    if (how_.groups <= 0 || how_.filters % how_.groups != 0) {
      error()
          .expected("groups > 0 that divide filters = ", how_.filters)
          .got("groups = ", how_.groups)
          .at(where)
          .raise<ValueError>();
    }
    if (any_above_one(how_.window.strides) &&
        any_above_one(how_.window.dilation)) {
      error()
          .expected("strides or dilation_rate of 1")
          .got("strides ", how_.window.strides.to_string(),
               " and dilation_rate ", how_.window.dilation.to_string())
          .at(where)
          .raise<ValueError>();
    }
  }

  InputSpec spec(std::vector<std::pair<int, int64_t>> axes) const {
    const bool last = how_.window.data_format == DataFormat::channels_last;
    const std::string place = how_.axes == 2 ? "height, width" : "steps";
    return {.rank = how_.axes + 2,
            .axes = std::move(axes),
            .hint = std::string(how_.axes == 2 ? "images" : "inputs") +
                    " are (batch, " +
                    (last ? place + ", channels" : "channels, " + place) +
                    "); add an axis, for example expand_dims(x, " +
                    (last ? "-1)" : "1)")};
  }

  Convolution how_;
  Variable kernel_;
  Variable bias_;
};

}  // namespace

std::shared_ptr<LayerBase> make_convolution(Convolution convolution,
                                            const SourceLocation& where) {
  return std::make_shared<ConvolutionBase>(std::move(convolution), where);
}

Variable convolution_kernel(const LayerBase& layer) {
  return static_cast<const ConvolutionBase&>(layer).kernel();
}

Variable convolution_bias(const LayerBase& layer) {
  return static_cast<const ConvolutionBase&>(layer).bias();
}

}  // namespace systolic::layers
