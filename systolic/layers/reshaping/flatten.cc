#include "systolic/layers/reshaping/flatten.h"

#include <vector>

#include "systolic/ops/manipulation.h"

namespace systolic::layers {

namespace {

class FlattenBase final : public LayerBase {
 public:
  explicit FlattenBase(FlattenOptions options)
      : LayerBase(layer_options(options)), data_format_(options.data_format) {
    set_input_spec({.min_rank = 1});
  }

  std::string_view class_name() const override { return "Flatten"; }

  Tensor call(Tensor x, CallContext) override {
    const Shape output = compute_output_shape(x.shape());
    if (data_format_ == DataFormat::channels_first && x.rank() > 2) {
      std::vector<int> order{0};
      for (int i = 2; i < x.rank(); ++i) order.push_back(i);
      order.push_back(1);
      x = transpose(x, order);
    }
    return reshape(x, output);
  }

  Shape compute_output_shape(const Shape& input_shape) const override {
    int64_t size = 1;
    for (int i = 1; i < input_shape.rank(); ++i) {
      size = size < 0 || input_shape[i] < 0 ? -1 : size * input_shape[i];
    }
    return {input_shape[0], size};
  }

 private:
  DataFormat data_format_;
};

}  // namespace

Flatten::Flatten(FlattenOptions options)
    : Layer(std::make_shared<FlattenBase>(std::move(options))) {}

}  // namespace systolic::layers
