// GroupQueryAttention: attention in which several heads of the query share a
// head of key and value.
//
//   layers::GroupQueryAttention gqa(32, 8, {.num_key_value_heads = 2});
//   Tensor y = gqa(x, x, {.use_causal_mask = true});
//
// Ainslie et al. 2023.
#pragma once

#include "systolic/layers/attention/multi_head_attention.h"

namespace systolic::layers {

// What GroupQueryAttention can be told.
struct GroupQueryAttentionOptions {
  // Heads of key and value, which divide those of the query. Required.
  int64_t num_key_value_heads = 0;
  // Share of the attention that training drops.
  double dropout = 0.0;
  // Whether the projections have a bias.
  bool use_bias = true;
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
  // "group_query_attention".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("num_key_value_heads", num_key_value_heads);
    v("dropout", dropout);
    v("use_bias", use_bias);
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

// Shapes and weights: as MultiHeadAttention, but kernels of key and value are
// (features, num_key_value_heads, head_dim).
class GroupQueryAttention : public Layer {
 public:
  // Throws: ValueError unless the sizes are above 0, num_key_value_heads divide
  // num_query_heads, and dropout is in 0 ... 1.
  GroupQueryAttention(Dim head_dim, Dim num_query_heads,
                      GroupQueryAttentionOptions options,
                      SourceLocation where = SourceLocation::current());

  using Layer::operator();
  // The attention of the query to the value. Throws: ShapeError as
  // MultiHeadAttention.
  Tensor operator()(const Tensor& query, const Tensor& value,
                    const AttentionCall& call = {},
                    SourceLocation where = SourceLocation::current()) const;
  // The same and the weights, (batch, num_query_heads, target, source).
  std::pair<Tensor, Tensor> with_scores(
      const Tensor& query, const Tensor& value, const AttentionCall& call = {},
      SourceLocation where = SourceLocation::current()) const;
};

static_assert(sizeof(GroupQueryAttention) == sizeof(Layer));

}  // namespace systolic::layers
