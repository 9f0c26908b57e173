// Tested by: systolic/layers/attention/multi_head_attention_platform_test.cc
#include "systolic/layers/attention/multi_head.h"

#include <cmath>

#include "systolic/layers/attention/projection.h"
#include "systolic/layers/attention/scores.h"
#include "systolic/layers/regularization/dropout.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/nn.h"
#include "systolic/ops/rearrange.h"

namespace systolic::layers {

namespace {

// Which of the inputs behind query and value a call has.
struct AttentionArguments final : CallArguments {
  bool has_key = false;
  bool has_mask = false;
  bool use_causal_mask = false;
  bool return_scores = false;
};

class MultiHeadBase final : public LayerBase {
 public:
  MultiHeadBase(MultiHead how, const SourceLocation& where)
      : LayerBase({.input_shape = how.options.input_shape,
                   .trainable = how.options.trainable,
                   .dtype = how.options.dtype,
                   .name = how.options.name}),
        name_of_class_(how.class_name),
        num_heads_(how.num_heads),
        key_value_heads_(how.key_value_heads),
        key_dim_(how.key_dim),
        options_(std::move(how.options)) {
    const std::pair<std::string_view, int64_t> sizes[] = {
        {"num_heads", num_heads_},
        {"key_dim", key_dim_},
        {"value_dim", options_.value_dim == 0 ? 1 : options_.value_dim},
        {"output_shape",
         options_.output_shape == 0 ? 1 : options_.output_shape},
        {"sliding_window", options_.sliding_window.value_or(1)}};
    for (const auto& [name, size] : sizes) {
      if (size > 0) continue;
      error().expected(name, " > 0").got(size).at(where).raise<ValueError>();
    }
    if (options_.value_dim == 0) options_.value_dim = key_dim_;
    if (!(options_.dropout >= 0 && options_.dropout <= 1)) {
      error()
          .expected("0 <= dropout <= 1")
          .got(options_.dropout)
          .at(where)
          .raise<ValueError>();
    }
  }

  std::string_view class_name() const override { return name_of_class_; }
  bool supports_masking() const override { return true; }

  void build_all(const std::vector<Shape>& shapes) override {
    check_shapes(shapes);
    const Shape heads{num_heads_, key_dim_};
    const Shape value_heads{num_heads_, options_.value_dim};
    split_axes(shapes[0].rank());
    const int64_t features =
        options_.output_shape == 0 ? shapes[0][-1] : options_.output_shape;
    query_ = add("query_dense", "query", 1, heads);
    key_ = add("key_dense", "key", 1, {key_value_heads_, key_dim_});
    if (options_.use_gate) {
      gate_ = add("gate_dense", "gate", 1, value_heads, "sigmoid");
    }
    value_ =
        add("value_dense", "value", 1, {key_value_heads_, options_.value_dim});
    output_ = add("output_dense", "attention_output", 2, {features});
    if (options_.dropout > 0) {
      dropout_ = track("dropout_layer",
                       Dropout(options_.dropout, {.seed = options_.seed,
                                                  .dtype = dtype_policy()}));
    }
    const Shape& key = shapes[arguments(shapes.size()).has_key ? 2 : 1];
    query_.build(shapes[0]);
    key_.build(key);
    if (options_.use_gate) gate_.build(shapes[0]);
    value_.build(shapes[1]);
    Shape heads_first = shapes[0];
    heads_first.set(-1, num_heads_);
    heads_first.push_back(options_.value_dim);
    output_.build(heads_first);
    if (options_.dropout > 0) dropout_.build(heads_first);
  }

  std::vector<Tensor> call_all(std::vector<Tensor> inputs,
                               CallContext context) override {
    const AttentionArguments how = arguments(inputs.size());
    std::vector<Shape> shapes;
    for (const Tensor& x : inputs) shapes.push_back(x.shape());
    check_shapes(shapes);
    const Tensor& query = inputs[0];
    const Tensor& value = inputs[1];
    const Tensor& key = how.has_key ? inputs[2] : value;
    const CallContext inner{.training = context.training};
    const double scale = 1 / std::sqrt(static_cast<double>(key_dim_));
    const Tensor scores =
        attention_scores(by_head(query_(query, inner)) * scale,
                         by_head(of_all_heads(key_(key, inner))),
                         allowed(inputs, context, how), compute_dtype());
    const Tensor kept = options_.dropout > 0 ? dropout_(scores, inner) : scores;
    Tensor y =
        by_position(matmul(kept, by_head(of_all_heads(value_(value, inner)))),
                    query.shape());
    if (options_.use_gate) y = y * gate_(query, inner);
    y = output_(y, inner);
    if (options_.activity_regularizer.is_set()) {
      add_loss(options_.activity_regularizer(y));
    }
    if (how.return_scores) {
      return {y, scores_of_axes(scores, query.shape(), value.shape())};
    }
    return {y};
  }

  std::vector<Shape> compute_output_shapes(
      const std::vector<Shape>& shapes) const override {
    check_shapes(shapes);
    Shape out = shapes[0];
    if (options_.output_shape != 0) out.set(-1, options_.output_shape);
    return {out};
  }

