#include "systolic/layers/reshaping/reshape.h"

#include <algorithm>
#include <numeric>

#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic::layers {

namespace {

class ReshapeBase final : public LayerBase {
 public:
  ReshapeBase(Shape target, const ReshapeOptions& options,
              const SourceLocation& where)
      : LayerBase(layer_options(options)), target_(std::move(target)) {
    if (std::ranges::count(target_, -1) > 1) {
      error()
          .expected("at most one size of -1 in target_shape")
          .got(target_)
          .at(where)
          .raise<ValueError>();
    }
  }

  std::string_view class_name() const override { return "Reshape"; }

  Tensor call(Tensor x, CallContext) override {
    return reshape(x, compute_output_shape(x.shape()));
  }

  Shape compute_output_shape(const Shape& input_shape) const override {
    int64_t elements = 1, known = 1;
    for (int i = 1; i < input_shape.rank(); ++i) {
      elements =
          elements < 0 || input_shape[i] < 0 ? -1 : elements * input_shape[i];
    }
    for (const int64_t size : target_) known *= size < 0 ? 1 : size;
    Shape out{input_shape[0]};
    for (const int64_t size : target_) {
      const bool open = size < 0 && elements >= 0 && known > 0;
      out.push_back(open ? elements / known : size);
    }
    const bool has_open = std::ranges::count(target_, -1) > 0;
    const bool fits =
        elements < 0 ||
        (has_open ? known > 0 && elements % known == 0 : elements == known);
    if (fits) return out;
    error()
        .expected("inputs with as many elements as target_shape ", target_)
        .got(elements, " elements")
        .detail("input", input_shape)
        .at(call_site())
        .raise<ShapeError>();
  }

 private:
  Shape target_;
};

class PermuteBase final : public LayerBase {
 public:
  PermuteBase(std::vector<int> dims, const PermuteOptions& options,
              const SourceLocation& where)
      : LayerBase(layer_options(options)), dims_(std::move(dims)) {
    std::vector<int> sorted = dims_, wanted(dims_.size());
    std::ranges::sort(sorted);
    std::iota(wanted.begin(), wanted.end(), 1);
    if (sorted != wanted) {
      const std::vector<int64_t> shown(dims_.begin(), dims_.end());
      error()
          .expected("dims with each of 1 ... ", dims_.size(), " once")
          .got(Shape(shown))
          .hint("axis 0, the batch, stays where it is")
          .at(where)
          .raise<ValueError>();
    }
    set_input_spec({.rank = static_cast<int>(dims_.size()) + 1});
  }

  std::string_view class_name() const override { return "Permute"; }

  Tensor call(Tensor x, CallContext) override {
    std::vector<int> order{0};
    order.insert(order.end(), dims_.begin(), dims_.end());
    return transpose(x, order);
  }

  Shape compute_output_shape(const Shape& input_shape) const override {
    Shape out{input_shape[0]};
    for (const int axis : dims_) out.push_back(input_shape[axis]);
    return out;
  }

 private:
  std::vector<int> dims_;
};

class RepeatVectorBase final : public LayerBase {
 public:
  RepeatVectorBase(int64_t n, const RepeatVectorOptions& options,
                   const SourceLocation& where)
      : LayerBase(layer_options(options)), n_(n) {
    if (n <= 0) {
      error().expected("n > 0").got(n).at(where).raise<ValueError>();
    }
    set_input_spec({.rank = 2});
  }

  std::string_view class_name() const override { return "RepeatVector"; }

  Tensor call(Tensor x, CallContext) override {
    return broadcast_to(expand_dims(x, 1), compute_output_shape(x.shape()));
  }

  Shape compute_output_shape(const Shape& input_shape) const override {
    return {input_shape[0], n_, input_shape[1]};
  }

 private:
  int64_t n_;
};

}  // namespace

Reshape::Reshape(Shape target_shape, ReshapeOptions options,
                 SourceLocation where)
    : Layer(std::make_shared<ReshapeBase>(std::move(target_shape), options,
                                          where)) {}

Permute::Permute(std::vector<int> dims, PermuteOptions options,
                 SourceLocation where)
    : Layer(std::make_shared<PermuteBase>(std::move(dims), options, where)) {}

RepeatVector::RepeatVector(Dim n, RepeatVectorOptions options,
                           SourceLocation where)
    : Layer(std::make_shared<RepeatVectorBase>(n, options, where)) {}

}  // namespace systolic::layers
