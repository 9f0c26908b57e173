#include "systolic/losses/regression.h"

#include "systolic/base/message.h"
#include "systolic/losses/function_loss.h"
#include "systolic/losses/weighting.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"

namespace systolic::losses {
namespace {

// y_true - y_pred in y_pred's dtype.
Tensor difference(std::string_view who, const Arg& y_true, const Arg& y_pred) {
  const Tensor predictions = y_pred.tensor();
  const auto [a, b] = internal::match_ranks(
      internal::as_dtype(y_true.tensor(predictions.dtype()),
                         predictions.dtype()),
      predictions);
  if (b.rank() == 0) {
    internal::Message(std::string(who))
        .expected("values with a last axis to take the mean over")
        .got("scalars")
        .detail("y_true", a.spec())
        .detail("y_pred", b.spec())
        .raise<ShapeError>();
  }
  try {
    broadcast(a.shape(), b.shape());
  } catch (const ShapeError&) {
    internal::Message(std::string(who))
        .expected("y_true and y_pred of shapes that broadcast together")
        .got(a.shape(), " and ", b.shape())
        .detail("y_true", a.spec())
        .detail("y_pred", b.spec())
        .hint("the model's last layer gives y_pred: it has ", b.shape()[-1],
              " values a row")
        .raise<ShapeError>();
  }
  return a - b;
}

}  // namespace

Tensor mean_squared_error(const Arg& y_true, const Arg& y_pred) {
  return mean(square(difference("mean_squared_error", y_true, y_pred)),
              {.axis = -1});
}

Tensor mean_absolute_error(const Arg& y_true, const Arg& y_pred) {
  return mean(abs(difference("mean_absolute_error", y_true, y_pred)),
              {.axis = -1});
}

MeanSquaredError::MeanSquaredError(LossOptions options)
    : Loss(internal::make_function_loss(
          {.class_name = "MeanSquaredError",
           .call =
               [](const Tensor& y_true, const Tensor& y_pred) {
                 return mean_squared_error(y_true, y_pred);
               }},
          std::move(options))) {}

MeanAbsoluteError::MeanAbsoluteError(LossOptions options)
    : Loss(internal::make_function_loss(
          {.class_name = "MeanAbsoluteError",
           .call =
               [](const Tensor& y_true, const Tensor& y_pred) {
                 return mean_absolute_error(y_true, y_pred);
               }},
          std::move(options))) {}

}  // namespace systolic::losses
