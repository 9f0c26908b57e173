// Symbolic Tensors: values of a program that is written down before there are
// data, as functional models are. They have a shape and never a value.
//
//   Tensor x = layers::Input({784});       // its shape: (None, 784)
//   Tensor y = x + 1;                      // symbolic as well
#pragma once

#include <vector>

#include "systolic/array/stand_in.h"
#include "systolic/graph/sizes.h"
#include "systolic/graph/tensor.h"

namespace systolic::internal::graph {

/// Whether a Tensor is an input of functional models, or made of one.
bool is_symbolic(const Tensor& tensor);

/// The shape as users see it: -1 for the sizes that a stand-in stands for.
Shape with_unknown(const Shape& shape);

/// Records a node's operation again, with other inputs and sizes. Throws
/// ValueError for control flow, whose bodies belong to the program they were
/// recorded in.
std::vector<Tensor> record_again(const Node& node, std::vector<Ref> inputs,
                                 const Sizes& sizes);

/// A scalar of the program with other sizes: means divide by them.
Tensor literal_again(const Tensor& literal, const Sizes& sizes);

}  // namespace systolic::internal::graph
