#include "systolic/layers/normalization/batch_normalization.h"

#include "systolic/graph/aggregate.h"
#include "systolic/graph/context.h"
#include "systolic/losses/weighting.h"
#include "systolic/ops/collective.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"

namespace systolic::layers {

namespace {

// Sums over the real rows of a batch, kept along the channels.
struct Statistics {
  Tensor mean, variance;
};

class BatchNormalizationBase final : public LayerBase {
 public:
  BatchNormalizationBase(BatchNormalizationOptions options,
                         const SourceLocation& where)
      : LayerBase(layer_options(options)), options_(std::move(options)) {
    if (!(options_.momentum >= 0 && options_.momentum <= 1)) {
      error()
          .expected("momentum in 0 ... 1")
          .got(options_.momentum)
          .at(where)
          .raise<ValueError>();
    }
    if (!(options_.epsilon >= 0)) {
      error()
          .expected("epsilon >= 0")
          .got(options_.epsilon)
          .at(where)
          .raise<ValueError>();
    }
    set_input_spec({.min_rank = 2});
  }

  std::string_view class_name() const override { return "BatchNormalization"; }
  bool supports_masking() const override { return true; }

  void build(const Shape& input_shape) override {
    const int axis = channels(input_shape);
    const Shape shape{input_shape[axis]};
    if (options_.scale) {
      gamma_ = add_weight({.name = "gamma",
                           .shape = shape,
                           .initializer = options_.gamma_initializer,
                           .regularizer = options_.gamma_regularizer,
                           .constraint = options_.gamma_constraint});
    }
    if (options_.center) {
      beta_ = add_weight({.name = "beta",
                          .shape = shape,
                          .initializer = options_.beta_initializer,
                          .regularizer = options_.beta_regularizer,
                          .constraint = options_.beta_constraint});
    }
    moving_mean_ = add_weight({.name = "moving_mean",
                               .shape = shape,
                               .initializer = options_.moving_mean_initializer,
                               .trainable = false});
    moving_variance_ =
        add_weight({.name = "moving_variance",
                    .shape = shape,
                    .initializer = options_.moving_variance_initializer,
                    .trainable = false});
    set_input_spec(
        {.rank = input_shape.rank(), .axes = {{axis, input_shape[axis]}}});
  }

  Tensor call(Tensor x, CallContext context) override {
    const DType dtype =
        x.dtype() == DType::float64 ? x.dtype() : DType::float32;
    x = as(x, dtype);
    const bool training = context.training && trainable();
    const Tensor real = training ? real_rows(x) : Tensor();
    // Filling may hold anything, NaN too, so it is not multiplied away.
    if (real.is_defined()) x = where(real, x, 0);
    const Statistics now = training ? batch_statistics(x, real, context.mask())
                                    : Statistics{as(moving_mean_, dtype),
                                                 as(moving_variance_, dtype)};
    Tensor scale = rsqrt(now.variance + options_.epsilon);
    if (options_.scale) scale = scale * as(gamma_, dtype);
    Tensor shift = -now.mean * scale;
    if (options_.center) shift = shift + as(beta_, dtype);
    return as(x * along(scale, x) + along(shift, x), compute_dtype());
  }

  Shape compute_output_shape(const Shape& input_shape) const override {
    channels(input_shape);
    return input_shape;
  }

 private:
  static Tensor as(const Tensor& x, DType dtype) {
    return x.dtype() == dtype ? x : cast(x, dtype);
  }

  int channels(const Shape& shape) const {
    const int axis =
        options_.axis < 0 ? options_.axis + shape.rank() : options_.axis;
    if (axis > 0 && axis < shape.rank()) return axis;
    error()
        .expected(
            "an axis of the channels that the input has, behind its "
            "batch")
        .got("axis ", options_.axis)
        .detail("input", shape)
        .at(call_site())
        .raise<ShapeError>();
  }

  // A value of each channel, as it broadcasts against x.
  Tensor along(const Tensor& values, const Tensor& x) const {
    const int axis = channels(x.shape());
    if (axis == x.rank() - 1) return values;
    Shape shape = Shape::filled(x.rank(), 1);
    shape.set(axis, values.shape()[0]);
    return reshape(values, shape);
  }

