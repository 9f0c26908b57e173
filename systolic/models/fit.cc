// fit, evaluate and predict: epochs, steps, validation, callbacks.
#include <algorithm>
#include <cmath>
#include <optional>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/graph/context.h"
#include "systolic/graph/program_cache.h"
#include "systolic/models/callbacks/history.h"
#include "systolic/models/callbacks/progbar_logger.h"
#include "systolic/models/trainer.h"

namespace systolic::models {

using callbacks::Callback;
using callbacks::CallbackBase;
using callbacks::CallbackList;
using callbacks::History;
using callbacks::Logs;
using internal::Message;
using internal::models::BatchReader;
using internal::models::metric_values;
using internal::models::PredictRunner;
using internal::models::StepRunner;

namespace {

constexpr int64_t kDefaultBatchSize = 32;

// The data as a Dataset of batches.
data::Dataset batches_of(const DataSource& source,
                         std::optional<int64_t> batch_size, bool shuffle,
                         std::string_view who) {
  if (!source.is_set()) {
    Message(std::string(who))
        .expected("data: a Dataset, or Arrays")
        .got("nothing")
        .raise<ValueError>();
  }
  if (source.dataset()) {
    if (batch_size) {
      Message(std::string(who))
          .rule("batch_size is for Arrays; a Dataset makes its own batches")
          .hint("leave .batch_size out, and call batch() on the Dataset")
          .raise<ValueError>();
    }
    return *source.dataset();
  }
  std::vector<data::Element> parts{source.x()};
  if (source.y().is_set()) parts.emplace_back(source.y());
  if (source.sample_weight().is_set()) {
    parts.emplace_back(source.sample_weight());
  }
  const data::Element element =
      parts.size() == 1 ? parts[0] : data::Element::tuple(std::move(parts));
  data::Dataset dataset = data::Dataset::from_tensor_slices(element);
  if (shuffle && source.x().shape()[0] > 0) {
    dataset = dataset.shuffle(source.x().shape()[0]);
  }
  return dataset.batch(batch_size.value_or(kDefaultBatchSize));
}

void require_compiled(const ModelBase& base, std::string_view who) {
  if (base.compiled()) return;
  Message(std::string(who))
      .rule("the model is not compiled")
      .hint("call model.compile({.optimizer = ..., .loss = ...}) first")
      .raise<ValueError>();
}

// The steps of one pass, as far as they are known beforehand.
std::optional<int64_t> known_steps(const data::Dataset& dataset,
                                   std::optional<int64_t> asked,
                                   std::string_view who,
                                   std::string_view argument) {
  if (asked && *asked < 1) {
    Message(std::string(who))
        .expected(argument, " of at least 1")
        .got(*asked)
        .raise<ValueError>();
  }
  const int64_t cardinality = dataset.cardinality();
  if (!asked && cardinality == data::INFINITE_CARDINALITY) {
    Message(std::string(who))
        .expected(argument, ", since the data set has no end")
        .got("none")
        .hint("give .", argument, " = N, or leave out repeat()")
        .raise<ValueError>();
  }
  if (cardinality < 0) return asked;
  return asked ? std::min(*asked, cardinality) : cardinality;
}

[[noreturn]] void raise_empty(const data::Dataset& dataset,
                              std::string_view who) {
  Message(std::string(who))
      .expected("at least one batch")
      .got("an empty data set")
      .detail("data set", dataset.name())
      .hint("with drop_remainder, a data set smaller than one batch is empty")
      .raise<ValueError>();
}

// Tells callbacks of compilations until it goes.
class CompileWatch {
 public:
  explicit CompileWatch(CallbackList& list)
      : watch_([&list](std::string_view reason) {
          list.call(&CallbackBase::on_compile, reason);
        }) {}

 private:
  internal::graph::CompileListener watch_;
};

// The hooks of one kind of batch.
struct BatchHooks {
  void (CallbackBase::*begin)(int64_t, const Logs&);
  void (CallbackBase::*end)(int64_t, const Logs&);
};

constexpr BatchHooks kTrainHooks{&CallbackBase::on_train_batch_begin,
                                 &CallbackBase::on_train_batch_end};
constexpr BatchHooks kTestHooks{&CallbackBase::on_test_batch_begin,
                                &CallbackBase::on_test_batch_end};

// Runs up to `steps` steps, execution by execution; returns how many.
int64_t run_steps(const Model& model, StepRunner& runner, BatchReader& reader,
                  std::optional<int64_t> steps, CallbackList& list,
                  const BatchHooks& hooks) {
  ModelBase& base = model.base();
  int64_t done = 0;
  while (!steps || done < *steps) {
    int64_t limit = base.steps_per_execution();
    if (steps) limit = std::min(limit, *steps - done);
    list.call(hooks.begin, done, Logs());
    const int64_t ran = runner.run(reader, limit);
    if (ran == 0) break;
    done += ran;
    list.call(hooks.end, done - 1,
              Logs([&base] { return metric_values(base); }));
    if (base.stop_training()) break;
    if (ran < limit) break;
  }
  return done;
}

// Metric state put aside, so that an evaluation inside fit leaves it alone.
class MetricStateGuard {
 public:
  explicit MetricStateGuard(ModelBase& base) {
    for (const auto& metric : base.metrics()) {
      for (const Variable& variable : metric.variables()) {
        saved_.emplace_back(variable.state(), variable.state()->current);
      }
    }
  }
  ~MetricStateGuard() {
    for (auto& [state, value] : saved_) state->current = std::move(value);
  }
  MetricStateGuard(const MetricStateGuard&) = delete;
  MetricStateGuard& operator=(const MetricStateGuard&) = delete;

