#include "systolic/losses/loss.h"

#include "systolic/base/auto_name.h"
#include "systolic/base/message.h"
#include "systolic/base/null.h"
#include "systolic/graph/name_scope.h"
#include "systolic/losses/function_loss.h"
#include "systolic/losses/weighting.h"

namespace systolic {

namespace internal {

FunctionLoss::FunctionLoss(Parts parts, losses::LossOptions options)
    : LossBase(std::move(options)), parts_(std::move(parts)) {
  require_function(parts_.call, parts_.class_name);
  if (is_floating(dtype())) return;
  Message(std::string(parts_.class_name))
      .expected("a floating-point dtype")
      .got(dtype())
      .raise<TypeError>();
}

Tensor FunctionLoss::call(const Tensor& y_true, const Tensor& y_pred) {
  const auto [labels, predictions] = match_ranks(y_true, y_pred);
  return parts_.call(labels, predictions);
}

Tensor FunctionLoss::mask(const Tensor& y_true, const Tensor& y_pred) const {
  if (!parts_.mask) return {};
  const auto [labels, predictions] = match_ranks(y_true, y_pred);
  return parts_.mask(labels, predictions);
}

void check_smoothing(std::string_view who, double label_smoothing) {
  if (label_smoothing >= 0 && label_smoothing <= 1) return;
  Message(std::string(who))
      .expected("label_smoothing in 0 ... 1")
      .got(label_smoothing)
      .raise<ValueError>();
}

losses::Loss make_function_loss(FunctionLoss::Parts parts,
                                losses::LossOptions options) {
  if (options.name.empty()) options.name = to_snake_case(parts.class_name);
  return losses::Loss(
      std::make_shared<FunctionLoss>(std::move(parts), std::move(options)));
}

}  // namespace internal

namespace losses {

LossBase::~LossBase() = default;

Tensor LossBase::mask(const Tensor&, const Tensor&) const { return {}; }

Loss::Loss(std::shared_ptr<LossBase> base) : base_(std::move(base)) {
  if (base_ != nullptr && base_->name().empty()) {
    base_->set_name(internal::auto_name(base_->class_name()));
  }
}

LossBase& Loss::base() const {
  if (base_ == nullptr) {
    internal::Message("Loss")
        .expected("a loss")
        .got("an undefined one (Loss())")
        .raise<ValueError>();
  }
  return *base_;
}

Tensor Loss::operator()(const Arg& y_true, const Arg& y_pred) const {
  return (*this)(y_true, y_pred, Tensor());
}

Tensor Loss::operator()(const Arg& y_true, const Arg& y_pred,
                        const Arg& sample_weight) const {
  LossBase& loss = base();
  const internal::graph::NameScope scope("loss", y_pred.where());
  const Tensor predictions = internal::as_dtype(y_pred.tensor(), loss.dtype());
  Tensor labels = y_true.tensor();
  if (loss.casts_labels()) labels = internal::as_dtype(labels, loss.dtype());
  const Tensor values = loss.call(labels, predictions);
  return internal::reduce_weighted(
      loss.class_name(), values, sample_weight.tensor(),
      internal::both_masks(
          loss.mask(labels, predictions),
          internal::mask_for(loss.class_name(), values, y_pred.tensor())),
      loss.reduction());
}

LossFunctionWrapper::LossFunctionWrapper(LossFunction fn, LossOptions options)
    : Loss(std::make_shared<internal::FunctionLoss>(
          internal::FunctionLoss::Parts{.class_name = "LossFunctionWrapper",
                                        .call = std::move(fn)},
          std::move(options))) {}

}  // namespace losses
}  // namespace systolic
