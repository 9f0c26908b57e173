#include "systolic/models/callbacks/lambda_callback.h"

#include <cmath>
#include <ostream>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/base/out.h"

namespace systolic::callbacks {

namespace {

class LambdaBase : public CallbackBase {
 public:
  explicit LambdaBase(LambdaCallbackOptions f) : f_(std::move(f)) {}
  void on_epoch_begin(int epoch, const Logs& logs) override {
    if (f_.on_epoch_begin) f_.on_epoch_begin(epoch, logs);
  }
  void on_epoch_end(int epoch, const Logs& logs) override {
    if (f_.on_epoch_end) f_.on_epoch_end(epoch, logs);
  }
  void on_train_begin(const Logs& logs) override {
    if (f_.on_train_begin) f_.on_train_begin(logs);
  }
  void on_train_end(const Logs& logs) override {
    if (f_.on_train_end) f_.on_train_end(logs);
  }
  void on_train_batch_begin(int64_t batch, const Logs& logs) override {
    if (f_.on_train_batch_begin) f_.on_train_batch_begin(batch, logs);
  }
  void on_train_batch_end(int64_t batch, const Logs& logs) override {
    if (f_.on_train_batch_end) f_.on_train_batch_end(batch, logs);
  }

 private:
  LambdaCallbackOptions f_;
};

class TerminateBase : public CallbackBase {
 public:
  explicit TerminateBase(bool raise_error) : raise_error_(raise_error) {}

  void on_batch_end(int64_t batch, const Logs& logs) override {
    const char* name = logs.contains("loss") ? "loss" : "loss_sum";
    if (!logs.contains(name)) return;
    const double loss = logs.at(name);
    if (std::isfinite(loss)) return;
    if (raise_error_) {
      internal::Message("TerminateOnNaN")
          .rule("NaN or Inf loss encountered at batch ", batch)
          .detail("loss", loss)
          .raise<ValueError>();
    }
    output() << "Batch " << batch << ": Invalid loss, terminating training\n";
    model().set_stop_training(true);
  }

 private:
  bool raise_error_;
};

}  // namespace

LambdaCallback::LambdaCallback(LambdaCallbackOptions functions)
    : Callback(std::make_shared<LambdaBase>(std::move(functions))) {}

TerminateOnNaN::TerminateOnNaN(bool raise_error)
    : Callback(std::make_shared<TerminateBase>(raise_error)) {}

}  // namespace systolic::callbacks
