#include "systolic/layers/core/masking.h"

#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"

namespace systolic::layers {

namespace {

class MaskingBase final : public LayerBase {
 public:
  MaskingBase(double mask_value, const MaskingOptions& options)
      : LayerBase(layer_options(options)), mask_value_(mask_value) {
    set_input_spec({.min_rank = 2});
  }

  std::string_view class_name() const override { return "Masking"; }
  bool supports_masking() const override { return true; }

  Tensor call(Tensor x, CallContext) override {
    return where(expand_dims(counts(x), -1), x, 0);
  }

  Tensor compute_mask(const std::vector<Tensor>& inputs,
                      const std::vector<Tensor>&) const override {
    return counts(inputs[0]);
  }

  Shape compute_output_shape(const Shape& input_shape) const override {
    return input_shape;
  }

 private:
  Tensor counts(const Tensor& x) const {
    return reduce_any(not_equal(x, mask_value_), {.axis = -1});
  }

  double mask_value_;
};

}  // namespace

Masking::Masking(double mask_value, MaskingOptions options)
    : Layer(std::make_shared<MaskingBase>(mask_value, options)) {}

}  // namespace systolic::layers
