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

#include "systolic/models/callbacks/handle.h"
#include "systolic/models/model.h"

namespace systolic::callbacks {

/// Names and values of metrics, in order. The values live on the devices and
/// are fetched when somebody looks.
class Logs {
 public:
  using Items = std::vector<std::pair<std::string, double>>;

  /// No values.
  Logs() = default;
  /// These values.
  Logs(Items items);
  /// Values that `fetch` gets when they are first looked at.
  explicit Logs(std::function<Items()> fetch);

  /// All names and values; fetches them.
  const Items& items() const;
  auto begin() const { return items().begin(); }
  auto end() const { return items().end(); }
  bool empty() const { return items().empty(); }
  bool contains(std::string_view name) const;
  /// The value of a name. Throws NotFoundError that lists the names.
  double at(std::string_view name) const;

  /// The run goes on: what nobody has looked at by now is gone, and looking
  /// at it throws ValueError.
  void close() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// What a run is told at its start.
struct Params {
  int epochs = 1;
  /// Steps of an epoch; unset where the data set does not know.
  std::optional<int64_t> steps = {};
  /// 0 silent, 1 progress bar, 2 one line per epoch.
  int verbose = 1;
};

class CallbackBase {
 public:
  virtual ~CallbackBase();

  virtual void on_train_begin(const Logs&) {}
  virtual void on_train_end(const Logs&) {}
  virtual void on_test_begin(const Logs&) {}
  virtual void on_test_end(const Logs&) {}
  virtual void on_predict_begin(const Logs&) {}
  virtual void on_predict_end(const Logs&) {}
  virtual void on_epoch_begin(int /*epoch*/, const Logs&) {}
  virtual void on_epoch_end(int /*epoch*/, const Logs&) {}
  /// Keras's aliases of the train batch hooks.
  virtual void on_batch_begin(int64_t /*batch*/, const Logs&) {}
  virtual void on_batch_end(int64_t /*batch*/, const Logs&) {}
  virtual void on_train_batch_begin(int64_t batch, const Logs& logs) {
    on_batch_begin(batch, logs);
  }
  virtual void on_train_batch_end(int64_t batch, const Logs& logs) {
    on_batch_end(batch, logs);
  }
  virtual void on_test_batch_begin(int64_t /*batch*/, const Logs&) {}
  virtual void on_test_batch_end(int64_t /*batch*/, const Logs&) {}
  virtual void on_predict_batch_begin(int64_t /*batch*/, const Logs&) {}
  virtual void on_predict_batch_end(int64_t /*batch*/, const Logs&) {}
  /// A program is about to be compiled, which may take a while.
  virtual void on_compile(std::string_view /*reason*/) {}

  /// The model that runs. Throws ValueError outside fit and its siblings.
  models::Model model() const;
  const Params& params() const { return params_; }
  void set_model(const models::Model& model) { model_ = model; }
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
  CallbackList(std::vector<Callback> callbacks, const models::Model& model,
               const Params& params);

  /// Calls `hook` of each with these arguments.
  template <class... HookArgs, class... Args>
  void call(void (CallbackBase::*hook)(HookArgs...), const Args&... args) {
    for (const Callback& callback : callbacks_) {
      (callback.base().*hook)(args...);
    }
  }

 private:
  std::vector<Callback> callbacks_;
};

}  // namespace systolic::callbacks
