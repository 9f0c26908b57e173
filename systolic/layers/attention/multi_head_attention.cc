#include "systolic/layers/attention/multi_head_attention.h"

#include <cmath>

#include "systolic/layers/attention/projection.h"
#include "systolic/layers/attention/scores.h"
#include "systolic/layers/regularization/dropout.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/nn.h"

namespace systolic::layers {

namespace {

// Which of the inputs behind query and value a call has.
struct AttentionArguments final : CallArguments {
  bool has_key = false;
  bool has_mask = false;
  bool use_causal_mask = false;
  bool return_scores = false;
};

// (batch, positions, heads, size) as (batch, heads, positions, size).
Tensor by_head(const Tensor& x) { return transpose(x, {0, 2, 1, 3}); }

class MultiHeadAttentionBase final : public LayerBase {
 public:
  MultiHeadAttentionBase(int64_t num_heads, int64_t key_dim,
                         MultiHeadAttentionOptions options,
                         const SourceLocation& where)
      : LayerBase({.input_shape = options.input_shape,
                   .trainable = options.trainable,
                   .dtype = options.dtype,
                   .name = options.name}),
        num_heads_(num_heads),
        key_dim_(key_dim),
        options_(std::move(options)) {
    const std::pair<std::string_view, int64_t> sizes[] = {
        {"num_heads", num_heads},
        {"key_dim", key_dim},
        {"value_dim", options_.value_dim == 0 ? 1 : options_.value_dim},
        {"output_shape",
         options_.output_shape == 0 ? 1 : options_.output_shape},
        {"sliding_window", options_.sliding_window.value_or(1)}};
    for (const auto& [name, size] : sizes) {
      if (size > 0) continue;
      error().expected(name, " > 0").got(size).at(where).raise<ValueError>();
    }
    if (options_.value_dim == 0) options_.value_dim = key_dim;
    if (!(options_.dropout >= 0 && options_.dropout <= 1)) {
      error()
          .expected("0 <= dropout <= 1")
          .got(options_.dropout)
          .at(where)
          .raise<ValueError>();
    }
  }

  std::string_view class_name() const override { return "MultiHeadAttention"; }

  void build_all(const std::vector<Shape>& shapes) override {
    check_shapes(shapes);
    const Shape heads{num_heads_, key_dim_};
    const Shape value_heads{num_heads_, options_.value_dim};
    const int64_t features =
        options_.output_shape == 0 ? shapes[0][-1] : options_.output_shape;
    query_ = add("query_dense", "query", 1, heads);
    key_ = add("key_dense", "key", 1, heads);
    if (options_.use_gate) {
      gate_ = add("gate_dense", "gate", 1, value_heads, "sigmoid");
    }
    value_ = add("value_dense", "value", 1, value_heads);
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
    output_.build({shapes[0][0], shapes[0][1], num_heads_, options_.value_dim});
    if (options_.dropout > 0) {
      dropout_.build({shapes[0][0], num_heads_, shapes[0][1], shapes[1][1]});
    }
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
    const Tensor mask = how.has_mask ? inputs[how.has_key ? 3 : 2] : Tensor();
    const CallContext inner{.training = context.training};
    const double scale = 1 / std::sqrt(static_cast<double>(key_dim_));
    const Tensor scores = attention_scores(
        by_head(query_(query, inner)) * scale, by_head(key_(key, inner)),
        allowed(query.shape()[1], value.shape()[1], mask, how),
        compute_dtype());
    const Tensor kept = options_.dropout > 0 ? dropout_(scores, inner) : scores;
    Tensor y = by_head(matmul(kept, by_head(value_(value, inner))));
    if (options_.use_gate) y = y * gate_(query, inner);
    y = output_(y, inner);
    if (options_.activity_regularizer.is_set()) {
      add_loss(options_.activity_regularizer(y));
    }
    if (how.return_scores) return {y, scores};
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
      if (shapes[i].rank() == 3) continue;
      error()
          .expected("a ", i == 0 ? "query" : "value",
                    " of rank 3, (batch, positions, features)")
          .got("rank ", shapes[i].rank())
          .detail("input", shapes[i])
          .at(call_site())
          .raise<ShapeError>();
    }
  }

  // Which of the source each target may look at, as it broadcasts against
  // (batch, heads, target, source); undefined: all.
  Tensor allowed(int64_t target, int64_t source, const Tensor& mask,
                 const AttentionArguments& how) const {
    Tensor all;
    if (mask.is_defined()) all = given_mask(mask, target, source);
    if (!how.use_causal_mask && !options_.sliding_window) return all;
    const Tensor row = reshape(arange(target), {target, 1});
    const Tensor column = reshape(arange(source), {1, source});
    if (how.use_causal_mask) {
      const Tensor before = greater_equal(row, column);
      all = all.is_defined() ? logical_and(all, before) : before;
    }
    if (options_.sliding_window) {
      const Tensor near =
          less(abs(row - column), static_cast<int>(*options_.sliding_window));
      all = all.is_defined() ? logical_and(all, near) : near;
    }
    return all;
  }

  Tensor given_mask(const Tensor& mask, int64_t target, int64_t source) const {
    const Shape& shape = mask.shape();
    const bool fits = shape.rank() >= 2 && shape.rank() <= 4 &&
                      (shape[-1] == source || shape[-1] == 1) &&
                      (shape[-2] == target || shape[-2] == 1);
    if (!fits) {
      error()
          .expected("an attention_mask of shape (batch, ", target, ", ", source,
                    ")")
          .got(shape)
          .hint("a mask of the source alone gets an axis: expand_dims(mask, 1)")
          .at(call_site())
          .raise<ShapeError>();
    }
    const Tensor as_bool =
        mask.dtype() == DType::boolean ? mask : cast(mask, DType::boolean);
    return shape.rank() == 3 ? expand_dims(as_bool, 1) : as_bool;
  }

  int64_t num_heads_;
  int64_t key_dim_;
  MultiHeadAttentionOptions options_;
  Layer query_, key_, value_, gate_, output_, dropout_;
};

// A call as the base class takes it.
std::vector<Tensor> call_attention(const Layer& layer, const Tensor& query,
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

}  // namespace

MultiHeadAttention::MultiHeadAttention(int64_t num_heads, int64_t key_dim,
                                       MultiHeadAttentionOptions options,
                                       SourceLocation where)
    : Layer(std::make_shared<MultiHeadAttentionBase>(
          num_heads, key_dim, std::move(options), where)) {}

Tensor MultiHeadAttention::operator()(const Tensor& query, const Tensor& value,
                                      const AttentionCall& call,
                                      SourceLocation where) const {
  return call_attention(*this, query, value, call, false, where)[0];
}

std::pair<Tensor, Tensor> MultiHeadAttention::with_scores(
    const Tensor& query, const Tensor& value, const AttentionCall& call,
    SourceLocation where) const {
  const std::vector<Tensor> both =
      call_attention(*this, query, value, call, true, where);
  return {both[0], both[1]};
}

}  // namespace systolic::layers
