// Sequential: layers one after the other.
//
//   models::Sequential model({
//       layers::Conv2D(32, 3, {.activation = "relu",
//                              .input_shape = {28, 28, 1}}),
//       layers::Flatten(), layers::Dense(10)});
#pragma once

#include <string>
#include <vector>

#include "systolic/base/call_site.h"
#include "systolic/models/model.h"

namespace systolic::models {

struct SequentialOptions {
  bool trainable = true;
  std::string name = {};
};

class Sequential : public Model {
 public:
  /// Layers in order; with the input's shape known (an Input, or the first
  /// layer's input_shape) the weights are made at once, else at first use.
  explicit Sequential(std::vector<layers::Layer> layers = {},
                      SequentialOptions options = {},
                      internal::CallSite where = SourceLocation::current());

  /// Puts a layer at the end; its weights are made at once where the input's
  /// shape is known. Throws ValueError for a name that is there already.
  void add(layers::Layer layer,
           internal::CallSite where = SourceLocation::current()) const;
  /// Takes the last layer off. Throws ValueError where there is none.
  layers::Layer pop() const;
};
static_assert(sizeof(Sequential) == sizeof(Model));

}  // namespace systolic::models
