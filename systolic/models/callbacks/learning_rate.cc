#include "systolic/models/callbacks/learning_rate.h"

#include <algorithm>
#include <optional>
#include <ostream>

#include "systolic/array/number_text.h"
#include "systolic/base/message.h"
#include "systolic/base/out.h"
#include "systolic/models/callbacks/monitor.h"
#include "systolic/optimizers/optimizer.h"

namespace systolic::callbacks {

using internal::Message;

namespace {

double rate_of(const models::Model& model) {
  return model.optimizer().learning_rate().item<float>();
}

// As Python prints a float.
std::string rate_text(double rate) {
  return internal::FloatText(rate, DType::float64).alone();
}

class SchedulerBase : public CallbackBase {
 public:
  SchedulerBase(LearningRateScheduler::Schedule schedule, int verbose)
      : schedule_(std::move(schedule)), verbose_(verbose) {
    if (schedule_ != nullptr) return;
    Message("LearningRateScheduler")
        .expected("a function of epoch and learning rate")
        .got("an empty one")
        .raise<ValueError>();
  }

  // A schedule has the last word: said before any step.
  void on_train_begin(const Logs&) override {
    model().optimizer().set_learning_rate(rate_of(model()));
  }

  void on_epoch_begin(int epoch, const Logs&) override {
    const double rate = schedule_(epoch, rate_of(model()));
    model().optimizer().set_learning_rate(rate);
    if (verbose_ < 1) return;
    output() << "\nEpoch " << epoch + 1
             << ": LearningRateScheduler setting learning rate to "
             << rate_text(rate) << ".\n";
  }

  void on_epoch_end(int, const Logs& logs) override {
    logs.set("learning_rate", rate_of(model()));
  }

 private:
  LearningRateScheduler::Schedule schedule_;
  int verbose_;
};

class PlateauBase : public MonitorCallback {
 public:
  explicit PlateauBase(ReduceLROnPlateauOptions options)
      : MonitorCallback("ReduceLROnPlateau", options.monitor, options.mode,
                        options.min_delta),
        options_(std::move(options)) {
    if (options_.factor < 1) return;
    Message("ReduceLROnPlateau")
        .expected("factor < 1")
        .got(options_.factor)
        .raise<ValueError>();
  }

  void on_train_begin(const Logs&) override {
    best_.reset();
    cooldown_ = 0;
    wait_ = 0;
  }

  void on_epoch_end(int epoch, const Logs& logs) override {
    logs.set("learning_rate", rate_of(model()));
    const auto value =
        monitored(logs, "Learning rate reduction is conditioned on metric");
    if (!value) return;
    if (cooldown_ > 0) {
      --cooldown_;
      wait_ = 0;
    }
    if (is_improvement(*value, best_)) {
      best_ = value;
      wait_ = 0;
    } else if (cooldown_ == 0 && ++wait_ >= options_.patience) {
      reduce(epoch);
    }
  }

 private:
  void reduce(int epoch) {
    const double old = rate_of(model());
    if (old <= static_cast<float>(options_.min_lr)) return;
    const double rate = std::max(old * options_.factor, options_.min_lr);
    model().optimizer().set_learning_rate(rate);
    cooldown_ = options_.cooldown;
    wait_ = 0;
    if (options_.verbose < 1) return;
    output() << "\nEpoch " << epoch + 1
             << ": ReduceLROnPlateau reducing learning rate to "
             << rate_text(rate) << ".\n";
  }

  ReduceLROnPlateauOptions options_;
  std::optional<double> best_;
  int cooldown_ = 0;
  int wait_ = 0;
};

}  // namespace

LearningRateScheduler::LearningRateScheduler(Schedule schedule, int verbose)
    : Callback(std::make_shared<SchedulerBase>(std::move(schedule), verbose)) {}

ReduceLROnPlateau::ReduceLROnPlateau(ReduceLROnPlateauOptions options)
    : Callback(std::make_shared<PlateauBase>(std::move(options))) {}

}  // namespace systolic::callbacks
