#include "systolic/layers/attention/multi_head_attention.h"

#include "systolic/layers/attention/multi_head.h"

namespace systolic::layers {

MultiHeadAttention::MultiHeadAttention(Dim num_heads, Dim key_dim,
                                       MultiHeadAttentionOptions options,
                                       SourceLocation where)
    : Layer(make_multi_head({.class_name = "MultiHeadAttention",
                             .num_heads = num_heads,
                             .key_value_heads = num_heads,
                             .key_dim = key_dim,
                             .options = std::move(options)},
                            where)) {}

Tensor MultiHeadAttention::operator()(const Tensor& query, const Tensor& value,
                                      const AttentionCall& call,
                                      SourceLocation where) const {
  return call_multi_head(*this, query, value, call, false, where)[0];
}

std::pair<Tensor, Tensor> MultiHeadAttention::with_scores(
    const Tensor& query, const Tensor& value, const AttentionCall& call,
    SourceLocation where) const {
  const std::vector<Tensor> both =
      call_multi_head(*this, query, value, call, true, where);
  return {both[0], both[1]};
}

}  // namespace systolic::layers