 private:
  // What the call was told; where it is called as any layer, that a third
  // input is the key.
  static AttentionArguments arguments(size_t inputs) {
    const std::shared_ptr<const CallArguments> given = current_arguments();
    if (const auto* told =
            dynamic_cast<const AttentionArguments*>(given.get())) {
      return *told;
    }
    AttentionArguments how;
    how.has_key = inputs > 2;
    return how;
  }

  Layer add(const std::string& tracked, const std::string& name, int inputs,
            const Shape& outputs, activations::Activation activation = {}) {
    return track(
        tracked,
        make_projection({.inputs = inputs,
                         .outputs = outputs,
                         .use_bias = options_.use_bias,
                         .activation = std::move(activation),
                         .kernel_initializer = options_.kernel_initializer,
                         .bias_initializer = options_.bias_initializer,
                         .kernel_regularizer = options_.kernel_regularizer,
                         .bias_regularizer = options_.bias_regularizer,
                         .kernel_constraint = options_.kernel_constraint,
                         .bias_constraint = options_.bias_constraint,
                         .layer = {.trainable = trainable(),
                                   .dtype = dtype_policy(),
                                   .name = name}}));
  }

  void check_shapes(const std::vector<Shape>& shapes) const {
    if (shapes.size() < 2) {
      error()
          .expected("a query and a value")
          .got("one input")
          .hint("for self-attention give the same Tensor twice: mha(x, x)")
          .at(call_site())
          .raise<ValueError>();
    }
    for (size_t i = 0; i < 2; ++i) {
      if (shapes[i].rank() >= 3 && shapes[i].rank() == shapes[0].rank()) {
        continue;
      }
      error()
          .expected("a ", i == 0 ? "query" : "value", " of rank ",
                    std::max(3, shapes[0].rank()),
                    ", (batch, positions, features)")
          .got("rank ", shapes[i].rank())
          .detail("input", shapes[i])
          .at(call_site())
          .raise<ShapeError>();
    }
  }

  // Which axes attention goes along, and which are as the batch.
  void split_axes(int rank) {
    attended_.clear();
    free_.clear();
    for (int axis = 1; axis + 1 < rank; ++axis) {
      const bool attended = !options_.attention_axes.is_set() ||
                            options_.attention_axes.contains(axis) ||
                            options_.attention_axes.contains(axis - rank);
      (attended ? attended_ : free_).push_back(axis);
    }
    if (!attended_.empty() && (!options_.attention_axes.is_set() ||
                               options_.attention_axes.size() ==
                                   static_cast<int>(attended_.size()))) {
      return;
    }
    error()
        .expected("attention_axes between the batch and the features of rank ",
                  rank)
        .got(options_.attention_axes.to_string())
        .at(call_site())
        .raise<ValueError>();
  }

  // Each head of key and value as often as heads of the query share it.
  Tensor of_all_heads(const Tensor& x) const {
    if (key_value_heads_ == num_heads_) return x;
    return repeat(x, num_heads_ / key_value_heads_, -2);
  }

  // How by_head orders (batch, axes..., heads, size).
  std::vector<int> order(int rank) const {
    std::vector<int> axes{0};
    axes.insert(axes.end(), free_.begin(), free_.end());
    axes.push_back(rank - 2);
    axes.insert(axes.end(), attended_.begin(), attended_.end());
    axes.push_back(rank - 1);
    return axes;
  }

  // As (batch, free..., heads, positions, size), one axis for all positions.
  Tensor by_head(const Tensor& x) const {
    const Tensor y = transpose(x, order(x.rank()));
    if (attended_.size() == 1) return y;
    Shape shape = Shape::scalar();
    const int heads = static_cast<int>(free_.size()) + 1;
    for (int i = 0; i <= heads; ++i) shape.push_back(y.shape()[i]);
    shape.push_back(positions(x.shape()));
    shape.push_back(y.shape()[-1]);
    return reshape(y, shape);
  }

  // The way back, for a query of that shape.
  Tensor by_position(Tensor y, const Shape& query) const {
    const std::vector<int> there = order(query.rank() + 1);
    Shape shape = Shape::scalar();
    for (const int axis : there) {
      shape.push_back(axis == query.rank() - 1 ? num_heads_
                      : axis == query.rank()   ? y.shape()[-1]
                                               : query[axis]);
    }
    if (attended_.size() > 1) y = reshape(y, shape);
    std::vector<int> back(there.size());
    for (size_t i = 0; i < there.size(); ++i) {
      back[static_cast<size_t>(there[i])] = static_cast<int>(i);
    }
    return transpose(y, back);
  }

  int64_t positions(const Shape& shape) const {
    int64_t count = 1;
    for (const int axis : attended_) count *= shape[axis];
    return count;
  }

