#include "systolic/layers/attention/attention.h"

#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/nn.h"
#include "systolic/ops/random.h"
#include "systolic/ops/reductions.h"

namespace systolic::layers {

namespace {

using Inputs = std::vector<Tensor>;

// How the scores are made.
enum class Scores : uint8_t { dot, concat, additive };

struct SequenceArguments final : CallArguments {
  bool use_causal_mask = false;
  bool return_scores = false;
};

class AttentionBase final : public LayerBase {
 public:
  AttentionBase(std::string_view class_name, Scores scores,
                const AttentionOptions& options, const SourceLocation& where)
      : LayerBase({.trainable = options.trainable,
                   .dtype = options.dtype,
                   .name = options.name}),
        name_of_class_(class_name),
        scores_(scores),
        use_scale_(options.use_scale),
        dropout_(options.dropout),
        seed_(options.seed) {
    if (dropout_ >= 0 && dropout_ <= 1) return;
    error()
        .expected("0 <= dropout <= 1")
        .got(dropout_)
        .at(where)
        .raise<ValueError>();
  }

  std::string_view class_name() const override { return name_of_class_; }
  bool supports_masking() const override { return true; }

  void build_all(const std::vector<Shape>& shapes) override {
    check_shapes(shapes);
    if (use_scale_) {
      const bool additive = scores_ == Scores::additive;
      scale_ = add_weight(
          {.name = "scale",
           .shape = additive ? Shape{shapes[0][-1]} : Shape::scalar(),
           .initializer = additive ? "glorot_uniform" : "ones"});
    }
    if (scores_ == Scores::concat) {
      concat_weight_ =
          add_weight({.name = "concat_score_weight", .initializer = "ones"});
    }
    if (dropout_ > 0) generator_ = add_seed_generator(seed_);
  }

  Inputs call_all(Inputs inputs, CallContext context) override {
    const auto given = current_arguments();
    const auto* told = dynamic_cast<const SequenceArguments*>(given.get());
    std::vector<Shape> shapes;
    for (const Tensor& x : inputs) shapes.push_back(x.shape());
    check_shapes(shapes);
    const Tensor& key = inputs.size() > 2 ? inputs[2] : inputs[1];
    Tensor scores = scores_of(inputs[0], key);
    const Tensor counts = allowed(scores, context.mask(1),
                                  told != nullptr && told->use_causal_mask);
    if (counts.is_defined()) {
      // Far from all other scores, within the dtype's range.
      const double far = scores.dtype() == DType::float16 ? 65504.0 : 1e9;
      scores = where(counts, scores, scores - far);
    }
    const Tensor weights = nn::softmax(scores);
    Tensor kept = weights;
    if (context.training && dropout_ > 0) {
      kept = random::dropout(weights, dropout_, {.seed = *generator_});
    }
    Tensor y = matmul(kept, inputs[1]);
    if (const Tensor mask = context.mask(0); mask.is_defined()) {
      y = where(expand_dims(mask, -1), y, 0);
    }
    if (told != nullptr && told->return_scores) return {y, weights};
    return {y};
  }

  std::vector<Shape> compute_output_shapes(
      const std::vector<Shape>& shapes) const override {
    check_shapes(shapes);
    Shape out = shapes[0];
    out.set(-1, shapes[1][-1]);
    return {out};
  }

 private:
  void check_shapes(const std::vector<Shape>& shapes) const {
    if (shapes.size() < 2 || shapes.size() > 3) {
      error()
          .expected("a query, a value and perhaps a key")
          .got(shapes.size(), " inputs")
          .hint("for self-attention give the same Tensor twice: {x, x}")
          .at(call_site())
          .raise<ValueError>();
    }
    for (const Shape& shape : shapes) {
      if (shape.rank() == 3) continue;
      error()
          .expected("inputs of rank 3, (batch, steps, features)")
          .got("rank ", shape.rank())
          .detail("input", shape)
          .at(call_site())
          .raise<ShapeError>();
    }
  }

