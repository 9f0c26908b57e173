#include "systolic/layers/core/input_layer.h"

#include <atomic>

#include "systolic/array/stand_in.h"
#include "systolic/layers/layer_call.h"

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

namespace {

// Unknown sizes of one input differ from each other and, as far as the
// stand-ins go, from those of other inputs.
Shape with_stand_ins(Shape shape) {
  static std::atomic<size_t> next{0};
  if (shape[0] < 0) shape.set(0, internal::kStandInBatch);
  for (int i = 1; i < shape.rank(); ++i) {
    if (shape[i] >= 0) continue;
    const size_t turn = next++ % internal::kStandInSizes.size();
    shape.set(i, internal::kStandInSizes[turn]);
  }
  return shape;
}

}  // namespace

Tensor Input(const Shape& shape, const InputOptions& options,
             SourceLocation where) {
  const InputLayer layer(shape, options, where);
  layer.build(layer.batch_input_shape(), where);
  internal::LayerCall call{.layer = layer};
  // Keras: data stay float32 under a mixed policy.
  const DType dtype =
      options.dtype.is_set() ? layer.compute_dtype() : DType::float32;
  call.results = {{dtype, with_stand_ins(layer.batch_input_shape())}};
  return internal::record_layer_call(std::move(call), {}, where)[0];
}

}  // namespace systolic::layers
