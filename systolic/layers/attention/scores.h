// The weights of attention.
//
//   attention_scores(query, key, allowed, DType::bfloat16);
#pragma once

#include "systolic/graph/tensor.h"

namespace systolic::layers {

// softmax(query . key) over the source, computed in float32 and given in
// `dtype`. Where `allowed` (bool, undefined: everywhere) is false the weight is
// 0; a row without any place allowed has equal weights. Shapes: (..., target,
// size) and (..., source, size) -> (..., target, source).
Tensor attention_scores(const Tensor& query, const Tensor& key,
                        const Tensor& allowed, DType dtype);

}  // namespace systolic::layers
