#include "systolic/layers/core/input_layer.h"

namespace systolic::layers {

namespace {

class InputBase final : public LayerBase {
 public:
  InputBase(const Shape& shape, InputOptions options,
            const SourceLocation& where)
      : LayerBase({.dtype = options.dtype, .name = std::move(options.name)}) {
    if (!shape.is_set()) {
      error()
          .expected("a shape without the batch axis, such as {28, 28, 1}")
          .got("none")
          .hint("a single number per example is Shape::scalar()")
          .at(where)
          .raise<ValueError>();
    }
    if (options.batch_size && *options.batch_size < 1) {
      error()
          .expected("batch_size > 0")
          .got(*options.batch_size)
          .at(where)
          .raise<ValueError>();
    }
    Shape batch = shape;
    batch.insert(0, options.batch_size.value_or(-1));
    set_batch_input_shape(batch);
    InputSpec spec{.rank = batch.rank()};
    for (int i = 0; i < batch.rank(); ++i) {
      if (batch[i] >= 0) spec.axes.emplace_back(i, batch[i]);
    }
    set_input_spec(std::move(spec));
  }

  std::string_view class_name() const override { return "InputLayer"; }

  Tensor call(Tensor x, CallContext) override { return x; }

  Shape compute_output_shape(const Shape& input_shape) const override {
    return input_shape;
  }
};

}  // namespace

InputLayer::InputLayer(const Shape& shape, InputOptions options,
                       SourceLocation where)
    : Layer(std::make_shared<InputBase>(shape, std::move(options), where)) {}

}  // namespace systolic::layers
