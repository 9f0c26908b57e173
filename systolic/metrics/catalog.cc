#include "systolic/metrics/catalog.h"

#include "systolic/base/auto_name.h"
#include "systolic/base/message.h"
#include "systolic/base/suggest.h"
#include "systolic/losses/catalog.h"
#include "systolic/metrics/accuracy.h"
#include "systolic/metrics/probabilistic.h"
#include "systolic/metrics/regression.h"

namespace systolic::metrics {
namespace {

using internal::Message;

struct Entry {
  std::string_view class_name;
  Metric (*make)();
};

template <class M>
Metric make() {
  return M();
}

constexpr Entry kCatalog[] = {
    {"Accuracy", make<Accuracy>},
    {"BinaryAccuracy", make<BinaryAccuracy>},
    {"CategoricalAccuracy", make<CategoricalAccuracy>},
    {"SparseCategoricalAccuracy", make<SparseCategoricalAccuracy>},
    {"TopKCategoricalAccuracy", make<TopKCategoricalAccuracy>},
    {"SparseTopKCategoricalAccuracy", make<SparseTopKCategoricalAccuracy>},
    {"BinaryCrossentropy", make<BinaryCrossentropy>},
    {"CategoricalCrossentropy", make<CategoricalCrossentropy>},
    {"SparseCategoricalCrossentropy", make<SparseCategoricalCrossentropy>},
    {"MeanSquaredError", make<MeanSquaredError>},
    {"MeanAbsoluteError", make<MeanAbsoluteError>},
    {"RootMeanSquaredError", make<RootMeanSquaredError>},
    {"Mean", make<Mean>},
    {"Sum", make<Sum>},
};

struct Alias {
  std::string_view name;
  std::string_view class_name;
};

constexpr Alias kAliases[] = {
    {"bce", "BinaryCrossentropy"}, {"BCE", "BinaryCrossentropy"},
    {"mse", "MeanSquaredError"},   {"MSE", "MeanSquaredError"},
    {"mae", "MeanAbsoluteError"},  {"MAE", "MeanAbsoluteError"},
};

std::string_view without_alias(std::string_view name) {
  for (const Alias& alias : kAliases) {
    if (alias.name == name) return alias.class_name;
  }
  return name;
}

}  // namespace

std::vector<std::string> names() {
  std::vector<std::string> all{"acc"};
  for (const Entry& entry : kCatalog) {
    all.emplace_back(entry.class_name);
    all.push_back(internal::to_snake_case(entry.class_name));
  }
  for (const Alias& alias : kAliases) all.emplace_back(alias.name);
  return all;
}

Metric get(const Identifier& identifier) {
  if (identifier.metric().is_defined()) return identifier.metric();
  const std::string_view name = without_alias(identifier.name());
  for (const Entry& entry : kCatalog) {
    if (entry.class_name == name ||
        internal::to_snake_case(entry.class_name) == name) {
      return entry.make();
    }
  }
  const std::vector<std::string> all = names();
  const std::vector<std::string_view> known(all.begin(), all.end());
  Message message("metric");
  message.expected("a known metric")
      .got(identifier.name().empty()
               ? "none"
               : "'" + std::string(identifier.name()) + "'")
      .detail("known", internal::list_names(known));
  const std::string_view closest =
      internal::closest_name(identifier.name(), known);
  if (!closest.empty()) message.hint("did you mean '", closest, "'?");
  message.raise<ValueError>();
}

void require_predictions(const Metric& metric) {
  if (!metric.base().takes_values()) return;
  Message(std::string(metric.base().class_name()) + " \"" + metric.name() +
          "\"")
      .expected("a metric of y_true and y_pred")
      .got("one of values")
      .hint(
          "update it yourself, for example in train_step, or wrap a "
          "function of y_true and y_pred in MeanMetricWrapper")
      .raise<TypeError>();
}

Metric resolve(const Identifier& identifier, const TensorSpec& y_true,
               const TensorSpec& y_pred) {
  const std::string& name = identifier.name();
  std::string lower;
  for (char c : name) lower += c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
  if (lower == "accuracy" || lower == "acc") {
    switch (internal::classification_kind(y_true, y_pred)) {
      case internal::ClassificationKind::binary:
        return BinaryAccuracy(name);
      case internal::ClassificationKind::sparse_categorical:
        return SparseCategoricalAccuracy(name);
      default:
        return CategoricalAccuracy(name);
    }
  }
  const Metric metric = get(identifier);
  require_predictions(metric);
  if (!name.empty()) metric.base().set_name(name);
  return metric;
}

}  // namespace systolic::metrics
