// Layers that give their input another shape: Reshape, Permute, RepeatVector.
//
//   layers::Reshape({-1, 64});
//   layers::Permute({2, 1});
#pragma once

#include <vector>

#include "systolic/base/dim.h"
#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

// What Reshape can be told.
struct ReshapeOptions {
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Kept as in Keras; the layer has no weights to train.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "reshape".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// The same elements of each row in another shape.
// Shapes: (batch, ...) -> (batch, target_shape...).
class Reshape : public Layer {
 public:
  // One size may be -1: what is left. The call throws ShapeError where the
  // elements do not fit.
  explicit Reshape(Shape target_shape, ReshapeOptions options = {},
                   SourceLocation where = SourceLocation::current());
};

// What Permute can be told.
struct PermuteOptions {
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Kept as in Keras; the layer has no weights to train.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "permute".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// The axes behind the batch in another order, counted from 1.
// Shapes: (batch, a, b), dims {2, 1} -> (batch, b, a).
class Permute : public Layer {
 public:
  // Throws: ValueError unless dims are 1 ... n in any order.
  explicit Permute(std::vector<int> dims, PermuteOptions options = {},
                   SourceLocation where = SourceLocation::current());
};

// What RepeatVector can be told.
struct RepeatVectorOptions {
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Kept as in Keras; the layer has no weights to train.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "repeat_vector".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// Each row n times. Shapes: (batch, features) -> (batch, n, features).
class RepeatVector : public Layer {
 public:
  // Throws: ValueError unless n > 0.
  explicit RepeatVector(Dim n, RepeatVectorOptions options = {},
                        SourceLocation where = SourceLocation::current());
};

static_assert(sizeof(Reshape) == sizeof(Layer));

}  // namespace systolic::layers
