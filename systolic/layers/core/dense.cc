#include "systolic/layers/core/dense.h"

#include "systolic/layers/options.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic::layers {

namespace {

class DenseBase final : public LayerBase {
 public:
  DenseBase(int64_t units, DenseOptions options, const SourceLocation& where)
      : LayerBase(layer_options(options)),
        units_(units),
        options_(std::move(options)) {
    if (units <= 0) {
      error().expected("units > 0").got(units).at(where).raise<ValueError>();
    }
    set_input_spec(spec({}));
  }

  std::string_view class_name() const override { return "Dense"; }
  bool supports_masking() const override { return true; }

  void build(const Shape& input_shape) override {
    kernel_ = add_weight({.name = "kernel",
                          .shape = {input_shape[-1], units_},
                          .initializer = options_.kernel_initializer,
                          .regularizer = options_.kernel_regularizer,
                          .constraint = options_.kernel_constraint});
    if (options_.use_bias) {
      bias_ = add_weight({.name = "bias",
                          .shape = {units_},
                          .initializer = options_.bias_initializer,
                          .regularizer = options_.bias_regularizer,
                          .constraint = options_.bias_constraint});
    }
    set_input_spec(spec({{-1, input_shape[-1]}}));
  }

  Tensor call(Tensor x, CallContext) override {
    // One matrix product over all leading axes.
    const Shape input = x.shape();
    const Shape output = compute_output_shape(input);
    if (input.rank() > 2) {
      int64_t rows = 1;
      for (int i = 0; i + 1 < input.rank(); ++i) rows *= input[i];
      x = reshape(x, {rows, input[-1]});
    }
    Tensor y = matmul(x, value(kernel_));
    if (options_.use_bias) y = y + value(bias_);
    if (input.rank() > 2) y = reshape(y, output);
    return options_.activation(y);
  }

  Shape compute_output_shape(const Shape& input_shape) const override {
    Shape out = input_shape;
    out.set(-1, units_);
    return out;
  }

  const Variable& kernel() const { return kernel_; }
  const Variable& bias() const { return bias_; }

 private:
  static InputSpec spec(std::vector<std::pair<int, int64_t>> axes) {
    return {.min_rank = 2,
            .axes = std::move(axes),
            .hint = "add a batch axis, for example expand_dims(x, 0)"};
  }

  int64_t units_;
  DenseOptions options_;
  Variable kernel_;
  Variable bias_;
};

}  // namespace

Dense::Dense(Dim units, DenseOptions options, SourceLocation where)
    : Layer(std::make_shared<DenseBase>(units, std::move(options), where)) {}

Variable Dense::kernel() const {
  return static_cast<const DenseBase&>(base()).kernel();
}

Variable Dense::bias() const {
  return static_cast<const DenseBase&>(base()).bias();
}

}  // namespace systolic::layers
