#include "systolic/layers/preprocessing/rescaling.h"

#include "systolic/ops/math.h"

namespace systolic::layers {

namespace {

class RescalingBase final : public LayerBase {
 public:
  RescalingBase(double scale, const RescalingOptions& options)
      : LayerBase(layer_options(options)),
        scale_(scale),
        offset_(options.offset) {}

  std::string_view class_name() const override { return "Rescaling"; }
  bool supports_masking() const override { return true; }

  Tensor call(Tensor x, CallContext) override {
    if (x.dtype() != compute_dtype()) x = cast(x, compute_dtype());
    x = x * scale_;
    return offset_ == 0 ? x : x + offset_;
  }

  Shape compute_output_shape(const Shape& input_shape) const override {
    return input_shape;
  }

 private:
  double scale_;
  double offset_;
};

}  // namespace

Rescaling::Rescaling(double scale, RescalingOptions options)
    : Layer(std::make_shared<RescalingBase>(scale, options)) {}

}  // namespace systolic::layers
