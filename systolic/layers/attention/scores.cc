// Tested by: systolic/layers/attention/multi_head_attention_platform_test.cc
#include "systolic/layers/attention/scores.h"

#include <vector>

#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/nn.h"

namespace systolic::layers {

namespace {

Tensor as(const Tensor& x, DType dtype) {
  return x.dtype() == dtype ? x : cast(x, dtype);
}

}  // namespace

Tensor attention_scores(const Tensor& query, const Tensor& key,
                        const Tensor& allowed, DType dtype) {
  std::vector<int> order;
  for (int i = 0; i + 2 < key.rank(); ++i) order.push_back(i);
  order.push_back(key.rank() - 1);
  order.push_back(key.rank() - 2);
  const DType wide = dtype == DType::float64 ? dtype : DType::float32;
  Tensor products = as(matmul(query, transpose(key, order)), wide);
  // Finite: a row that may look at nothing is no NaN.
  if (allowed.is_defined()) products = where(allowed, products, -1e30);
  return as(nn::softmax(products), dtype);
}

}  // namespace systolic::layers
