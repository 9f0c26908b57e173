// History: what each epoch of a fit logged.
//
//   auto history = model.fit(dataset, {.epochs = 5});
//   double last = history["val_loss"].back();
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/models/callbacks/callback.h"

namespace systolic::callbacks {

class HistoryBase : public CallbackBase {
 public:
  void on_train_begin(const Logs&) override;
  void on_epoch_end(int epoch, const Logs& logs) override;

  const std::vector<int>& epoch() const { return epoch_; }
  const std::vector<std::pair<std::string, std::vector<double>>>& history()
      const {
    return history_;
  }

 private:
  std::vector<int> epoch_;
  std::vector<std::pair<std::string, std::vector<double>>> history_;
};

class History : public Callback {
 public:
  History() : Callback(std::make_shared<HistoryBase>()) {}
  explicit History(std::shared_ptr<HistoryBase> base)
      : Callback(std::move(base)) {}

  /// What the fit was told: epochs, steps, verbose.
  const Params& params() const { return base().params(); }
  /// The epochs that ran.
  const std::vector<int>& epoch() const;
  /// Names with one value per epoch, in the order of the logs.
  const std::vector<std::pair<std::string, std::vector<double>>>& history()
      const;
  /// The values of a name. Throws NotFoundError that lists the names.
  const std::vector<double>& operator[](std::string_view name) const;
};

}  // namespace systolic::callbacks
