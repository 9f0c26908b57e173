// fit, evaluate and predict: epochs, steps, validation, callbacks.
#include <algorithm>
#include <optional>
#include <ostream>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/base/out.h"
#include "systolic/base/rethrow.h"
#include "systolic/base/trace.h"
#include "systolic/graph/context.h"
#include "systolic/graph/program_cache.h"
#include "systolic/layers/check_numerics.h"
#include "systolic/models/batches.h"
#include "systolic/models/callbacks/history.h"
#include "systolic/models/callbacks/progbar_logger.h"
#include "systolic/models/class_weight.h"
#include "systolic/models/trainer.h"
#include "systolic/runtime/utilization.h"

namespace systolic::models {

using callbacks::Callback;
using callbacks::CallbackBase;
using callbacks::CallbackList;
using callbacks::History;
using callbacks::Logs;
using internal::called_at;
using internal::Message;
using internal::TraceScope;
using internal::models::batches_of;
using internal::models::BatchReader;
using internal::models::Chunk;
using internal::models::ChunkReader;
using internal::models::class_weights;
using internal::models::known_steps;
using internal::models::metric_values;
using internal::models::PredictRunner;
using internal::models::raise_empty;
using internal::models::StepRunner;
using internal::models::with_weights;

namespace {

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
  // Whether there are values of metrics to tell.
  bool has_logs = true;
  // Whether set_stop_training ends the run.
  bool may_stop = false;
};

constexpr BatchHooks kTrainHooks{.begin = &CallbackBase::on_train_batch_begin,
                                 .end = &CallbackBase::on_train_batch_end,
                                 .may_stop = true};
constexpr BatchHooks kTestHooks{.begin = &CallbackBase::on_test_batch_begin,
                                .end = &CallbackBase::on_test_batch_end};
constexpr BatchHooks kPredictHooks{
    .begin = &CallbackBase::on_predict_batch_begin,
    .end = &CallbackBase::on_predict_batch_end,
    .has_logs = false};

// Values so far, for the length of a hook: the next step changes them.
class BatchLogs {
 public:
  BatchLogs(const Model& model, const BatchHooks& hooks) {
    if (!hooks.has_logs) return;
    logs_ = Logs([model] { return metric_values(model.base()); });
  }
  ~BatchLogs() { logs_.close(); }
  BatchLogs(const BatchLogs&) = delete;
  BatchLogs& operator=(const BatchLogs&) = delete;
  const Logs& get() const { return logs_; }

