#include "systolic/models/callbacks/early_stopping.h"

#include <ostream>
#include <vector>

#include "systolic/base/out.h"
#include "systolic/models/callbacks/monitor.h"

namespace systolic::callbacks {

class EarlyStoppingBase : public MonitorCallback {
 public:
  explicit EarlyStoppingBase(EarlyStoppingOptions options)
      : MonitorCallback("EarlyStopping", options.monitor, options.mode,
                        options.min_delta),
        options_(std::move(options)) {}

  void on_train_begin(const Logs&) override {
    wait_ = 0;
    stopped_epoch_ = 0;
    best_epoch_ = 0;
    best_.reset();
    best_weights_.reset();
  }

  void on_epoch_end(int epoch, const Logs& logs) override {
    const auto value = monitored(logs, "Early stopping conditioned on metric");
    if (!value || epoch < options_.start_from_epoch) return;
    if (options_.restore_best_weights && !best_weights_) keep(epoch);
    ++wait_;
    if (is_improvement(*value, best_)) {
      best_ = value;
      best_epoch_ = epoch;
      if (options_.restore_best_weights) keep(epoch);
      if (!options_.baseline || is_improvement(*value, options_.baseline)) {
        wait_ = 0;
      }
      return;
    }
    if (wait_ >= options_.patience && epoch > 0) {
      stopped_epoch_ = epoch;
      model().set_stop_training(true);
    }
  }

  void on_train_end(const Logs&) override {
    if (stopped_epoch_ > 0 && options_.verbose > 0) {
      output() << "Epoch " << stopped_epoch_ + 1 << ": early stopping\n";
    }
    if (!options_.restore_best_weights || !best_weights_) return;
    if (options_.verbose > 0) {
      output() << "Restoring model weights from the end of the best epoch: "
               << best_epoch_ + 1 << ".\n";
    }
    model().set_weights(*best_weights_);
  }

  int stopped_epoch() const { return stopped_epoch_; }
  int best_epoch() const { return best_epoch_; }
  std::optional<double> best() const { return best_; }

 private:
  void keep(int epoch) {
    best_weights_ = model().get_weights();
    best_epoch_ = epoch;
  }

  EarlyStoppingOptions options_;
  int wait_ = 0;
  int stopped_epoch_ = 0;
  int best_epoch_ = 0;
  std::optional<double> best_;
  std::optional<std::vector<Array>> best_weights_;
};

EarlyStopping::EarlyStopping(EarlyStoppingOptions options)
    : Callback(std::make_shared<EarlyStoppingBase>(std::move(options))) {}

int EarlyStopping::stopped_epoch() const {
  return static_cast<EarlyStoppingBase&>(base()).stopped_epoch();
}

int EarlyStopping::best_epoch() const {
  return static_cast<EarlyStoppingBase&>(base()).best_epoch();
}

std::optional<double> EarlyStopping::best() const {
  return static_cast<EarlyStoppingBase&>(base()).best();
}

}  // namespace systolic::callbacks
