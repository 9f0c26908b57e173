#include "systolic/layers/pooling/global_pooling.h"

#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"

namespace systolic::layers {

namespace {

using Reduce = Tensor (*)(const Arg& x, const ReduceOptions& options);

class GlobalPoolingBase final : public LayerBase {
 public:
  GlobalPoolingBase(std::string_view class_name, int spatial_axes,
                    const GlobalPoolingOptions& options, Reduce reduce)
      : LayerBase(layer_options(options)),
        name_of_class_(class_name),
        reduce_(reduce),
        keepdims_(options.keepdims) {
    const bool last = options.data_format == DataFormat::channels_last;
    for (int i = 0; i < spatial_axes; ++i) axes_.push_back(i + (last ? 1 : 2));
    set_input_spec({.rank = spatial_axes + 2});
  }

  std::string_view class_name() const override { return name_of_class_; }

  // Only the means of steps know what a mask is.
  bool supports_masking() const override {
    return name_of_class_ == "GlobalAveragePooling1D";
  }

  Tensor compute_mask(const std::vector<Tensor>&,
                      const std::vector<Tensor>&) const override {
    return {};
  }

  Tensor call(Tensor x, CallContext context) override {
    Tensor mask = supports_masking() ? context.mask() : Tensor();
    const ReduceOptions how{.axis = axes_, .keepdims = keepdims_};
    if (!mask.is_defined()) return reduce_(x, how);
    mask = expand_dims(mask, axes_[0] == 1 ? 2 : 1);
    return sum(where(mask, x, 0), how) / sum(cast(mask, x.dtype()), how);
  }

  Shape compute_output_shape(const Shape& input_shape) const override {
    Shape out = input_shape;
    for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
      if (keepdims_) {
        out.set(*axis, 1);
      } else {
        out.erase(*axis);
      }
    }
    return out;
  }

 private:
  std::string_view name_of_class_;
  Reduce reduce_;
  bool keepdims_;
  std::vector<int> axes_;
};

std::shared_ptr<LayerBase> make(std::string_view class_name, int spatial_axes,
                                const GlobalPoolingOptions& options,
                                Reduce reduce) {
  return std::make_shared<GlobalPoolingBase>(class_name, spatial_axes, options,
                                             reduce);
}

}  // namespace

GlobalAveragePooling1D::GlobalAveragePooling1D(GlobalPoolingOptions options)
    : Layer(make("GlobalAveragePooling1D", 1, options, mean)) {}

GlobalAveragePooling2D::GlobalAveragePooling2D(GlobalPoolingOptions options)
    : Layer(make("GlobalAveragePooling2D", 2, options, mean)) {}

GlobalAveragePooling3D::GlobalAveragePooling3D(GlobalPoolingOptions options)
    : Layer(make("GlobalAveragePooling3D", 3, options, mean)) {}

GlobalMaxPooling1D::GlobalMaxPooling1D(GlobalPoolingOptions options)
    : Layer(make("GlobalMaxPooling1D", 1, options, max)) {}

GlobalMaxPooling2D::GlobalMaxPooling2D(GlobalPoolingOptions options)
    : Layer(make("GlobalMaxPooling2D", 2, options, max)) {}

GlobalMaxPooling3D::GlobalMaxPooling3D(GlobalPoolingOptions options)
    : Layer(make("GlobalMaxPooling3D", 3, options, max)) {}

}  // namespace systolic::layers