 private:
  Logs logs_;
};

// Launches a chunk; what a checked layer found says in which step.
template <class Runner>
void run_chunk(Runner& runner, const Chunk& chunk, int64_t done) {
  if (!layers::is_checking_numerics()) {
    runner.run(chunk);
    return;
  }
  try {
    runner.run(chunk);
  } catch (const ValueError& error) {
    std::string text = error.what();
    text += "\n  step: " + std::to_string(done + 1);
    if (chunk.steps > 1) text += " ... " + std::to_string(done + chunk.steps);
    throw ValueError(text);
  }
}

// Runs up to `steps` steps, or until the data end; returns how many. An
// execution is one launch, or several where a stack has no room for all its
// batches or they differ in shape.
template <class Runner>
int64_t run_steps(const Model& model, Runner& runner, BatchReader& reader,
                  std::optional<int64_t> steps, CallbackList& list,
                  const BatchHooks& hooks) {
  ModelBase& base = model.base();
  runner.begin_pass();
  const int64_t execution = base.steps_per_execution();
  ChunkReader chunks(reader, *base.placement(), execution, steps);
  int64_t done = 0;
  while (chunks.prepare()) {
    const int64_t end = done + execution;
    list.call(hooks.begin, done, Logs());
    while (done < end && chunks.prepare()) {
      const Chunk chunk = chunks.take();
      try {
        run_chunk(runner, chunk, done);
      } catch (...) {
        internal::rethrow_with(reader.place(done + 1, done + chunk.steps));
      }
      done += chunk.steps;
    }
    // Before the hook, which may wait for the devices: the next batches are
    // read and sent while they work.
    chunks.read_ahead();
    list.call(hooks.end, done - 1, BatchLogs(model, hooks).get());
    if (hooks.may_stop && base.stop_training()) return done;
  }
  chunks.rethrow();
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

void warn_of_end(std::string_view who, int64_t done,
                 std::optional<int64_t> asked) {
  if (!asked || done >= *asked) return;
  log(LogLevel::warning,
      Message(std::string(who))
          .rule("the data ended after ", done, " of ", *asked, " steps")
          .hint("use repeat(), or ask for fewer steps")
          .str());
}

MetricValues evaluate_steps(const Model& model, const data::Dataset& dataset,
                            std::optional<int64_t> steps, CallbackList& list,
                            std::string_view who) {
  const TraceScope scope("evaluate");
  ModelBase& base = model.base();
  const size_t known = base.metrics().size();
  MetricValues values;
  {
    const MetricStateGuard guard(base);
    base.reset_metrics();
    list.call(&CallbackBase::on_test_begin, Logs());
    BatchReader reader(dataset, who);
    StepRunner runner(model, StepRunner::Kind::test);
    const int64_t done =
        run_steps(model, runner, reader, steps, list, kTestHooks);
    if (done == 0) raise_empty(dataset, who);
    warn_of_end(who, done, steps);
    values = metric_values(base);
  }
  // Metrics that were made meanwhile start anew as well.
  const auto metrics = base.metrics();
  for (size_t i = known; i < metrics.size(); ++i) metrics[i].reset_state();
  list.call(&CallbackBase::on_test_end, Logs(values));
  return values;
}

// The first callback of a kind, or null.
template <class T>
std::shared_ptr<T> find(const std::vector<Callback>& callbacks) {
  for (const Callback& callback : callbacks) {
    if (auto found = std::dynamic_pointer_cast<T>(callback.pointer())) {
      return found;
    }
  }
  return nullptr;
}

// The bar comes last, as in Keras: it prints what the others add to the logs.
std::vector<Callback> with_progress(std::vector<Callback> all,
                                    Verbose verbose) {
  if (verbose != Verbose::silent &&
      find<callbacks::ProgbarLoggerBase>(all) == nullptr) {
    all.push_back(callbacks::ProgbarLogger());
  }
  return all;
}

int as_number(Verbose verbose) {
  return verbose == Verbose::automatic ? 1 : static_cast<int>(verbose);
}

// One run of fit.
class Fit {
 public:
  Fit(const Model& model, const DataSource& data, const FitOptions& options);
  History run();

 private:
  struct Data {
    data::Dataset batches;
    std::optional<int64_t> steps;
  };
  struct Parts {
    Data training;
    std::optional<Data> validation;
  };
  static Parts prepare(const DataSource& data, const FitOptions& options);
  static History history_in(const std::vector<Callback>& callbacks);
  std::vector<Callback> all_callbacks() const;
  void warn_of_scope() const;
  // False where there were no data for it.
  bool run_epoch(int epoch, BatchReader& reader, StepRunner& runner);
  void validate(int epoch, Logs::Items& items);
  void warn_of_end(int epoch, int64_t done) const;

  Model model_;
  ModelBase& base_;
  const FitOptions& options_;
  Parts data_;
  callbacks::Params params_;
  History history_;
  CallbackList list_;
  CallbackList validation_list_;
  Logs last_;
};

Fit::Fit(const Model& model, const DataSource& data, const FitOptions& options)
    : model_(model),
      base_(model.base()),
      options_(options),
      data_(prepare(data, options)),
      params_{options.epochs, data_.training.steps, as_number(options.verbose)},
      history_(history_in(options.callbacks)),
      list_(all_callbacks(), model, params_),
      validation_list_(options.callbacks, model, params_) {}

Fit::Parts Fit::prepare(const DataSource& data, const FitOptions& options) {
  if (options.epochs < 0 || options.initial_epoch < 0) {
    Message("fit")
        .expected("epochs and initial_epoch of at least 0")
        .got(options.epochs, " and ", options.initial_epoch)
        .raise<ValueError>();
  }
  if (options.validation_freq < 1) {
    Message("fit")
        .expected("validation_freq of at least 1")
        .got(options.validation_freq)
        .raise<ValueError>();
  }
  if (!options.class_weight.empty() && options.sample_weight.is_set()) {
    Message("fit")
        .rule("class_weight and sample_weight can not be given together")
        .hint("multiply the sample weights with those of the classes")
        .raise<ValueError>();
  }
  DataSource training = with_weights(data, options.sample_weight, "fit");
  DataSource validation = options.validation_data;
  if (options.validation_split != 0 && !validation.is_set()) {
    std::tie(training, validation) =
        internal::models::split(training, options.validation_split);
  }
  const data::Dataset batches =
      batches_of(training, options.batch_size, options.shuffle, "fit");
  Parts parts{{batches, known_steps(batches, options.steps_per_epoch, "fit",
                                    "steps_per_epoch")},
              {}};
  if (!validation.is_set()) {
    if (!options.validation_steps && !options.validation_batch_size) {
      return parts;
    }
    Message("fit")
        .rule(options.validation_steps ? "validation_steps"
                                       : "validation_batch_size",
              " is given, but nothing to validate with")
        .hint("give .validation_data, or .validation_split with Arrays")
        .raise<ValueError>();
  }
  std::optional<int64_t> batch_size = options.validation_batch_size;
  if (!batch_size && !validation.dataset()) batch_size = options.batch_size;
  const data::Dataset held_out =
      batches_of(validation, batch_size, false, "fit (validation)");
  parts.validation =
      Data{held_out, known_steps(held_out, options.validation_steps,
                                 "fit (validation)", "validation_steps")};
  return parts;
}

History Fit::history_in(const std::vector<Callback>& callbacks) {
  const auto given = find<callbacks::HistoryBase>(callbacks);
  return given != nullptr ? History(given) : History();
}

std::vector<Callback> Fit::all_callbacks() const {
  std::vector<Callback> all = options_.callbacks;
  if (find<callbacks::HistoryBase>(all) == nullptr) all.push_back(history_);
  return with_progress(std::move(all), options_.verbose);
}

void Fit::warn_of_scope() const {
  const auto* here = internal::graph::variable_placement();
  if (here == base_.placement() || !here->is_replicated()) return;
  log(LogLevel::warning,
      Message("fit")
          .rule("model \"", model_.name(),
                "\" was made outside of this "
                "strategy's scope, so it trains on ",
                base_.placement()->num_replicas(), " replica(s) and not on ",
                here->num_replicas())
          .hint("make the model inside of the scope")
          .str());
}

void Fit::validate(int epoch, Logs::Items& items) {
  if (!data_.validation || (epoch + 1) % options_.validation_freq != 0) return;
  const auto& [batches, steps] = *data_.validation;
  for (const auto& [name, value] : evaluate_steps(
           model_, batches, steps, validation_list_, "fit (validation)")) {
    items.emplace_back("val_" + name, value);
  }
}

void Fit::warn_of_end(int epoch, int64_t done) const {
  Message message("fit");
  message.rule("the data ended in epoch ", epoch + 1, " of ", options_.epochs,
               ", after ", done, " of ", *options_.steps_per_epoch, " steps");
  message.hint("use repeat(), or fewer steps or epochs");
  log(LogLevel::warning, message.str());
}

bool Fit::run_epoch(int epoch, BatchReader& reader, StepRunner& runner) {
  TraceScope scope("epoch");
  scope.note("epoch", int64_t{epoch} + 1);
  // Before the reader looks for a batch: one that can not be read is of this
  // epoch.
  reader.begin_epoch(epoch);
  // With steps_per_epoch an epoch goes on where the one before it ended.
  if (epoch > options_.initial_epoch &&
      (!options_.steps_per_epoch || !reader.has_next())) {
    reader.restart();
  }
  base_.reset_metrics();
  list_.call(&CallbackBase::on_epoch_begin, epoch, Logs());
  const int64_t done = run_steps(model_, runner, reader,
                                 options_.steps_per_epoch, list_, kTrainHooks);
  if (done == 0) raise_empty(data_.training.batches, "fit");
  const bool ended = options_.steps_per_epoch &&
                     done < *options_.steps_per_epoch && !base_.stop_training();
  Logs::Items items = metric_values(base_);
  validate(epoch, items);
  last_ = Logs(std::move(items));
  list_.call(&CallbackBase::on_epoch_end, epoch, last_);
  if (ended) warn_of_end(epoch, done);
  return !ended;
}

History Fit::run() {
  const TraceScope scope("fit");
  warn_of_scope();
  const CompileWatch watch(list_);
  const runtime::UtilizationWindow window;
  base_.set_stop_training(false);
  list_.call(&CallbackBase::on_train_begin, Logs());
  BatchReader reader(data_.training.batches, "fit");
  reader.set_change(class_weights(base_, options_.class_weight, "fit"));
  StepRunner runner(model_, StepRunner::Kind::train);
  for (int epoch = options_.initial_epoch; epoch < options_.epochs; ++epoch) {
    if (!run_epoch(epoch, reader, runner) || base_.stop_training()) break;
  }
  list_.call(&CallbackBase::on_train_end, last_);
  if (options_.verbose == Verbose::line) {
    output() << window.read() << "\n" << std::flush;
  }
  return history_;
}

MetricValues evaluate_all(const Model& model, const DataSource& data,
                          const EvaluateOptions& options) {
  model.base().require_compiled("evaluate");
  const DataSource source =
      with_weights(data, options.sample_weight, "evaluate");
  const data::Dataset dataset =
      batches_of(source, options.batch_size, false, "evaluate");
  const std::optional<int64_t> steps =
      known_steps(dataset, options.steps, "evaluate", "steps");
  CallbackList list(with_progress(options.callbacks, options.verbose), model,
                    {1, steps, as_number(options.verbose)});
  const CompileWatch watch(list);
  return evaluate_steps(model, dataset, options.steps, list, "evaluate");
}

Arrays predict_rows(const Model& model, const DataSource& data,
                    const PredictOptions& options) {
  const data::Dataset dataset =
      batches_of(data, options.batch_size, false, "predict");
  const std::optional<int64_t> steps =
      known_steps(dataset, options.steps, "predict", "steps");
  CallbackList list(with_progress(options.callbacks, options.verbose), model,
                    {1, steps, as_number(options.verbose)});
  const CompileWatch watch(list);
  const TraceScope scope("predict");
  list.call(&CallbackBase::on_predict_begin, Logs());
  BatchReader reader(dataset, "predict", BatchReader::Takes::inputs);
  PredictRunner runner(model);
  const int64_t done =
      run_steps(model, runner, reader, options.steps, list, kPredictHooks);
  if (done == 0) raise_empty(dataset, "predict");
  warn_of_end("predict", done, options.steps);
  Arrays result = runner.finish();
  list.call(&CallbackBase::on_predict_end, Logs());
  return result;
}

}  // namespace

History Model::fit(const DataSource& data, const FitOptions& options,
                   Site where) const {
  return called_at(where, [&] {
    base().require_compiled("fit");
    internal::models::tell_plan(*this, where.where());
    return Fit(*this, data, options).run();
  });
}

History Model::fit(const Arrays& x, const Arrays& y, const FitOptions& options,
                   Site where) const {
  return fit(DataSource(x, y), options, where);
}

MetricValues Model::evaluate_dict(const DataSource& data,
                                  const EvaluateOptions& options,
                                  Site where) const {
  return called_at(where, [&] { return evaluate_all(*this, data, options); });
}

std::vector<double> Model::evaluate(const DataSource& data,
                                    const EvaluateOptions& options,
                                    Site where) const {
  std::vector<double> values;
  for (const auto& [name, value] : evaluate_dict(data, options, where)) {
    values.push_back(value);
  }
  return values;
}

std::vector<double> Model::evaluate(const Arrays& x, const Arrays& y,
                                    const EvaluateOptions& options,
                                    Site where) const {
  return evaluate(DataSource(x, y), options, where);
}

Arrays Model::predict_all(const DataSource& data, const PredictOptions& options,
                          Site where) const {
  return called_at(where, [&] { return predict_rows(*this, data, options); });
}

}  // namespace systolic::models
