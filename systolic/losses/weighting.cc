#include "systolic/losses/weighting.h"

#include <string>
#include <tuple>

#include "systolic/base/message.h"
#include "systolic/graph/context.h"
#include "systolic/graph/mask.h"
#include "systolic/ops/collective.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"

namespace systolic::internal {

using losses::Reduction;

Tensor as_dtype(const Tensor& x, DType dtype) {
  return x.dtype() == dtype ? x : cast(x, dtype);
}

Tensor divide_no_nan(const Tensor& x, const Tensor& y) {
  const Tensor empty = equal(y, 0);
  return where(empty, 0, x / where(empty, 1, y));
}

std::pair<Tensor, Tensor> match_ranks(const Tensor& a, const Tensor& b) {
  // Which of the two is longer makes no difference to the rule.
  if (a.rank() + 1 == b.rank()) {
    auto [second, first] = match_ranks(b, a);
    return {first, second};
  }
  if (a.rank() != b.rank() + 1 || a.shape()[-1] != 1) return {a, b};
  if (b.rank() == 1) return {a, expand_dims(b, -1)};
  return {squeeze(a, -1), b};
}

Tensor real_rows(int64_t rows) {
  // Undefined where every row is real: then there is nothing to leave out.
  const graph::Context& here = graph::context();
  if (!here.valid_rows.is_defined()) return {};
  if (here.batch_rows <= 0 || here.batch_rows == rows) {
    return less(arange(rows), here.valid_rows);
  }
  // Other values than rows have no filling.
  if (rows % here.batch_rows != 0) return {};
  return less(arange(rows), here.valid_rows * (rows / here.batch_rows));
}

Tensor rows_of_rank(const Tensor& mask, int rank) {
  if (mask.rank() >= rank) return mask;
  Shape shape = mask.shape();
  while (shape.rank() < rank) shape.push_back(1);
  return reshape(mask, shape);
}

void check_weight(std::string_view who, const Tensor& values,
                  const Tensor& weight) {
  const Shape& to = values.shape();
  const Shape& from = weight.shape();
  bool fits = from.rank() <= to.rank();
  for (int i = 1; fits && i <= from.rank(); ++i) {
    fits = from[-i] == 1 || to[-i] == 1 || from[-i] == to[-i];
  }
  if (fits) return;
  Message(std::string(who))
      .expected("sample_weight of a shape that broadcasts to ", to)
      .got(from)
      .detail("values", values.spec())
      .detail("sample_weight", weight.spec())
      .hint(
          "one weight per example has the shape of the batch; add an axis "
          "with expand_dims(sample_weight, -1) where there is one value for "
          "each position of an example")
      .raise<ShapeError>();
}

Tensor mask_for(std::string_view who, const Tensor& values,
                const Tensor& y_pred) {
  Tensor mask = graph::mask_of(y_pred);
  if (!mask.is_defined()) return mask;
  bool fits = mask.rank() <= values.rank();
  for (int i = 0; fits && i < mask.rank(); ++i) {
    fits = mask.shape()[i] == values.shape()[i];
  }
  if (!fits) {
    Message(std::string(who))
        .expected("a mask of y_pred that has the first axes of its values, ",
                  values.shape())
        .got(mask.shape())
        .detail("y_pred", y_pred.spec())
        .raise<ShapeError>();
  }
  mask = rows_of_rank(mask, values.rank());
  return mask.shape() == values.shape() ? mask
                                        : broadcast_to(mask, values.shape());
}

Tensor both_masks(const Tensor& a, const Tensor& b) {
  if (!a.is_defined() || !b.is_defined()) return a.is_defined() ? a : b;
  return logical_and(reshape(a, b.shape()), b);
}

namespace {

// Weights and masks applied to the values of a loss.
struct Weighted {
  Tensor values;
  Tensor weight;  // 0 where masked
  Tensor mask;    // of the values' shape; padding is masked too
};

Weighted apply(std::string_view who, Tensor values, Tensor weight,
               Tensor mask) {
  if (weight.is_defined()) {
    weight = as_dtype(weight, values.dtype());
    std::tie(values, weight) = match_ranks(values, weight);
    check_weight(who, values, weight);
    if (mask.is_defined()) {
      mask = reshape(mask, values.shape());
      // As Keras: the weights take the mask's shape, and are counted so.
      weight = where(mask, weight, 0);
    }
    values = values * weight;
  }
  Tensor real = values.rank() > 0 ? real_rows(values.shape()[0]) : Tensor();
  if (real.is_defined()) {
    real = rows_of_rank(real, values.rank());
    if (weight.is_defined()) weight = where(real, weight, 0);
    mask = mask.is_defined() ? logical_and(mask, real) : real;
  }
  if (mask.is_defined()) {
    if (mask.shape() != values.shape()) {
      mask = broadcast_to(mask, values.shape());
    }
    // Padding may hold anything, NaN too, so it is not multiplied away.
    values = where(mask, values, 0);
  }
  return {values, weight, mask};
}

}  // namespace

Tensor reduce_weighted(std::string_view who, const Tensor& values,
                       const Tensor& weight, const Tensor& mask,
                       Reduction reduction) {
  const Weighted w = apply(who, values, weight, mask);
  if (reduction == Reduction::none || w.values.rank() == 0 ||
      w.values.shape().elements() == 0) {
    return w.values;
  }
  const Tensor total = sum(w.values);
  if (reduction == Reduction::sum) return total;
  Tensor divisor;
  if (reduction == Reduction::mean_with_sample_weight &&
      w.weight.is_defined()) {
    divisor = sum(w.weight);
  } else if (w.mask.is_defined()) {
    divisor = sum(cast(w.mask, total.dtype()));
  } else {
    // Known without computing: every replica has as many.
    return total / static_cast<double>(w.values.shape().elements() *
                                       num_replicas_in_sync());
  }
  if (num_replicas_in_sync() > 1) {
    divisor = all_reduce(ReduceOp::sum, divisor);
  }
  return divide_no_nan(total, as_dtype(divisor, total.dtype()));
}

}  // namespace systolic::internal
