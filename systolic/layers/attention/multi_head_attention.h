// MultiHeadAttention: each position as a mean of others, weighted by how well
// they fit, in several heads at once.
//
//   layers::MultiHeadAttention mha(4, 32, {.dropout = 0.1});
//   Tensor y = mha(x, x, {.use_causal_mask = true});
//
// Vaswani et al. 2017.
#pragma once

#include <optional>

#include "systolic/array/axes.h"
#include "systolic/base/dim.h"
#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

// What MultiHeadAttention can be told.
struct MultiHeadAttentionOptions {
  // Size of a head of the values; 0: key_dim.
  int64_t value_dim = 0;
  // Share of the attention that training drops.
  double dropout = 0.0;
  // Whether the projections have a bias.
  bool use_bias = true;
  // Features of the result; 0: as the query has.
  int64_t output_shape = 0;
  // The axes that attention goes along; unset: all between the batch and the
  // features. The others are as the batch.
  Axes attention_axes = {};
  // Positions that each looks back and ahead, itself included; unset: all.
  std::optional<int64_t> sliding_window = {};
  // First values of the projections.
  initializers::Initializer kernel_initializer = "glorot_uniform";
  initializers::Initializer bias_initializer = "zeros";
  // Penalties, added to the loss; unset: none.
  regularizers::Regularizer kernel_regularizer = {};
  regularizers::Regularizer bias_regularizer = {};
  regularizers::Regularizer activity_regularizer = {};
  // What the weights are kept to after each update; unset: anything.
  constraints::Constraint kernel_constraint = {};
  constraints::Constraint bias_constraint = {};
  // Whether a sigmoid of the query weights each head's result.
  bool use_gate = false;
  // Start of the random numbers of dropout; unset: the program's.
  std::optional<int64_t> seed = {};
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Whether training updates the weights.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as
  // "multi_head_attention".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("value_dim", value_dim);
    v("dropout", dropout);
    v("use_bias", use_bias);
    v("output_shape", output_shape);
    v("attention_axes", attention_axes);
    v("sliding_window", sliding_window);
    v("kernel_initializer", kernel_initializer);
    v("bias_initializer", bias_initializer);
    v("kernel_regularizer", kernel_regularizer);
    v("bias_regularizer", bias_regularizer);
    v("activity_regularizer", activity_regularizer);
    v("kernel_constraint", kernel_constraint);
    v("bias_constraint", bias_constraint);
    v("use_gate", use_gate);
    v("seed", seed);
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// What one call of MultiHeadAttention can be told.
struct AttentionCall {
  // (batch, source, features); undefined: the value.
  Tensor key = {};
  // Which of the source each target may look at, as bool: (batch, target,
  // source) or (batch, heads, target, source); undefined: all. Masks that the
  // inputs have (mask.h) are heeded, too.
  Tensor attention_mask = {};
  // Whether training's dropout is on; unset: as the layer around.
  std::optional<bool> training = {};
  // Whether a position sees only those before it, and itself.
  bool use_causal_mask = false;
};

// Shapes: query (batch, target, features), value (batch, source, features') ->
// (batch, target, features); more axes of positions may be there. The softmax
// is computed in float32; a row that may look at nothing is finite. Weights
// query/kernel (features, heads, key_dim), query/bias (heads, key_dim), so also
// key and value, and attention_output/kernel (heads, value_dim, features) with
// its bias.
class MultiHeadAttention : public Layer {
 public:
  // Throws: ValueError unless num_heads, key_dim and sliding_window are above
  // 0 and dropout is in 0 ... 1.
  MultiHeadAttention(Dim num_heads, Dim key_dim,
                     MultiHeadAttentionOptions options = {},
                     SourceLocation where = SourceLocation::current());

  using Layer::operator();
  // The attention of the query to the value. Throws: ShapeError for inputs of
  // a rank under 3 or of different ranks, or a mask that does not fit.
  Tensor operator()(const Tensor& query, const Tensor& value,
                    const AttentionCall& call = {},
                    SourceLocation where = SourceLocation::current()) const;
  // The same and the weights, (batch, heads, target, source).
  std::pair<Tensor, Tensor> with_scores(
      const Tensor& query, const Tensor& value, const AttentionCall& call = {},
      SourceLocation where = SourceLocation::current()) const;
};

static_assert(sizeof(MultiHeadAttention) == sizeof(Layer));

}  // namespace systolic::layers
