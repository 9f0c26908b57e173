// Callbacks: what happens at the stages of fit, evaluate and predict.
//
//   struct Stop : callbacks::CallbackBase {
//     void on_epoch_end(int epoch, const callbacks::Logs& logs) override {
//       if (logs.at("loss") < 0.1) model().set_stop_training(true);
//     }
//   };
//   model.fit(dataset, {.callbacks = {callbacks::make<Stop>()}});
//
// The hooks are Keras's. With steps_per_execution, the batch hooks are called
// once per execution: begin with its first step, end with its last.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/base/trace.h"
#include "systolic/models/callbacks/handle.h"
#include "systolic/models/model.h"

namespace systolic::callbacks {

/// Names and values of metrics, in order. The values live on the devices and
/// are fetched when somebody looks.
class Logs {
 public:
  /// Names and values, in order.
  using Items = std::vector<std::pair<std::string, double>>;

  /// No values.
  Logs() = default;
  /// These values.
  Logs(Items items);
  /// Values that `fetch` gets when they are first looked at.
  explicit Logs(std::function<Items()> fetch);

  /// All names and values; fetches them.
  const Items& items() const;
  /// The first of items(); fetches them.
  auto begin() const { return items().begin(); }
  /// The end of items(); fetches them.
  auto end() const { return items().end(); }
  /// Whether there are no values; fetches them.
  bool empty() const { return items().empty(); }
  /// Whether there is a value of this name.
  bool contains(std::string_view name) const;
  /// The value of a name. Throws NotFoundError that lists the names.
  double at(std::string_view name) const;

  /// Gives a name a value, for the callbacks that come after.
  void set(std::string_view name, double value) const;

  /// The run goes on: what nobody has looked at by now is gone, and looking
  /// at it throws ValueError.
  void close() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// What a run is told at its start.
struct Params {
  /// The epoch that fit ends before; 1 outside fit.
  int epochs = 1;
  /// Steps of an epoch; unset where the data set does not know.
  std::optional<int64_t> steps = {};
  /// 0 silent, 1 progress bar, 2 one line per epoch.
  int verbose = 1;
};

/// What a Callback shares; derive from it and override hooks. They do nothing
/// unless overridden.
class CallbackBase {
 public:
  virtual ~CallbackBase();

  /// Before the first epoch of fit.
  virtual void on_train_begin(const Logs&) {}
  /// After the last epoch of fit.
  virtual void on_train_end(const Logs&) {}
  /// Before evaluate or a validation.
  virtual void on_test_begin(const Logs&) {}
  /// After evaluate or a validation, with its values.
  virtual void on_test_end(const Logs&) {}
  /// Before predict.
  virtual void on_predict_begin(const Logs&) {}
  /// After predict.
  virtual void on_predict_end(const Logs&) {}
  /// Before an epoch of fit, counted from 0.
  virtual void on_epoch_begin(int /*epoch*/, const Logs&) {}
  /// After an epoch and its validation; `val_` starts validation's names.
  virtual void on_epoch_end(int /*epoch*/, const Logs&) {}
  /// Keras's aliases of the train batch hooks.
  virtual void on_batch_begin(int64_t /*batch*/, const Logs&) {}
  virtual void on_batch_end(int64_t /*batch*/, const Logs&) {}
  /// Before a training batch, counted from 0 in its epoch.
  virtual void on_train_batch_begin(int64_t batch, const Logs& logs) {
    on_batch_begin(batch, logs);
  }
  /// After a training batch, with the epoch's values so far.
  virtual void on_train_batch_end(int64_t batch, const Logs& logs) {
    on_batch_end(batch, logs);
  }
  /// Before a batch of evaluate or a validation.
  virtual void on_test_batch_begin(int64_t /*batch*/, const Logs&) {}
  /// After a batch of evaluate or a validation.
  virtual void on_test_batch_end(int64_t /*batch*/, const Logs&) {}
  /// Before a batch of predict.
  virtual void on_predict_batch_begin(int64_t /*batch*/, const Logs&) {}
  /// After a batch of predict.
  virtual void on_predict_batch_end(int64_t /*batch*/, const Logs&) {}
  /// A program is about to be compiled, which may take a while.
  virtual void on_compile(std::string_view /*reason*/) {}

  /// The model that runs. Throws ValueError outside fit and its siblings.
  models::Model model() const;
  /// What the run was told at its start.
  const Params& params() const { return params_; }
  /// Called by the run before its first hook.
  void set_model(const models::Model& model) { model_ = model; }
  /// Called by the run before its first hook.
  void set_params(const Params& params) { params_ = params; }

 private:
  models::Model model_;
  Params params_;
};

/// A handle on a new T, made from the arguments.
template <class T, class... Args>
Callback make(Args&&... args) {
  return Callback(std::make_shared<T>(std::forward<Args>(args)...));
}

/// Calls a list of callbacks in order.
class CallbackList {
 public:
  /// Gives each the model and params; ValueError where one is undefined.
  CallbackList(std::vector<Callback> callbacks, const models::Model& model,
               const Params& params);

  /// Calls `hook` of each with these arguments.
  template <class... HookArgs, class... Args>
  void call(void (CallbackBase::*hook)(HookArgs...), const Args&... args) {
    const internal::TraceScope scope("callbacks");
    for (const Callback& callback : callbacks_) {
      (callback.base().*hook)(args...);
    }
  }

 private:
  std::vector<Callback> callbacks_;
};

}  // namespace systolic::callbacks
