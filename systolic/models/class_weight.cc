#include "systolic/models/class_weight.h"

#include <cmath>
#include <string>

#include "systolic/array/arrays.h"
#include "systolic/base/message.h"

namespace systolic::internal::models {

using systolic::models::ClassWeight;
using systolic::models::ModelBase;

namespace {

// The classes of labels, as Keras finds them; sparse labels of several axes
// are class numbers too.
Array classes_of(const Array& labels, bool is_sparse) {
  Array classes = labels;
  if (labels.rank() > 1 && labels.shape()[-1] == 1) {
    classes = squeeze(labels, -1);
  } else if (labels.rank() > 1 && !is_sparse) {
    return argmax(labels, {.axis = -1});
  }
  return classes;
}

Array weights_of(const Array& classes, const ClassWeight& weights) {
  const Array numbers = cast(classes, DType::float32);
  std::vector<float> values;
  for (const float number : numbers.span<float>()) {
    const auto found = weights.find(std::lround(number));
    values.push_back(
        found == weights.end() ? 1.f : static_cast<float>(found->second));
  }
  return Array::from(values, classes.shape());
}

// "crossentropy" is as the labels are.
bool is_sparse(const ModelBase& base, const Array& labels) {
  for (const losses::Identifier& one : base.compiled_loss().identifiers()) {
    if (!one.is_set()) continue;
    if (one.name() == "crossentropy" || one.name() == "ce") {
      return is_integer(labels.dtype());
    }
    if (!losses::get(one).base().casts_labels()) return true;
  }
  return false;
}

}  // namespace

std::function<void(HostBatch&)> class_weights(ModelBase& base,
                                              const ClassWeight& weights,
                                              std::string_view who) {
  if (weights.empty()) return nullptr;
  return [&base, weights, who = std::string(who)](HostBatch& batch) {
    if (batch.y.size() != 1) {
      Message(who)
          .expected("labels of one output with class_weight")
          .got(batch.y.size())
          .hint("give sample_weight for each output")
          .raise<ValueError>();
    }
    Array weight = weights_of(
        classes_of(batch.y[0], is_sparse(base, batch.y[0])), weights);
    if (batch.sample_weight.is_set()) {
      const Array& given = batch.sample_weight[0];
      Shape shape = given.shape();
      while (shape.rank() < weight.rank()) shape.push_back(1);
      weight = weight * given.reshaped(shape);
    }
    batch.sample_weight = Arrays(weight);
  };
}

}  // namespace systolic::internal::models