  Tensor scores_of(const Tensor& query, const Tensor& key) const {
    if (scores_ == Scores::dot) {
      const Tensor scores = matmul(query, transpose(key, {0, 2, 1}));
      return use_scale_ ? scores * value(scale_) : scores;
    }
    // (batch, target, source, dim).
    Tensor both = expand_dims(query, -2) + expand_dims(key, -3);
    if (scores_ == Scores::additive) {
      both = tanh(both);
      return sum(use_scale_ ? both * value(scale_) : both, {.axis = -1});
    }
    both = tanh(use_scale_ ? both * value(scale_) : both);
    return value(concat_weight_) * sum(both, {.axis = -1});
  }

  static Tensor allowed(const Tensor& scores, const Tensor& value_mask,
                        bool is_causal) {
    Tensor counts;
    if (value_mask.is_defined()) counts = expand_dims(value_mask, -2);
    if (!is_causal) return counts;
    const int64_t target = scores.shape()[-2], source = scores.shape()[-1];
    const Tensor before = greater_equal(reshape(arange(target), {target, 1}),
                                        reshape(arange(source), {1, source}));
    return counts.is_defined() ? logical_and(counts, before) : before;
  }

  std::string_view name_of_class_;
  Scores scores_;
  bool use_scale_;
  double dropout_;
  std::optional<int64_t> seed_;
  std::optional<random::SeedGenerator> generator_;
  Variable scale_, concat_weight_;
};

std::shared_ptr<LayerBase> make_attention(const AttentionOptions& options,
                                          const SourceLocation& where) {
  if (options.score_mode != "dot" && options.score_mode != "concat") {
    internal::Message("Attention")
        .expected("score_mode 'dot' or 'concat'")
        .got("'", options.score_mode, "'")
        .at(where)
        .raise<ValueError>();
  }
  const Scores scores =
      options.score_mode == "dot" ? Scores::dot : Scores::concat;
  return std::make_shared<AttentionBase>("Attention", scores, options, where);
}

Inputs call_attention(const Layer& layer, const Inputs& inputs,
                      const SequenceAttentionCall& call, bool return_scores,
                      const SourceLocation& where) {
  auto how = std::make_shared<SequenceArguments>();
  how->use_causal_mask = call.use_causal_mask;
  how->return_scores = return_scores;
  if (!call.training) return layer.call_with(inputs, std::move(how), where);
  const CallContext context{.training = *call.training,
                            .arguments = std::move(how)};
  return layer.call_all(inputs, context, where);
}

std::pair<Tensor, Tensor> pair_of(const Inputs& both) {
  return {both[0], both[1]};
}

}  // namespace

Attention::Attention(AttentionOptions options, SourceLocation where)
    : Layer(make_attention(options, where)) {}

Tensor Attention::operator()(const std::vector<Tensor>& inputs,
                             const SequenceAttentionCall& call,
                             SourceLocation where) const {
  return call_attention(*this, inputs, call, false, where)[0];
}

std::pair<Tensor, Tensor> Attention::with_scores(
    const std::vector<Tensor>& inputs, const SequenceAttentionCall& call,
    SourceLocation where) const {
  return pair_of(call_attention(*this, inputs, call, true, where));
}

AdditiveAttention::AdditiveAttention(AdditiveAttentionOptions options,
                                     SourceLocation where)
    : Layer(std::make_shared<AttentionBase>(
          "AdditiveAttention", Scores::additive,
          AttentionOptions{.use_scale = options.use_scale,
                           .dropout = options.dropout,
                           .seed = options.seed,
                           .trainable = options.trainable,
                           .dtype = options.dtype,
                           .name = options.name},
          where)) {}

Tensor AdditiveAttention::operator()(const std::vector<Tensor>& inputs,
                                     const SequenceAttentionCall& call,
                                     SourceLocation where) const {
  return call_attention(*this, inputs, call, false, where)[0];
}

std::pair<Tensor, Tensor> AdditiveAttention::with_scores(
    const std::vector<Tensor>& inputs, const SequenceAttentionCall& call,
    SourceLocation where) const {
  return pair_of(call_attention(*this, inputs, call, true, where));
}

}  // namespace systolic::layers
