// What the layers of attention in several heads are made of.
//
//   make_multi_head({.class_name = "MultiHeadAttention", ...}, where);
#pragma once

#include <memory>

#include "systolic/layers/attention/multi_head_attention.h"

namespace systolic::layers {

// An attention as its class has it.
struct MultiHead {
  std::string_view class_name;
  // Heads of the query, and of key and value: fewer, where several heads of
  // the query share one.
  int64_t num_heads = 0;
  int64_t key_value_heads = 0;
  int64_t key_dim = 0;
  MultiHeadAttentionOptions options = {};
};

// The layer. Throws: ValueError unless the sizes are above 0 and dropout is in
// 0 ... 1.
std::shared_ptr<LayerBase> make_multi_head(MultiHead how,
                                           const SourceLocation& where);

// A call of such a layer: the result, and the weights where they are asked
// for.
std::vector<Tensor> call_multi_head(const Layer& layer, const Tensor& query,
                                    const Tensor& value,
                                    const AttentionCall& call,
                                    bool return_scores,
                                    const SourceLocation& where);

}  // namespace systolic::layers
