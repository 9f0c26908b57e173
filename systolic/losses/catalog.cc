#include "systolic/losses/catalog.h"

#include "systolic/base/message.h"
#include "systolic/base/suggest.h"
#include "systolic/losses/crossentropy.h"
#include "systolic/losses/regression.h"

namespace systolic {

internal::ClassificationKind internal::classification_kind(
    const TensorSpec& y_true, const TensorSpec& y_pred) {
  const Shape &truth = y_true.shape, &predicted = y_pred.shape;
  if (predicted.rank() > 0 && predicted[-1] == 1) {
    return ClassificationKind::binary;
  }
  const bool column = truth.rank() > 0 && truth[-1] == 1 &&
                      predicted.rank() > 0 && predicted[-1] > 1;
  return truth.rank() < predicted.rank() || column
             ? ClassificationKind::sparse_categorical
             : ClassificationKind::categorical;
}

namespace losses {
namespace {

struct Entry {
  std::string_view name;
  Loss (*make)(std::string name);
};

template <class L>
Loss make(std::string name) {
  return L({.name = std::move(name)});
}

// Class name, function name, then the short forms that Keras has.
constexpr Entry kCatalog[] = {
    {"SparseCategoricalCrossentropy", make<SparseCategoricalCrossentropy>},
    {"sparse_categorical_crossentropy", make<SparseCategoricalCrossentropy>},
    {"CategoricalCrossentropy", make<CategoricalCrossentropy>},
    {"categorical_crossentropy", make<CategoricalCrossentropy>},
    {"BinaryCrossentropy", make<BinaryCrossentropy>},
    {"binary_crossentropy", make<BinaryCrossentropy>},
    {"bce", make<BinaryCrossentropy>},
    {"BCE", make<BinaryCrossentropy>},
    {"MeanSquaredError", make<MeanSquaredError>},
    {"mean_squared_error", make<MeanSquaredError>},
    {"mse", make<MeanSquaredError>},
    {"MSE", make<MeanSquaredError>},
    {"MeanAbsoluteError", make<MeanAbsoluteError>},
    {"mean_absolute_error", make<MeanAbsoluteError>},
    {"mae", make<MeanAbsoluteError>},
    {"MAE", make<MeanAbsoluteError>},
};

bool is_class_name(std::string_view name) {
  return name[0] >= 'A' && name[0] <= 'Z' && name.size() > 3;
}

}  // namespace

std::vector<std::string_view> names() {
  std::vector<std::string_view> all;
  for (const Entry& entry : kCatalog) all.push_back(entry.name);
  return all;
}

Loss get(const Identifier& identifier) {
  if (identifier.loss().is_defined()) return identifier.loss();
  const std::string& name = identifier.name();
  for (const Entry& entry : kCatalog) {
    if (entry.name != name) continue;
    // A class names its object itself; a function's name is kept.
    return entry.make(is_class_name(name) ? std::string() : name);
  }
  const std::vector<std::string_view> known = names();
  internal::Message message("loss");
  message.expected("a known loss")
      .got(name.empty() ? "none" : "'" + std::string(name) + "'")
      .detail("known", internal::list_names(known));
  const std::string_view closest = internal::closest_name(name, known);
  if (!closest.empty()) message.hint("did you mean '", closest, "'?");
  message.raise<ValueError>();
}

Loss resolve(const Identifier& identifier, const TensorSpec& y_true,
             const TensorSpec& y_pred) {
  const std::string& name = identifier.name();
  std::string lower;
  for (char c : name) lower += c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
  if (lower != "crossentropy" && lower != "ce") return get(identifier);
  switch (internal::classification_kind(y_true, y_pred)) {
    case internal::ClassificationKind::binary:
      return make<BinaryCrossentropy>(name);
    case internal::ClassificationKind::sparse_categorical:
      return make<SparseCategoricalCrossentropy>(name);
    default:
      return make<CategoricalCrossentropy>(name);
  }
}

}  // namespace losses
}  // namespace systolic