  // Which rows of x are real, as it broadcasts against it; undefined: all.
  Tensor real_rows(const Tensor& x) const {
    const auto& here = internal::graph::context();
    const int64_t rows = x.shape()[0];
    if (here.valid_rows.is_defined() && here.batch_rows > 0 &&
        rows % here.batch_rows != 0) {
      error()
          .expected("the ", here.batch_rows,
                    " rows of this replica along axis 0, or several for each")
          .got(rows)
          .detail("input", x.spec())
          .hint(
              "the batch was filled up: which rows are real is known by axis "
              "0 alone")
          .at(call_site())
          .raise<ShapeError>();
    }
    const Tensor real = internal::real_rows(rows);
    return real.is_defined() ? internal::rows_of_rank(real, x.rank()) : real;
  }

  Tensor sum_of(const Tensor& x) const {
    std::vector<int> axes;
    for (int i = 0; i < x.rank(); ++i) {
      if (i != channels(x.shape())) axes.push_back(i);
    }
    return sum(x, {.axis = axes});
  }

  // Which elements of x a mask and the filling leave, as they broadcast
  // against it.
  static Tensor left_by(const Tensor& mask, const Tensor& real,
                        const Tensor& x) {
    const Tensor wide = internal::rows_of_rank(mask, x.rank());
    return real.is_defined() ? logical_and(wide, real) : wide;
  }

  // Elements of each channel that count, a scalar.
  Tensor count_of(const Tensor& x, const Tensor& real) const {
    const int64_t channel_size = x.shape()[channels(x.shape())];
    const int64_t rows = x.shape()[0];
    const int64_t each = channel_size * rows == 0
                             ? 0
                             : x.shape().elements() / (channel_size * rows);
    if (real.is_defined()) return sum(cast(real, x.dtype())) * each;
    return cast(full(Shape::scalar(), each * rows), x.dtype());
  }

  // `real` and `mask` may be undefined: all counts. Both sums are of distances
  // to the mean so far, so that one pass over x is enough, which may be part of
  // what makes x, and still no digits are lost once that mean is near.
  Statistics batch_statistics(const Tensor& x, Tensor real,
                              const Tensor& mask) {
    const bool alone = num_replicas_in_sync() == 1;
    const Tensor origin = stop_gradient(as(moving_mean_, x.dtype()));
    Tensor distance = x - along(origin, x);
    Tensor count;
    if (mask.is_defined()) {
      real = left_by(mask, real, x);
      count = sum_of(cast(broadcast_to(real, x.shape()), x.dtype()));
    } else {
      count = count_of(x, real);
    }
    if (real.is_defined()) distance = where(real, distance, 0);
    std::vector<Tensor> sums{sum_of(distance), sum_of(square(distance)), count};
    if (options_.synchronized && !alone) {
      sums = all_reduce(ReduceOp::sum, sums);
    }
    const Tensor divisor = maximum(sums[2], 1);
    const Tensor mean = sums[0] / divisor;
    const Tensor variance = maximum(sums[1] / divisor - square(mean), 0);
    const Statistics batch{mean + origin, variance};
    move_statistics(batch, sums[2], alone);
    return batch;
  }

  void move_statistics(const Statistics& batch, const Tensor& count,
                       bool alone) {
    Tensor mean = stop_gradient(batch.mean);
    Tensor variance = stop_gradient(batch.variance);
    if (!options_.synchronized && !alone) {
      // One collective; a replica counts by its rows.
      const std::vector<Tensor> all = all_reduce(
          ReduceOp::sum,
          std::vector<Tensor>{mean * count, variance * count, count});
      const Tensor divisor = maximum(all[2], 1);
      mean = all[0] / divisor;
      variance = all[1] / divisor;
    }
    const internal::graph::ReplicasAgree agree;
    move(moving_mean_, mean);
    move(moving_variance_, variance);
  }

  void move(Variable& statistic, const Tensor& value) const {
    const double keep = options_.momentum;
    statistic.assign(as(statistic, value.dtype()) * keep + value * (1 - keep));
  }

  BatchNormalizationOptions options_;
  Variable gamma_;
  Variable beta_;
  Variable moving_mean_;
  Variable moving_variance_;
};

}  // namespace

BatchNormalization::BatchNormalization(BatchNormalizationOptions options,
                                       SourceLocation where)
    : Layer(std::make_shared<BatchNormalizationBase>(std::move(options),
                                                     where)) {}

}  // namespace systolic::layers
