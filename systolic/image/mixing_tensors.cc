// MixUp and CutMix inside of a program.
// Tested by: systolic/image/mixing_platform_test.cc
// Tested by: systolic/distribute/run_steps_platform_test.cc
#include "systolic/base/seed.h"
#include "systolic/image/mixing.h"
#include "systolic/losses/weighting.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/sort.h"

namespace systolic::image {

namespace {

// The seed of another draw: a fixed one would give the same numbers again.
random::Seed next_seed(const random::Seed& seed, uint64_t draw) {
  if (!seed.fixed()) return seed;
  const auto key = static_cast<uint64_t>(*seed.fixed());
  return static_cast<int64_t>(internal::mix_seed(key, draw));
}

// A weight of each image: of the distribution Beta(alpha, alpha).
Tensor weights(int64_t count, double alpha, const random::Seed& seed) {
  return random::beta({count}, alpha, alpha,
                      {.seed = next_seed(seed, 1), .batch_rows = true});
}

// Which row each of `count` is mixed with. What fills up a batch is mixed with
// itself alone: the real rows, which come first, stay the first.
Tensor random_order(int64_t count, const random::Seed& seed) {
  const Tensor order = random::permutation(count, next_seed(seed, 0));
  const Tensor real = internal::real_rows(count);
  if (!real.is_defined()) return order;
  return take(order, argsort(where(take(real, order), 0, 1)));
}

// The batch in another order.
Tensor reordered(const Arg& x, const Tensor& order) {
  return take(x, order, {.axis = 0});
}

// One number of each image, beside Tensors of `rank`.
Tensor column(const Tensor& x, int rank) {
  Shape shape = Shape::filled(rank, 1);
  shape.set(0, x.shape()[0]);
  return reshape(x, shape);
}

// Each row with its weight and the rest of the other one.
Tensor mixed_rows(const Tensor& rows, const Tensor& others,
                  const Tensor& weight) {
  const auto wide = [](const Tensor& x) { return cast(x, DType::float32); };
  const Tensor part = column(weight, rows.rank());
  Tensor mixed = wide(rows) * part + wide(others) * (1 - part);
  if (is_integer(rows.dtype())) mixed = round(mixed);
  return cast(mixed, rows.dtype());
}

// Whether the pixels along an axis of each image are in a part of it that is
// `side` of the axis long, around a random one.
Tensor random_part(const Tensor& side, int64_t size, const random::Seed& seed) {
  const int64_t count = side.shape()[0];
  const Tensor centre =
      random::randint({count}, 0, size, {.seed = seed, .batch_rows = true});
  const Tensor half =
      cast(floor(side * (static_cast<double>(size) / 2)), DType::int32);
  const Tensor place = arange(size);
  return logical_and(place >= expand_dims(centre - half, -1),
                     place < expand_dims(centre + half, -1));
}

// How many there are in each row, as a part of all.
Tensor part_of_rows(const Tensor& inside) {
  return mean(cast(inside, DType::float32), {.axis = -1});
}

}  // namespace

std::pair<Tensor, Tensor> MixUp::mix(const Arg& images, const Arg& labels,
                                     const random::Seed& seed) const {
  const Tensor in = images.tensor(), named = labels.tensor();
  detail::require_batch("MixUp", in.spec(), named.spec(), images.where());
  const int64_t count = in.shape()[0];
  const Tensor order = random_order(count, seed);
  const Tensor weight = weights(count, options_.alpha, seed);
  return {mixed_rows(in, reordered(in, order), weight),
          mixed_rows(named, reordered(named, order), weight)};
}

std::pair<Tensor, Tensor> CutMix::mix(const Arg& images, const Arg& labels,
                                      const random::Seed& seed) const {
  const Tensor in = images.tensor(), named = labels.tensor();
  detail::require_batch("CutMix", in.spec(), named.spec(), images.where());
  const int64_t count = in.shape()[0];
  const Tensor order = random_order(count, seed);
  const Tensor side = sqrt(1 - weights(count, options_.factor, seed));
  const Tensor rows = random_part(side, in.shape()[1], next_seed(seed, 2));
  const Tensor columns = random_part(side, in.shape()[2], next_seed(seed, 3));
  const Tensor cut = expand_dims(
      logical_and(expand_dims(rows, -1), expand_dims(columns, 1)), -1);
  const Tensor kept = 1 - part_of_rows(rows) * part_of_rows(columns);
  return {where(cut, reordered(in, order), in),
          mixed_rows(named, reordered(named, order), kept)};
}

}  // namespace systolic::image
