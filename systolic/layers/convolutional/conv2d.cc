#include "systolic/layers/convolutional/conv2d.h"

#include "systolic/layers/window.h"

namespace systolic::layers {

namespace {

bool any_above_one(const Extent2D& extent) {
  return extent.height() > 1 || extent.width() > 1;
}

class Conv2DBase final : public LayerBase {
 public:
  Conv2DBase(int64_t filters, Extent2D kernel_size, Conv2DOptions options,
             const SourceLocation& where)
      : LayerBase(layer_options(options)),
        filters_(filters),
        window_{.size = kernel_size,
                .strides = options.strides,
                .dilation = options.dilation_rate,
                .padding = options.padding,
                .data_format = options.data_format},
        options_(std::move(options)) {
    check_options(where);
    set_input_spec(spec({}));
  }

  std::string_view class_name() const override { return "Conv2D"; }

  void build(const Shape& input_shape) override {
    const int axis = channel_axis(window_.data_format);
    const int64_t channels = input_shape[axis];
    if (channels >= 0 && channels % options_.groups != 0) {
      error()
          .expected("a number of channels that groups = ", options_.groups,
                    " divide")
          .got(channels, " channels")
          .detail("input", input_shape)
          .at(call_site())
          .raise<ShapeError>();
    }
    compute_output_shape(input_shape);  // throws where no window fits
    kernel_ = add_weight(
        {.name = "kernel",
         .shape = {window_.size.height(), window_.size.width(),
                   channels < 0 ? -1 : channels / options_.groups, filters_},
         .initializer = options_.kernel_initializer,
         .regularizer = options_.kernel_regularizer});
    if (options_.use_bias) {
      bias_ = add_weight({.name = "bias",
                          .shape = {filters_},
                          .initializer = options_.bias_initializer,
                          .regularizer = options_.bias_regularizer});
    }
    set_input_spec(spec({{axis, channels}}));
  }

  Tensor call(Tensor x, CallContext) override {
    compute_output_shape(x.shape());  // throws where no window fits
    x = to_channels_last(x, window_.data_format);
    const bool fused = options_.activation.name() == "relu";
    const nn::ConvOptions how{.strides = window_.strides.sizes(),
                              .padding = window_.padding,
                              .dilation_rate = window_.dilation.sizes(),
                              .groups = options_.groups,
                              .activation = fused ? nn::FusedActivation::relu
                                                  : nn::FusedActivation::none};
    Tensor y = options_.use_bias
                   ? nn::conv(x, value(kernel_), value(bias_), how)
                   : nn::conv(x, value(kernel_), how);
    y = from_channels_last(y, window_.data_format);
    return fused ? y : options_.activation(y);
  }

  Shape compute_output_shape(const Shape& input_shape) const override {
    return window_output_shape(window_, input_shape, filters_, error(),
                               "kernel", call_site());
  }

  const Variable& kernel() const { return kernel_; }
  const Variable& bias() const { return bias_; }

 private:
  void check_options(const SourceLocation& where) const {
    if (filters_ <= 0) {
      error()
          .expected("filters > 0")
          .got(filters_)
          .at(where)
          .raise<ValueError>();
    }
    require_positive(error(), "kernel_size", window_.size, where);
    require_positive(error(), "strides", window_.strides, where);
    require_positive(error(), "dilation_rate", window_.dilation, where);
    if (options_.groups <= 0 || filters_ % options_.groups != 0) {
      error()
          .expected("groups > 0 that divide filters = ", filters_)
          .got("groups = ", options_.groups)
          .at(where)
          .raise<ValueError>();
    }
    if (any_above_one(window_.strides) && any_above_one(window_.dilation)) {
      error()
          .expected("strides or dilation_rate of 1")
          .got("strides ", window_.strides.to_string(), " and dilation_rate ",
               window_.dilation.to_string())
          .at(where)
          .raise<ValueError>();
    }
  }

  InputSpec spec(std::vector<std::pair<int, int64_t>> axes) const {
    const bool last = window_.data_format == DataFormat::channels_last;
    return {.rank = 4,
            .axes = std::move(axes),
            .hint = std::string("images are ") +
                    (last ? "(batch, height, width, channels)"
                          : "(batch, channels, height, width)") +
                    "; add an axis, for example expand_dims(x, " +
                    (last ? "-1)" : "1)")};
  }

  int64_t filters_;
  Window window_;
  Conv2DOptions options_;
  Variable kernel_;
  Variable bias_;
};

}  // namespace

Conv2D::Conv2D(int64_t filters, Extent2D kernel_size, Conv2DOptions options,
               SourceLocation where)
    : Layer(std::make_shared<Conv2DBase>(filters, kernel_size,
                                         std::move(options), where)) {}

Variable Conv2D::kernel() const {
  return static_cast<const Conv2DBase&>(base()).kernel();
}

Variable Conv2D::bias() const {
  return static_cast<const Conv2DBase&>(base()).bias();
}

}  // namespace systolic::layers
