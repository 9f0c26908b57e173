// Layers that make one value of several: Add, Concatenate, ...
//
//   Tensor y = layers::Add()({x, shortcut});
//   Tensor z = layers::Concatenate({.axis = 1})({a, b, c});
#pragma once

#include "systolic/layers/layer_base.h"

namespace systolic::layers {

// What the elementwise merges can be told.
struct MergeOptions {
  // Kept as in Keras; the layer has no weights to train.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "add".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// Shapes: any that broadcast, of one batch size -> the broadcast shape. Inputs
// of a lower rank get axes of size 1 behind the batch. The call throws
// ShapeError where they do not fit.

// The sum of the inputs.
class Add : public Layer {
 public:
  explicit Add(MergeOptions options = {});
};

// The first of two inputs less the second; ValueError for another number.
class Subtract : public Layer {
 public:
  explicit Subtract(MergeOptions options = {});
};

// The product of the inputs.
class Multiply : public Layer {
 public:
  explicit Multiply(MergeOptions options = {});
};

// The mean of the inputs.
class Average : public Layer {
 public:
  explicit Average(MergeOptions options = {});
};

// The largest of the inputs, element by element.
class Maximum : public Layer {
 public:
  explicit Maximum(MergeOptions options = {});
};

// The smallest of the inputs, element by element.
class Minimum : public Layer {
 public:
  explicit Minimum(MergeOptions options = {});
};

// What Concatenate can be told.
struct ConcatenateOptions {
  // Axis along which the inputs are joined; -1: the last.
  int axis = -1;
  // Kept as in Keras; the layer has no weights to train.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "concatenate".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("axis", axis);
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// The inputs joined along an axis. Shapes: equal but for that axis -> its
// sizes added up. The call throws ShapeError where they do not fit.
class Concatenate : public Layer {
 public:
  explicit Concatenate(ConcatenateOptions options = {});
};

// What Dot can be told.
struct DotOptions {
  // Whether the vectors are scaled to length 1 before: cosine similarity.
  bool normalize = false;
  // Kept as in Keras; the layer has no weights to train.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "dot".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("normalize", normalize);
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// Two axes, one of each input: one number for both, or {1, 2}.
struct DotAxes {
  template <std::integral T>
  DotAxes(T both) : first(static_cast<int>(both)), second(first) {}
  DotAxes(int of_first, int of_second) : first(of_first), second(of_second) {}
  int first, second;
};

// The products of two inputs of rank 2 or 3, summed along an axis of each.
// Shapes: (batch, a) and (batch, a) -> (batch, 1); (batch, a, n) and (batch,
// a, m), axes 1 -> (batch, n, m).
class Dot : public Layer {
 public:
  // Axes count from the end where negative. Throws: ValueError for axis 0,
  // the batch.
  explicit Dot(DotAxes axes, DotOptions options = {},
               SourceLocation where = SourceLocation::current());
};

static_assert(sizeof(Add) == sizeof(Layer) &&
              sizeof(Concatenate) == sizeof(Layer) &&
              sizeof(Dot) == sizeof(Layer));

}  // namespace systolic::layers
