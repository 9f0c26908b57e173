#include "systolic/losses/average_loss.h"

#include <tuple>

#include "systolic/base/message.h"
#include "systolic/graph/context.h"
#include "systolic/losses/weighting.h"
#include "systolic/ops/collective.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"

namespace systolic::nn {

using internal::Message;

namespace {

// Throws unless the first axis is the rows of this replica.
void check_rows(std::string_view who, const Tensor& values,
                const SourceLocation& where) {
  const auto& here = internal::graph::context();
  if (values.rank() == 0) {
    Message(std::string(who))
        .expected("a value for each example")
        .got(values.spec())
        .hint("compute the loss without a reduction")
        .at(where)
        .raise<ShapeError>();
  }
  if (!here.valid_rows.is_defined() || here.batch_rows < 0 ||
      values.shape()[0] == here.batch_rows) {
    return;
  }
  Message(std::string(who))
      .expected("a first axis of the ", here.batch_rows,
                " rows of this replica")
      .got(values.spec())
      .hint(
          "the batch was filled up: which values are real is known by row "
          "alone")
      .at(where)
      .raise<ShapeError>();
}

// All axes but the first, averaged.
Tensor mean_by_row(const Tensor& x) {
  if (x.rank() == 1) return x;
  std::vector<int> axes;
  for (int i = 1; i < x.rank(); ++i) axes.push_back(i);
  return mean(x, {.axis = axes});
}

Tensor weighted(const Tensor& values, const Tensor& sample_weight) {
  if (!sample_weight.is_defined()) return values;
  auto [value, weight] = internal::match_ranks(
      values, internal::as_dtype(sample_weight, values.dtype()));
  // One weight for each example, beside values that have more axes.
  if (weight.rank() == 1 && value.rank() > 1 &&
      weight.shape()[0] == value.shape()[0]) {
    weight = internal::rows_of_rank(weight, value.rank());
  }
  internal::check_weight("compute_average_loss", value, weight);
  return value * weight;
}

}  // namespace

Tensor compute_average_loss(const Arg& per_example_loss,
                            const AverageLossOptions& options) {
  constexpr std::string_view kWho = "compute_average_loss";
  const Tensor values = per_example_loss.tensor();
  check_rows(kWho, values, per_example_loss.where());
  if (options.global_batch_size.value_or(1) < 1) {
    Message(std::string(kWho))
        .expected("a global_batch_size of at least 1")
        .got(*options.global_batch_size)
        .at(per_example_loss.where())
        .raise<ValueError>();
  }
  Tensor rows = mean_by_row(weighted(values, options.sample_weight));
  if (const Tensor real = internal::real_rows(rows.shape()[0]);
      real.is_defined()) {
    // Not multiplied away: the filling may give NaN.
    rows = where(real, rows, 0);
  }
  const Tensor total = sum(rows);
  if (options.global_batch_size) {
    return total / static_cast<double>(*options.global_batch_size);
  }
  const Tensor& padded = internal::graph::context().valid_rows;
  if (!padded.is_defined()) {
    return total /
           static_cast<double>(values.shape()[0] * num_replicas_in_sync());
  }
  const Tensor all = all_reduce(ReduceOp::sum, padded);
  return total / internal::as_dtype(all, total.dtype());
}

Tensor scale_regularization_loss(const Arg& regularization_loss) {
  const Tensor values = regularization_loss.tensor();
  const Tensor total = values.rank() == 0 ? values : sum(values);
  return total / static_cast<double>(num_replicas_in_sync());
}

Tensor masked_mean(const Arg& values, const MaskedMeanOptions& options) {
  const Tensor x = values.tensor();
  check_rows("masked_mean", x, values.where());
  return internal::reduce_weighted("masked_mean", x, Tensor(), options.mask,
                                   losses::Reduction::sum_over_batch_size);
}

}  // namespace systolic::nn
