// Tested by: systolic/models/functional_platform_test.cc
#include "systolic/models/compiled.h"

#include <algorithm>
#include <iterator>

#include "systolic/base/message.h"
#include "systolic/metrics/reduction.h"
#include "systolic/ops/collective.h"
#include "systolic/ops/math.h"

namespace systolic::internal::models {

namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text.empty() ? "(they have no names)" : text;
}

// The place of an output's name.
size_t place_of(const std::string& name, const std::vector<std::string>& names,
                std::string_view argument) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    Message("compile")
        .expected("names of outputs in ", argument, ": ", joined(names))
        .got("\"", name, "\"")
        .raise<ValueError>();
  }
  return static_cast<size_t>(found - names.begin());
}

[[noreturn]] void raise_count(std::string_view argument, size_t given,
                              size_t outputs,
                              const std::vector<std::string>& names) {
  Message message("compile");
  message
      .expected("one of ", argument, " for each of the ", outputs, " outputs")
      .got(given);
  if (!names.empty()) message.detail("outputs", joined(names));
  message.hint("name the outputs: {{\"output\", ...}, ...}")
      .raise<ValueError>();
}

}  // namespace

std::vector<Tensor> in_order(const Tensors& given,
                             const std::vector<std::string>& names,
                             size_t count, std::string_view who,
                             std::string_view what) {
  if (!given.names().empty() && !names.empty()) {
    std::vector<Tensor> ordered(count);
    for (size_t i = 0; i < given.size(); ++i) {
      const auto found = std::ranges::find(names, given.names()[i]);
      if (found == names.end()) {
        Message(std::string(who))
            .expected(what, " under the names ", joined(names))
            .got("\"", given.names()[i], "\"")
            .raise<ValueError>();
      }
      ordered[static_cast<size_t>(found - names.begin())] = given[i];
    }
    return ordered;
  }
  if (given.size() != count) {
    Message message{std::string(who)};
    message.expected(count, " Tensors as ", what).got(given.size());
    if (!names.empty()) message.detail("names", joined(names));
    message.raise<ValueError>();
  }
  return given.all();
}

CompiledLoss::CompiledLoss(PerOutput<losses::Identifier> losses,
                           PerOutput<double> weights)
    : losses_(std::move(losses)), weights_(std::move(weights)) {
  // One that is left out of a list is none, as {} for a single one.
  const auto is_set = [](const losses::Identifier& one) {
    return one.is_set();
  };
  if (std::ranges::none_of(losses_.values(), is_set)) {
    losses_ = PerOutput<losses::Identifier>();
  }
  for (const losses::Identifier& one : losses_.values()) {
    if (one.is_set()) losses::get(one);
  }
}

double CompiledLoss::weight_of(size_t place, const std::string& name) const {
  if (weights_.is_single()) return weights_.values()[0];
  if (weights_.names().empty()) return weights_.values()[place];
  const auto found = std::ranges::find(weights_.names(), name);
  if (found == weights_.names().end()) return 1;
  return weights_
      .values()[static_cast<size_t>(found - weights_.names().begin())];
}

namespace {

bool is_sum(const losses::Identifier& one) {
  return one.loss().is_defined() &&
         one.loss().reduction() == losses::Reduction::sum;
}

}  // namespace

bool CompiledLoss::has_sum() const {
  return std::ranges::any_of(losses_.values(), is_sum);
}

void CompiledLoss::build(size_t outputs,
                         const std::vector<std::string>& names) {
  if (built_ || !is_set()) return;
  std::vector<One> all;
  const auto& values = losses_.values();
  if (!losses_.names().empty()) {
    for (size_t i = 0; i < values.size(); ++i) {
      all.push_back({.output = place_of(losses_.names()[i], names, "loss"),
                     .identifier = values[i]});
    }
    std::ranges::sort(all, {}, &One::output);
  } else if (losses_.is_single() || values.size() == outputs) {
    for (size_t i = 0; i < outputs; ++i) {
      all.push_back(
          {.output = i, .identifier = values[losses_.is_single() ? 0 : i]});
    }
  } else {
    raise_count("losses", values.size(), outputs, names);
  }
  std::erase_if(all, [](const One& one) { return !one.identifier.is_set(); });
  for (const std::string& name : weights_.names()) {
    place_of(name, names, "loss_weights");
  }
  if (weights_.is_set() && !weights_.is_single() && weights_.names().empty() &&
      weights_.values().size() != outputs) {
    raise_count("loss_weights", weights_.values().size(), outputs, names);
  }
  for (One& one : all) {
    const std::string name = names.empty() ? "" : names[one.output];
    if (weights_.is_set()) one.weight = weight_of(one.output, name);
    if (all.size() == 1) continue;
    const std::string shown =
        name.empty() ? losses::get(one.identifier).name() : name;
    one.tracker =
        metrics::Mean(shown + (is_sum(one.identifier) ? "_loss_sum" : "_loss"));
  }
  for (One& one : all) one.loss = one.identifier.loss();
  all_ = std::move(all);
  built_ = true;
}