  // As Keras returns them: (batch, free..., heads, target..., source...).
  Tensor scores_of_axes(const Tensor& scores, const Shape& query,
                        const Shape& value) const {
    if (attended_.size() == 1) return scores;
    Shape shape = Shape::scalar();
    for (int i = 0; i + 2 < scores.rank(); ++i) {
      shape.push_back(scores.shape()[i]);
    }
    for (const Shape* one : {&query, &value}) {
      for (const int axis : attended_) shape.push_back((*one)[axis]);
    }
    return reshape(scores, shape);
  }

  // Which of the source each target may look at, as it broadcasts against
  // (batch, free..., heads, target, source); undefined: all.
  Tensor allowed(const std::vector<Tensor>& inputs, const CallContext& context,
                 const AttentionArguments& how) const {
    const int64_t target = positions(inputs[0].shape());
    const int64_t source = positions(inputs[1].shape());
    Tensor all;
    const auto restrict_to = [&all](const Tensor& more) {
      all = all.is_defined() ? logical_and(all, more) : more;
    };
    if (how.has_mask) {
      restrict_to(given_mask(inputs[how.has_key ? 3 : 2], inputs));
    }
    for (size_t i = 0; i < (how.has_key ? 3u : 2u); ++i) {
      const Tensor mask = context.mask(i);
      if (!mask.is_defined()) continue;
      Shape shape = Shape::filled(static_cast<int>(free_.size()) + 4, 1);
      shape.set(0, mask.shape()[0]);
      shape.set(i == 0 ? -2 : -1, i == 0 ? target : source);
      restrict_to(reshape(mask, shape));
    }
    const Tensor row = reshape(arange(target), {target, 1});
    const Tensor column = reshape(arange(source), {1, source});
    if (how.use_causal_mask) restrict_to(greater_equal(row, column));
    if (options_.sliding_window) {
      restrict_to(
          less(abs(row - column), static_cast<int>(*options_.sliding_window)));
    }
    return all;
  }

  // An attention_mask (batch, target..., source...), the batch or also heads
  // in front, as it broadcasts against the scores.
  Tensor given_mask(const Tensor& mask,
                    const std::vector<Tensor>& inputs) const {
    Shape places = Shape::scalar();
    for (const int i : {0, 1}) {
      for (const int axis : attended_) {
        places.push_back(inputs[static_cast<size_t>(i)].shape()[axis]);
      }
    }
    const Shape& shape = mask.shape();
    const int rank = static_cast<int>(free_.size()) + 2 + places.rank();
    bool fits = shape.rank() >= places.rank() && shape.rank() <= rank;
    for (int i = 1; fits && i <= places.rank(); ++i) {
      fits = shape[-i] == places[-i] || shape[-i] == 1;
    }
    if (!fits) {
      std::string wanted = "(batch";
      for (const int64_t size : places) wanted += ", " + std::to_string(size);
      error()
          .expected("an attention_mask of shape ", wanted, ")")
          .got(shape)
          .hint("a mask of the source alone gets an axis: expand_dims(mask, 1)")
          .at(call_site())
          .raise<ShapeError>();
    }
    Tensor as_bool =
        mask.dtype() == DType::boolean ? mask : cast(mask, DType::boolean);
    const int missing = rank - shape.rank();
    const int place = shape.rank() - places.rank();
    for (int i = 0; i < missing; ++i) as_bool = expand_dims(as_bool, place);
    if (attended_.size() == 1) return as_bool;
    // All positions lie along one axis.
    Shape full = as_bool.shape();
    for (int i = 1; i <= places.rank(); ++i) full.set(-i, places[-i]);
    Shape merged = Shape::scalar();
    for (int i = 0; i < rank - places.rank(); ++i) merged.push_back(full[i]);
    merged.push_back(positions(inputs[0].shape()));
    merged.push_back(positions(inputs[1].shape()));
    return reshape(broadcast_to(as_bool, full), merged);
  }

  std::string_view name_of_class_;
  int64_t num_heads_;
  int64_t key_value_heads_;
  int64_t key_dim_;
  MultiHeadAttentionOptions options_;
  std::vector<int> attended_, free_;
  Layer query_, key_, value_, gate_, output_, dropout_;
};

}  // namespace

std::shared_ptr<LayerBase> make_multi_head(MultiHead how,
                                           const SourceLocation& where) {
  return std::make_shared<MultiHeadBase>(std::move(how), where);
}

std::vector<Tensor> call_multi_head(const Layer& layer, const Tensor& query,
                                    const Tensor& value,
                                    const AttentionCall& call,
                                    bool return_scores,
                                    const SourceLocation& where) {
  auto how = std::make_shared<AttentionArguments>();
  how->has_key = call.key.is_defined();
  how->has_mask = call.attention_mask.is_defined();
  how->use_causal_mask = call.use_causal_mask;
  how->return_scores = return_scores;
  std::vector<Tensor> inputs{query, value};
  if (how->has_key) inputs.push_back(call.key);
  if (how->has_mask) inputs.push_back(call.attention_mask);
  if (!call.training) return layer.call_with(inputs, std::move(how), where);
  const CallContext context{.training = *call.training,
                            .arguments = std::move(how)};
  return layer.call_all(inputs, context, where);
}

}  // namespace systolic::layers
