// Attention and AdditiveAttention: each step of a query as a mean of values,
// weighted by how well their keys fit. They have no projections.
//
//   Tensor y = layers::Attention()({query, value});
//   layers::AdditiveAttention attention({.dropout = 0.1});
//   Tensor z = attention({query, value, key}, {.use_causal_mask = true});
//
// Luong et al. 2015; Bahdanau et al. 2014.
#pragma once

#include <optional>

#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

// What Attention can be told.
struct AttentionOptions {
  // Whether the scores are multiplied by a weight.
  bool use_scale = false;
  // "dot": of query and key; "concat": sums of tanh(query + key).
  std::string score_mode = "dot";
  // Share of the weights that training drops.
  double dropout = 0.0;
  // Start of the random numbers of dropout; unset: the program's.
  std::optional<int64_t> seed = {};
  // Kept as in Keras.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "attention".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("use_scale", use_scale);
    v("score_mode", score_mode);
    v("dropout", dropout);
    v("seed", seed);
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// What AdditiveAttention can be told.
struct AdditiveAttentionOptions {
  // Whether each feature has a weight.
  bool use_scale = true;
  // Share of the weights that training drops.
  double dropout = 0.0;
  // Start of the random numbers of dropout; unset: the program's.
  std::optional<int64_t> seed = {};
  // Kept as in Keras.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as
  // "additive_attention".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("use_scale", use_scale);
    v("dropout", dropout);
    v("seed", seed);
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// What one call can be told. Masks of the inputs are those that they have
// (mask.h): a step of the value that does not count has no weight, one of the
// query becomes zeros.
struct SequenceAttentionCall {
  // Whether training's dropout is on; unset: as the layer around.
  std::optional<bool> training = {};
  // Whether a step sees only those before it, and itself.
  bool use_causal_mask = false;
};

// Shapes: query (batch, target, dim), value (batch, source, dim'), key (batch,
// source, dim), which is the value where it is left out -> (batch, target,
// dim'). Weights: scale () and concat_score_weight (), as far as they are used.
class Attention : public Layer {
 public:
  // Throws: ValueError for another score_mode, or dropout outside 0 ... 1.
  explicit Attention(AttentionOptions options = {},
                     SourceLocation where = SourceLocation::current());

  // For {query, value} or {query, value, key}. Throws: ValueError for another
  // number; ShapeError for other ranks than 3.
  Tensor operator()(const std::vector<Tensor>& inputs,
                    const SequenceAttentionCall& call = {},
                    SourceLocation where = SourceLocation::current()) const;
  // The same and the weights, (batch, target, source).
  std::pair<Tensor, Tensor> with_scores(
      const std::vector<Tensor>& inputs, const SequenceAttentionCall& call = {},
      SourceLocation where = SourceLocation::current()) const;
};

// As Attention; the scores are sums of scale * tanh(query + key), weight scale
// (dim).
class AdditiveAttention : public Layer {
 public:
  // Throws: ValueError for dropout outside 0 ... 1.
  explicit AdditiveAttention(AdditiveAttentionOptions options = {},
                             SourceLocation where = SourceLocation::current());

  // As Attention's.
  Tensor operator()(const std::vector<Tensor>& inputs,
                    const SequenceAttentionCall& call = {},
                    SourceLocation where = SourceLocation::current()) const;
  std::pair<Tensor, Tensor> with_scores(
      const std::vector<Tensor>& inputs, const SequenceAttentionCall& call = {},
      SourceLocation where = SourceLocation::current()) const;
};

static_assert(sizeof(Attention) == sizeof(Layer));

}  // namespace systolic::layers
