// Tested by: systolic/layers/attention/multi_head_attention_platform_test.cc
#include "systolic/layers/attention/projection.h"

#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic::layers {

namespace {

class EinsumDenseBase final : public LayerBase {
 public:
  explicit EinsumDenseBase(ProjectionOptions options)
      : LayerBase(options.layer), options_(std::move(options)) {
    set_input_spec({.min_rank = options_.inputs + 1});
  }

  std::string_view class_name() const override { return "EinsumDense"; }
  bool supports_masking() const override { return true; }

  void build(const Shape& input_shape) override {
    Shape kernel = Shape::scalar();
    for (int i = options_.inputs; i > 0; --i) kernel.push_back(input_shape[-i]);
    for (const int64_t size : options_.outputs) kernel.push_back(size);
    kernel_ = add_weight({.name = "kernel",
                          .shape = kernel,
                          .initializer = options_.kernel_initializer,
                          .regularizer = options_.kernel_regularizer,
                          .constraint = options_.kernel_constraint});
    if (!options_.use_bias) return;
    bias_ = add_weight({.name = "bias",
                        .shape = options_.outputs,
                        .initializer = options_.bias_initializer,
                        .regularizer = options_.bias_regularizer,
                        .constraint = options_.bias_constraint});
  }

  Tensor call(Tensor x, CallContext) override {
    // One product of matrices.
    const Shape output = compute_output_shape(x.shape());
    const int64_t columns = options_.outputs.elements();
    int64_t summed = 1;
    for (int i = options_.inputs; i > 0; --i) summed *= x.shape()[-i];
    x = reshape(x, {output.elements() / columns, summed});
    Tensor y = matmul(x, reshape(value(kernel_), {summed, columns}));
    if (options_.use_bias) y = y + reshape(value(bias_), {columns});
    y = reshape(y, output);
    return options_.activation(y);
  }

  Shape compute_output_shape(const Shape& input_shape) const override {
    Shape out = input_shape;
    for (int i = 0; i < options_.inputs; ++i) out.erase(-1);
    for (const int64_t size : options_.outputs) out.push_back(size);
    return out;
  }

 private:
  ProjectionOptions options_;
  Variable kernel_;
  Variable bias_;
};

}  // namespace

Layer make_projection(ProjectionOptions options) {
  return Layer(std::make_shared<EinsumDenseBase>(std::move(options)));
}

}  // namespace systolic::layers