Tensor CompiledLoss::operator()(const std::vector<Tensor>& y,
                                const Tensors& y_pred,
                                const std::vector<Tensor>& sample_weight,
                                const Tensor& rows) {
  Tensor total;
  for (One& one : all_) {
    const Tensor& labels = y[one.output];
    const Tensor& predicted = y_pred[one.output];
    if (!one.loss.is_defined()) {
      one.loss =
          losses::resolve(one.identifier, labels.spec(), predicted.spec());
    }
    const Tensor weight =
        sample_weight.empty() ? Tensor() : sample_weight[one.output];
    Tensor value = one.loss(labels, predicted, weight);
    if (value.rank() != 0) {
      Message("compile")
          .expected("a loss that gives one number")
          .got(value.spec(), " from ", one.loss.name())
          .hint("use a reduction other than none")
          .raise<ValueError>();
    }
    if (one.tracker.is_defined()) {
      one.tracker.update_state(value * num_replicas_in_sync(), rows);
    }
    if (one.weight) value = value * *one.weight;
    total = total.is_defined() ? total + value : value;
  }
  return total;
}

CompiledMetrics::CompiledMetrics(MetricSet metrics, MetricSet weighted)
    : metrics_(std::move(metrics)), weighted_(std::move(weighted)) {
  for (const MetricSet* set : {&metrics_, &weighted_}) {
    for (const auto& list : set->lists()) {
      // A wrong name is found here; what "accuracy" means, at the first batch.
      for (const metrics::Identifier& one : list.all()) {
        metrics::require_predictions(metrics::get(one));
      }
    }
  }
}

void CompiledMetrics::add(const MetricSet& set, bool weighted, size_t outputs,
                          const std::vector<std::string>& names) {
  const std::string_view argument = weighted ? "weighted_metrics" : "metrics";
  const auto& lists = set.lists();
  if (outputs > 1 && !lists.empty() && set.names().empty() &&
      lists.size() != outputs) {
    raise_count(argument, lists.size(), outputs, names);
  }
  std::vector<One> added;
  for (size_t i = 0; i < lists.size(); ++i) {
    size_t output = outputs == 1 ? 0 : i;
    if (!set.names().empty()) {
      output = place_of(set.names()[i], names, argument);
    }
    for (const metrics::Identifier& one : lists[i].all()) {
      added.push_back(
          {.output = output,
           .output_name = outputs == 1 || names.empty() ? "" : names[output],
           .identifier = one,
           .metric = one.metric(),
           .weighted = weighted});
    }
  }
  std::ranges::stable_sort(added, {}, &One::output);
  std::ranges::move(added, std::back_inserter(all_));
}

void CompiledMetrics::build(size_t outputs,
                            const std::vector<std::string>& names) {
  if (built_) return;
  all_.clear();
  add(metrics_, false, outputs, names);
  add(weighted_, true, outputs, names);
  built_ = true;
}

void CompiledMetrics::update(const std::vector<Tensor>& y,
                             const Tensors& y_pred,
                             const std::vector<Tensor>& sample_weight) {
  for (One& one : all_) {
    const Tensor& labels = y[one.output];
    const Tensor& predicted = y_pred[one.output];
    if (!labels.is_defined()) continue;
    if (!one.metric.is_defined()) {
      one.metric =
          metrics::resolve(one.identifier, labels.spec(), predicted.spec());
    }
    const Tensor weight = one.weighted && !sample_weight.empty()
                              ? sample_weight[one.output]
                              : Tensor();
    if (weight.is_defined()) {
      one.metric.update_state(labels, predicted, weight);
    } else {
      one.metric.update_state(labels, predicted);
    }
  }
}

}  // namespace systolic::internal::models
