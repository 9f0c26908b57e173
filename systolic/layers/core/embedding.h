// Embedding: a learned vector for each whole number.
//
//   layers::Embedding(1000, 64);
#pragma once

#include "systolic/base/dim.h"
#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

// What Embedding can be told.
struct EmbeddingOptions {
  // First values of the vectors.
  initializers::Initializer embeddings_initializer = "uniform";
  // Penalty on the vectors, added to the loss; unset: none.
  regularizers::Regularizer embeddings_regularizer = {};
  // What the vectors are kept to after each update; unset: anything.
  constraints::Constraint embeddings_constraint = {};
  // Whether the number 0 fills up: the result has a mask without it (mask.h).
  bool mask_zero = false;
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Whether training updates the weights.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "embedding".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("embeddings_initializer", embeddings_initializer);
    v("embeddings_regularizer", embeddings_regularizer);
    v("embeddings_constraint", embeddings_constraint);
    v("mask_zero", mask_zero);
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// The vectors at the inputs' numbers, which are below input_dim.
// Shapes: (batch, ...) of integers -> (batch, ..., output_dim); weight
// embeddings (input_dim, output_dim).
class Embedding : public Layer {
 public:
  // Throws: ValueError unless both are above 0.
  Embedding(Dim input_dim, Dim output_dim, EmbeddingOptions options = {},
            SourceLocation where = SourceLocation::current());

  // The vectors; undefined before the layer is built.
  Variable embeddings() const;
};

static_assert(sizeof(Embedding) == sizeof(Layer));

}  // namespace systolic::layers
