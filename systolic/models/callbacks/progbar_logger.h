// ProgbarLogger: Keras's progress bar. fit adds it by itself.
//
// On a terminal the line is redrawn, at most ten times a second; elsewhere
// one plain line is written when an epoch ends.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "systolic/models/callbacks/callback.h"

namespace systolic::callbacks {

class ProgbarLoggerBase : public CallbackBase {
 public:
  void on_train_begin(const Logs&) override;
  void on_train_end(const Logs&) override;
  void on_test_begin(const Logs&) override;
  void on_predict_begin(const Logs&) override;
  void on_epoch_begin(int epoch, const Logs&) override;
  void on_train_batch_end(int64_t batch, const Logs& logs) override;
  void on_test_batch_end(int64_t batch, const Logs& logs) override;
  void on_predict_batch_end(int64_t batch, const Logs& logs) override;
  void on_epoch_end(int epoch, const Logs& logs) override;
  void on_test_end(const Logs& logs) override;
  void on_predict_end(const Logs& logs) override;
  void on_compile(std::string_view reason) override;

  /// The line for `done` steps after `seconds`, as Keras writes it. `target`
  /// is unset where the number of steps is not known; `seconds_per_step` is
  /// the mean over all unless given.
  static std::string line(int64_t done, std::optional<int64_t> target,
                          double seconds, const Logs::Items& items, int verbose,
                          bool colour,
                          std::optional<double> seconds_per_step = {});

 private:
  using Clock = std::chrono::steady_clock;

  void begin();
  void update(int64_t done, const Logs& logs);
  void finish(const Logs& logs);
  void draw(const std::string& text);
  double elapsed() const;
  std::optional<double> seconds_per_step() const;

  bool terminal_ = false;
  bool in_fit_ = false;
  bool told_compile_ = false;
  int64_t seen_ = 0;
  size_t width_ = 0;
  std::optional<int64_t> known_steps_;
  Clock::time_point start_;
  int64_t first_seen_ = 0;
  double first_seconds_ = 0;
  Clock::time_point last_draw_;
};

class ProgbarLogger : public Callback {
 public:
  ProgbarLogger() : Callback(std::make_shared<ProgbarLoggerBase>()) {}
};

}  // namespace systolic::callbacks