 private:
  std::vector<std::pair<internal::graph::VariablePtr, Tensor>> saved_;
};

MetricValues evaluate_steps(const Model& model, const data::Dataset& dataset,
                            std::optional<int64_t> steps, CallbackList& list,
                            std::string_view who) {
  ModelBase& base = model.base();
  const MetricStateGuard guard(base);
  base.reset_metrics();
  list.call(&CallbackBase::on_test_begin, Logs());
  BatchReader reader(dataset, who);
  StepRunner runner(model, StepRunner::Kind::test);
  const int64_t done =
      run_steps(model, runner, reader, steps, list, kTestHooks);
  if (done == 0) raise_empty(dataset, who);
  MetricValues values = metric_values(base);
  list.call(&CallbackBase::on_test_end, Logs(values));
  return values;
}

std::vector<Callback> with_progress(const std::vector<Callback>& given,
                                    Verbose verbose) {
  std::vector<Callback> all;
  if (verbose != Verbose::silent) {
    all.push_back(callbacks::ProgbarLogger());
  }
  all.insert(all.end(), given.begin(), given.end());
  return all;
}

int as_number(Verbose verbose) {
  return verbose == Verbose::automatic ? 1 : static_cast<int>(verbose);
}

// The Arrays of `data` before and after the split.
std::pair<DataSource, DataSource> split(const DataSource& data,
                                        double fraction) {
  if (data.dataset() || !(fraction > 0 && fraction < 1)) {
    Message("fit")
        .expected("validation_split in (0, 1), with Arrays")
        .got(fraction, data.dataset() ? " with a Dataset" : "")
        .hint("for a Dataset use take() and skip(), and .validation_data")
        .raise<ValueError>();
  }
  const int64_t rows = data.x().shape()[0];
  const auto at = static_cast<int64_t>(
      std::floor(static_cast<double>(rows) * (1 - fraction)));
  const auto part = [&](const Slice& slice) {
    const auto of = [&](const Array& array) {
      return array.is_set() ? array.slice({slice}) : Array();
    };
    return DataSource(of(data.x()), of(data.y()), of(data.sample_weight()));
  };
  return {part(Slice(0, at)), part(Slice(at, rows))};
}

}  // namespace

History Model::fit(const DataSource& data, const FitOptions& options) const {
  ModelBase& model_base = base();
  require_compiled(model_base, "fit");
  DataSource training = data, validation = options.validation_data;
  if (options.sample_weight.is_set() && !data.dataset()) {
    training = DataSource(data.x(), data.y(), options.sample_weight);
  }
  if (options.validation_split != 0 && !validation.is_set()) {
    std::tie(training, validation) = split(training, options.validation_split);
  }
  const data::Dataset dataset =
      batches_of(training, options.batch_size, options.shuffle, "fit");
  const std::optional<int64_t> steps =
      known_steps(dataset, options.steps_per_epoch, "fit", "steps_per_epoch");
  if (steps && *steps == 0) raise_empty(dataset, "fit");
  std::optional<data::Dataset> validation_set;
  std::optional<int64_t> validation_steps;
  if (validation.is_set()) {
    validation_set = batches_of(validation,
                                validation.dataset() ? std::nullopt
                                : options.validation_batch_size
                                    ? options.validation_batch_size
                                    : options.batch_size,
                                false, "fit");
    validation_steps = known_steps(*validation_set, options.validation_steps,
                                   "fit", "validation_steps");
  }

  History history;
  std::vector<Callback> all = with_progress(options.callbacks, options.verbose);
  all.push_back(history);
  const callbacks::Params params{options.epochs, steps,
                                 as_number(options.verbose)};
  CallbackList list(all, *this, params);
  CallbackList validation_list(options.callbacks, *this, params);
  const CompileWatch watch(list);
  model_base.set_stop_training(false);
  list.call(&CallbackBase::on_train_begin, Logs());
  BatchReader reader(dataset, "fit");
  StepRunner runner(*this, StepRunner::Kind::train);
  Logs last;
  for (int epoch = options.initial_epoch; epoch < options.epochs; ++epoch) {
    model_base.reset_metrics();
    list.call(&CallbackBase::on_epoch_begin, epoch, Logs());
    // With steps_per_epoch an epoch goes on where the one before it ended.
    if (!options.steps_per_epoch && epoch > options.initial_epoch) {
      reader.restart();
    }
    const int64_t done = run_steps(*this, runner, reader,
                                   options.steps_per_epoch, list, kTrainHooks);
    if (done == 0) {
      if (epoch == options.initial_epoch) raise_empty(dataset, "fit");
      log(LogLevel::warning, Message("fit")
                                 .rule("the data ended before epoch ",
                                       epoch + 1, " of ", options.epochs)
                                 .hint("use repeat(), or fewer steps or epochs")
                                 .str());
      break;
    }
    const bool ended = options.steps_per_epoch &&
                       done < *options.steps_per_epoch &&
                       !model_base.stop_training();
    Logs::Items items = metric_values(model_base);
    if (validation_set && (epoch + 1) % options.validation_freq == 0) {
      for (const auto& [name, value] :
           evaluate_steps(*this, *validation_set, validation_steps,
                          validation_list, "fit")) {
        items.emplace_back("val_" + name, value);
      }
    }
    last = Logs(std::move(items));
    list.call(&CallbackBase::on_epoch_end, epoch, last);
    if (ended) {
      log(LogLevel::warning,
          Message("fit")
              .rule("the data ended in epoch ", epoch + 1, ", after ", done,
                    " of ", *options.steps_per_epoch, " steps")
              .hint("use repeat(), or fewer steps or epochs")
              .str());
      break;
    }
    if (model_base.stop_training()) break;
  }
  list.call(&CallbackBase::on_train_end, last);
  return history;
}

History Model::fit(const DataSource& data) const {
  return fit(data, FitOptions{});
}

History Model::fit(const Array& x, const Array& y,
                   const FitOptions& options) const {
  return fit(DataSource(x, y), options);
}

MetricValues Model::evaluate_dict(const DataSource& data,
                                  const EvaluateOptions& options) const {
  require_compiled(base(), "evaluate");
  DataSource source = data;
  if (options.sample_weight.is_set() && !data.dataset()) {
    source = DataSource(data.x(), data.y(), options.sample_weight);
  }
  const data::Dataset dataset =
      batches_of(source, options.batch_size, false, "evaluate");
  const std::optional<int64_t> steps =
      known_steps(dataset, options.steps, "evaluate", "steps");
  CallbackList list(with_progress(options.callbacks, options.verbose), *this,
                    {1, steps, as_number(options.verbose)});
  const CompileWatch watch(list);
  return evaluate_steps(*this, dataset, options.steps, list, "evaluate");
}

std::vector<double> Model::evaluate(const DataSource& data,
                                    const EvaluateOptions& options) const {
  std::vector<double> values;
  for (const auto& [name, value] : evaluate_dict(data, options)) {
    values.push_back(value);
  }
  return values;
}

std::vector<double> Model::evaluate(const DataSource& data) const {
  return evaluate(data, EvaluateOptions{});
}

std::vector<double> Model::evaluate(const Array& x, const Array& y,
                                    const EvaluateOptions& options) const {
  return evaluate(DataSource(x, y), options);
}

Array Model::predict(const DataSource& data,
                     const PredictOptions& options) const {
  const data::Dataset dataset =
      batches_of(data, options.batch_size, false, "predict");
  const std::optional<int64_t> steps =
      known_steps(dataset, options.steps, "predict", "steps");
  CallbackList list(with_progress(options.callbacks, options.verbose), *this,
                    {1, steps, as_number(options.verbose)});
  const CompileWatch watch(list);
  list.call(&CallbackBase::on_predict_begin, Logs());
  BatchReader reader(dataset, "predict");
  PredictRunner runner(*this);
  for (int64_t step = 0; !options.steps || step < *options.steps; ++step) {
    const auto batch = reader.next();
    if (!batch) break;
    list.call(&CallbackBase::on_predict_batch_begin, step, Logs());
    runner.run(*batch);
    list.call(&CallbackBase::on_predict_batch_end, step, Logs());
  }
  Array result = runner.finish();
  list.call(&CallbackBase::on_predict_end, Logs());
  return result;
}

Array Model::predict(const DataSource& data) const {
  return predict(data, PredictOptions{});
}

}  // namespace systolic::models
