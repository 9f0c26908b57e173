// Tested by: systolic/layers/pooling/max_pooling2d_platform_test.cc
#include "systolic/layers/pooling/pooling2d.h"

#include "systolic/layers/window.h"

namespace systolic::layers {

namespace {

class Pooling2DBase final : public LayerBase {
 public:
  Pooling2DBase(std::string_view class_name, LayerOptions options,
                const PoolWindow& window, PoolFunction function,
                const SourceLocation& where)
      : LayerBase(std::move(options)),
        name_of_class_(class_name),
        function_(function),
        window_{.size = window.pool_size,
                .strides =
                    window.strides.is_set() ? window.strides : window.pool_size,
                .padding = window.padding,
                .data_format = window.data_format} {
    require_positive(error(), "pool_size", window_.size, where);
    require_positive(error(), "strides", window_.strides, where);
    const bool last = window_.data_format == DataFormat::channels_last;
    set_input_spec({.rank = 4,
                    .hint = std::string("images are ") +
                            (last ? "(batch, height, width, channels)"
                                  : "(batch, channels, height, width)")});
  }

  std::string_view class_name() const override { return name_of_class_; }

  Tensor call(Tensor x, CallContext) override {
    compute_output_shape(x.shape());  // throws where no window fits
    const Tensor y = function_(to_channels_last(x, window_.data_format),
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
  std::string_view name_of_class_;
  PoolFunction function_;
  Window window_;
};

}  // namespace

std::shared_ptr<LayerBase> make_pooling2d(std::string_view class_name,
                                          LayerOptions options,
                                          const PoolWindow& window,
                                          PoolFunction function,
                                          const SourceLocation& where) {
  return std::make_shared<Pooling2DBase>(class_name, std::move(options), window,
                                         function, where);
}

}  // namespace systolic::layers
