// What compile is told: one loss for all outputs, or one for each.
//
//   model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
//   model.compile({.loss = {{"price", "mse"}, {"kind", "crossentropy"}},
//                  .loss_weights = {{"price", 1.0}, {"kind", 0.2}},
//                  .metrics = {{"kind", {"accuracy"}}}});
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "systolic/losses/catalog.h"
#include "systolic/metrics/catalog.h"
#include "systolic/optimizers/catalog.h"

namespace systolic::models {

/// A T for all outputs of a model, or one for each: in the outputs' order, or
/// by their names.
template <class T>
class PerOutput {
 public:
  using Entry = std::pair<std::string, T>;

  /// None.
  PerOutput() = default;
  /// One for all outputs.
  template <class U>
  requires(std::convertible_to<U, T> &&
           !std::same_as<std::remove_cvref_t<U>, PerOutput>)
      PerOutput(U&& value)  // NOLINT: conversions are the point.
      : is_single_(true) {
    values_.push_back(T(std::forward<U>(value)));
  }
  /// One for each output, in order.
  PerOutput(std::initializer_list<T> values) : values_(values) {}
  PerOutput(std::vector<T> values) : values_(std::move(values)) {}  // NOLINT
  /// One for each output that is named.
  PerOutput(std::initializer_list<Entry> entries)
      : PerOutput(std::vector<Entry>(entries)) {}
  PerOutput(const std::vector<Entry>& entries) {  // NOLINT
    for (const auto& [name, value] : entries) {
      names_.push_back(name);
      values_.push_back(value);
    }
  }

  /// Whether there is any.
  bool is_set() const { return !values_.empty(); }
  /// Whether it is one for all outputs.
  bool is_single() const { return is_single_; }
  /// The values, in the order in which they were given.
  const std::vector<T>& values() const { return values_; }
  /// The outputs that they are for; empty where they are in order.
  const std::vector<std::string>& names() const { return names_; }

 private:
  bool is_single_ = false;
  std::vector<T> values_;
  std::vector<std::string> names_;
};

/// One metric or several.
class MetricList {
 public:
  MetricList() = default;
  template <class U>
  requires(std::convertible_to<U, metrics::Identifier> &&
           !std::same_as<std::remove_cvref_t<U>, MetricList>)
      MetricList(U&& metric)  // NOLINT: conversions are the point.
      : all_{metrics::Identifier(std::forward<U>(metric))} {}
  MetricList(std::initializer_list<metrics::Identifier> all) : all_(all) {}
  MetricList(std::vector<metrics::Identifier> all)  // NOLINT
      : all_(std::move(all)) {}
  const std::vector<metrics::Identifier>& all() const { return all_; }

 private:
  std::vector<metrics::Identifier> all_;
};

/// The metrics of a model: a list, which is for its only output or has one
/// for each of several; or those of each output that is named.
class MetricSet {
 public:
  using Entry = std::pair<std::string, MetricList>;

  MetricSet() = default;
  MetricSet(std::initializer_list<metrics::Identifier> list) {
    for (const metrics::Identifier& one : list) lists_.emplace_back(one);
  }
  MetricSet(const std::vector<metrics::Identifier>& list) {  // NOLINT
    for (const metrics::Identifier& one : list) lists_.emplace_back(one);
  }
  MetricSet(std::vector<MetricList> lists)  // NOLINT
      : lists_(std::move(lists)) {}
  MetricSet(std::initializer_list<Entry> entries) {
    for (const auto& [name, list] : entries) {
      names_.push_back(name);
      lists_.push_back(list);
    }
  }
  /// In the order in which they were given.
  const std::vector<MetricList>& lists() const { return lists_; }
  /// The outputs that they are for; empty where they are in order.
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<MetricList> lists_;
  std::vector<std::string> names_;
};

/// What compile sets, as Keras's compile takes it.
struct CompileOptions {
  /// Name or optimizer; the default is Keras's.
  optimizers::Identifier optimizer = "rmsprop";
  /// Names or losses; unset: only what layers add (add_loss, regularizers).
  PerOutput<losses::Identifier> loss = {};
  /// Factors of the outputs' losses in the whole; unset: 1.
  PerOutput<double> loss_weights = {};
  /// Names or metrics that take no sample weights.
  MetricSet metrics = {};
  /// Names or metrics that take the sample weights.
  MetricSet weighted_metrics = {};
  /// Steps that one launch runs on the device.
  int64_t steps_per_execution = 1;
};

}  // namespace systolic::models
