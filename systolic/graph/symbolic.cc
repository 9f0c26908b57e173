// Tested by: systolic/layers/symbolic_platform_test.cc
#include "systolic/graph/symbolic.h"

#include <bit>
#include <cmath>

#include "systolic/base/message.h"
#include "systolic/graph/op.h"

namespace systolic::internal::graph {

bool is_symbolic(const Tensor& tensor) {
  return tensor.is_defined() && tensor.ref().node->symbolic;
}

Shape with_unknown(const Shape& shape) {
  Shape out = shape;
  for (int i = 0; i < shape.rank(); ++i) {
    if (is_stand_in(shape[i])) out.set(i, -1);
  }
  return out;
}

std::vector<Tensor> record_again(const Node& node, std::vector<Ref> inputs,
                                 const Sizes& sizes) {
  if (node.op->regions != nullptr) {
    Message("Model")
        .rule(node.op->name,
              " on symbolic Tensors: its body belongs to the program in which "
              "it was recorded")
        .hint("put it into a layer of your own, which is called with data")
        .at(node.where)
        .raise<ValueError>();
  }
  const NodePtr again =
      record(*node.op, std::move(inputs),
             node.op->with_sizes(node.options.get(), sizes), node.where);
  std::vector<Tensor> results;
  for (int i = 0; i < again->num_outputs; ++i) {
    results.push_back(Tensor(Ref{again, i}));
  }
  return results;
}

Tensor literal_again(const Tensor& literal, const Sizes& sizes) {
  const Node& node = *literal.ref().node;
  if (!node.literal_is_float) {
    const auto value = static_cast<int64_t>(node.literal_bits);
    const int64_t actual = sizes.actual(value);
    if (actual == value) return literal;
    return Tensor(Ref{make_literal(literal.dtype(), actual), 0});
  }
  const auto value = std::bit_cast<double>(node.literal_bits);
  if (!(std::abs(value) < 0x1p53) || value != std::trunc(value)) return literal;
  const int64_t actual = sizes.actual(static_cast<int64_t>(value));
  if (static_cast<double>(actual) == value) return literal;
  return Tensor(
      Ref{make_literal(literal.dtype(), static_cast<double>(actual)), 0});
}

}  // namespace systolic::internal::graph
