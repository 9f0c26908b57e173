// LambdaCallback: functions in place of a class.
//
//   callbacks::LambdaCallback({.on_epoch_end = [](int epoch, const auto& logs)
//   {
//     std::cout << epoch << ": " << logs.at("loss") << "\n";
//   }});
#pragma once

#include <cstdint>
#include <functional>

#include "systolic/models/callbacks/callback.h"

namespace systolic::callbacks {

/// What is called when; each may be left out.
struct LambdaCallbackOptions {
  std::function<void(int epoch, const Logs&)> on_epoch_begin = {};
  std::function<void(int epoch, const Logs&)> on_epoch_end = {};
  std::function<void(const Logs&)> on_train_begin = {};
  std::function<void(const Logs&)> on_train_end = {};
  std::function<void(int64_t batch, const Logs&)> on_train_batch_begin = {};
  std::function<void(int64_t batch, const Logs&)> on_train_batch_end = {};
};

/// Calls the functions that it is given.
class LambdaCallback : public Callback {
 public:
  explicit LambdaCallback(LambdaCallbackOptions functions);
};
static_assert(sizeof(LambdaCallback) == sizeof(Callback));

/// Ends fit when the loss is no finite number.
class TerminateOnNaN : public Callback {
 public:
  /// `raise_error` throws a RuntimeError in place of that.
  explicit TerminateOnNaN(bool raise_error = false);
};
static_assert(sizeof(TerminateOnNaN) == sizeof(Callback));

}  // namespace systolic::callbacks
