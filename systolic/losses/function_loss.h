// FunctionLoss: what the built-in losses are made of.
// Inside of the room losses.
#pragma once

#include <string>
#include <string_view>

#include "systolic/losses/loss.h"

namespace systolic::internal {

class FunctionLoss : public losses::LossBase {
 public:
  struct Parts {
    std::string_view class_name;
    losses::LossFunction call;
    /// Empty: every value counts.
    losses::LossFunction mask = {};
    bool casts_labels = true;
    std::optional<int64_t> ignored_class = {};
  };

  FunctionLoss(Parts parts, losses::LossOptions options);

  std::string_view class_name() const override { return parts_.class_name; }
  Tensor call(const Tensor& y_true, const Tensor& y_pred) override;
  Tensor mask(const Tensor& y_true, const Tensor& y_pred) const override;
  bool casts_labels() const override { return parts_.casts_labels; }
  std::optional<int64_t> ignored_class() const override {
    return parts_.ignored_class;
  }

 private:
  Parts parts_;
};

/// Throws ValueError unless label_smoothing is in 0 ... 1.
void check_smoothing(std::string_view who, double label_smoothing);

/// A handle on a built-in; its name is `options.name`, else the class's own
/// in snake case.
losses::Loss make_function_loss(FunctionLoss::Parts parts,
                                losses::LossOptions options);

}  // namespace systolic::internal
