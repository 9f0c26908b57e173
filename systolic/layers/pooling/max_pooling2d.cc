#include "systolic/layers/pooling/max_pooling2d.h"

#include "systolic/layers/window.h"

namespace systolic::layers {

namespace {

class MaxPooling2DBase final : public LayerBase {
 public:
  MaxPooling2DBase(MaxPooling2DOptions options, const SourceLocation& where)
      : LayerBase(layer_options(options)),
        window_{.size = options.pool_size,
                .strides = options.strides.is_set() ? options.strides
                                                    : options.pool_size,
                .padding = options.padding,
                .data_format = options.data_format} {
    require_positive(error(), "pool_size", window_.size, where);
    require_positive(error(), "strides", window_.strides, where);
    const bool last = window_.data_format == DataFormat::channels_last;
    set_input_spec({.rank = 4,
                    .hint = std::string("images are ") +
                            (last ? "(batch, height, width, channels)"
                                  : "(batch, channels, height, width)")});
  }

  std::string_view class_name() const override { return "MaxPooling2D"; }

  Tensor call(Tensor x, CallContext) override {
    compute_output_shape(x.shape());  // throws where no window fits
    const Tensor y = nn::max_pool(to_channels_last(x, window_.data_format),
                                  {.pool_size = window_.size.sizes(),
                                   .strides = window_.strides.sizes(),
                                   .padding = window_.padding});
    return from_channels_last(y, window_.data_format);
  }

  Shape compute_output_shape(const Shape& input_shape) const override {
    return window_output_shape(window_, input_shape,
                               input_shape[channel_axis(window_.data_format)],
                               error(), "pool", call_site());
  }

 private:
  Window window_;
};

MaxPooling2DOptions with_size(const Extent2D& size,
                              MaxPooling2DOptions options) {
  options.pool_size = size;
  return options;
}

}  // namespace

MaxPooling2D::MaxPooling2D(MaxPooling2DOptions options, SourceLocation where)
    : Layer(std::make_shared<MaxPooling2DBase>(std::move(options), where)) {}

MaxPooling2D::MaxPooling2D(Extent2D pool_size, MaxPooling2DOptions options,
                           SourceLocation where)
    : MaxPooling2D(with_size(pool_size, std::move(options)), where) {}

}  // namespace systolic::layers
