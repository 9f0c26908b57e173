// Tested by: systolic/layers/attention/attention_platform_test.cc
#include "systolic/layers/attention/group_query_attention.h"

#include "systolic/layers/attention/multi_head.h"

namespace systolic::layers {

namespace {

MultiHead as_multi_head(int64_t head_dim, int64_t num_query_heads,
                        const GroupQueryAttentionOptions& o,
                        const SourceLocation& where) {
  const int64_t shared = o.num_key_value_heads;
  if (head_dim <= 0 || num_query_heads <= 0) {
    internal::Message("GroupQueryAttention")
        .expected("head_dim and num_query_heads > 0")
        .got(head_dim, " and ", num_query_heads)
        .at(where)
        .raise<ValueError>();
  }
  if (shared <= 0 || num_query_heads % shared != 0) {
    internal::Message("GroupQueryAttention")
        .expected("num_key_value_heads > 0 that divide num_query_heads = ",
                  num_query_heads)
        .got(shared)
        .at(where)
        .raise<ValueError>();
  }
  return {.class_name = "GroupQueryAttention",
          .num_heads = num_query_heads,
          .key_value_heads = shared,
          .key_dim = head_dim,
          .options = {.dropout = o.dropout,
                      .use_bias = o.use_bias,
                      .sliding_window = o.sliding_window,
                      .kernel_initializer = o.kernel_initializer,
                      .bias_initializer = o.bias_initializer,
                      .kernel_regularizer = o.kernel_regularizer,
                      .bias_regularizer = o.bias_regularizer,
                      .activity_regularizer = o.activity_regularizer,
                      .kernel_constraint = o.kernel_constraint,
                      .bias_constraint = o.bias_constraint,
                      .use_gate = o.use_gate,
                      .seed = o.seed,
                      .input_shape = o.input_shape,
                      .trainable = o.trainable,
                      .dtype = o.dtype,
                      .name = o.name}};
}

}  // namespace

GroupQueryAttention::GroupQueryAttention(Dim head_dim, Dim num_query_heads,
                                         GroupQueryAttentionOptions options,
                                         SourceLocation where)
    : Layer(make_multi_head(
          as_multi_head(head_dim, num_query_heads, options, where), where)) {}

Tensor GroupQueryAttention::operator()(const Tensor& query, const Tensor& value,
                                       const AttentionCall& call,
                                       SourceLocation where) const {
  return call_multi_head(*this, query, value, call, false, where)[0];
}

std::pair<Tensor, Tensor> GroupQueryAttention::with_scores(
    const Tensor& query, const Tensor& value, const AttentionCall& call,
    SourceLocation where) const {
  const std::vector<Tensor> both =
      call_multi_head(*this, query, value, call, true, where);
  return {both[0], both[1]};
}

}  // namespace systolic::layers
