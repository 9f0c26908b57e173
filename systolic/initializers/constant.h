// Initializers that are not random: Zeros, Ones, Constant, Identity.
//
//   layers::Dense(1, {.bias_initializer = initializers::Constant(0.1)});
#pragma once

#include "systolic/initializers/initializer.h"

namespace systolic::initializers {

// All elements 0.
class Zeros : public Initializer {
 public:
  // Needs no options; any shape and dtype.
  Zeros();
};

// All elements 1.
class Ones : public Initializer {
 public:
  // Needs no options; any shape and dtype.
  Ones();
};

// All elements `value`.
class Constant : public Initializer {
 public:
  // `value` is converted to the weight's dtype.
  explicit Constant(double value = 0.0);
};

// `gain` on the main diagonal, 0 elsewhere. Calling it throws ShapeError
// unless the weight has two axes.
class Identity : public Initializer {
 public:
  // `gain` is converted to the weight's dtype.
  explicit Identity(double gain = 1.0);
};

static_assert(sizeof(Zeros) == sizeof(Initializer) &&
              sizeof(Ones) == sizeof(Initializer) &&
              sizeof(Constant) == sizeof(Initializer) &&
              sizeof(Identity) == sizeof(Initializer));

}  // namespace systolic::initializers
