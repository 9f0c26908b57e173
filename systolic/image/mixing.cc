#include "systolic/image/mixing.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "systolic/array/cast.h"
#include "systolic/base/message.h"
#include "systolic/image/pixels.h"
#include "systolic/image/stateless.h"

namespace systolic::image {

using detail::StatelessNumbers;

namespace {

// The images of a batch with a row of label numbers for each.
detail::Pixels check_batch(const char* who, const Array& images,
                           const Array& labels) {
  const detail::Pixels in = detail::pixels_of(who, images);
  detail::require_batch(who, images.spec(), labels.spec(),
                        SourceLocation::current());
  return in;
}

void require_positive(const char* who, const char* name, double value) {
  if (value > 0) return;
  internal::Message(who)
      .expected(name, " above 0")
      .got(value)
      .raise<ValueError>();
}

// A random order of the batch.
std::vector<int64_t> permutation(StatelessNumbers& numbers, int64_t count) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t{0});
  for (int64_t i = count; i > 1; --i) {
    std::swap(order[static_cast<size_t>(i - 1)],
              order[static_cast<size_t>(numbers.integer(0, i))]);
  }
  return order;
}

// Never 0, whose logarithm is infinite.
double positive(StatelessNumbers& numbers) {
  return (static_cast<double>(numbers.bits()) + 0.5) / 4294967296.0;
}

// A number of the distribution Gamma(alpha, 1), by its logarithm, which does
// not underflow (Marsaglia and Tsang 2000).
double log_gamma_number(StatelessNumbers& numbers, double alpha) {
  if (alpha < 1) {
    return log_gamma_number(numbers, alpha + 1) +
           std::log(positive(numbers)) / alpha;
  }
  const double d = alpha - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double normal = std::sqrt(-2 * std::log(positive(numbers))) *
                          std::cos(2 * M_PI * positive(numbers));
    const double v = std::pow(1 + c * normal, 3);
    if (v <= 0) continue;
    if (std::log(positive(numbers)) <
        normal * normal / 2 + d - d * v + d * std::log(v)) {
      return std::log(d * v);
    }
  }
}

// A number of the distribution Beta(alpha, alpha).
double beta(StatelessNumbers& numbers, double alpha) {
  const double a = log_gamma_number(numbers, alpha);
  const double b = log_gamma_number(numbers, alpha);
  return 1 / (1 + std::exp(b - a));
}

// Row i of the floats becomes `weight` of itself and the rest of `other`.
void mix_rows(const Array& from, Array& to, int64_t i, int64_t other,
              double weight) {
  const auto row = static_cast<size_t>(from.size() / from.shape()[0]);
  const float* a = from.span<float>().data() + static_cast<size_t>(i) * row;
  const float* b = from.span<float>().data() + static_cast<size_t>(other) * row;
  float* out = to.mutable_span<float>().data() + static_cast<size_t>(i) * row;
  const auto w = static_cast<float>(weight);
  for (size_t k = 0; k < row; ++k) out[k] = w * a[k] + (1 - w) * b[k];
}

}  // namespace

MixUp::MixUp(const MixUpOptions& options) : options_(options) {
  require_positive("MixUp", "alpha", options.alpha);
}

std::pair<Array, Array> MixUp::operator()(const Array& images,
                                          const Array& labels) const {
  const detail::Pixels in = check_batch("MixUp", images, labels);
  StatelessNumbers numbers(detail::fresh_seed());
  const std::vector<int64_t> others = permutation(numbers, in.count);
  const Array from = cast<float>(images), named = cast<float>(labels);
  Array mixed = Array::uninitialized(from.spec());
  Array mixed_labels = Array::uninitialized(named.spec());
  for (int64_t i = 0; i < in.count; ++i) {
    const double weight = beta(numbers, options_.alpha);
    const int64_t other = others[static_cast<size_t>(i)];
    mix_rows(from, mixed, i, other, weight);
    mix_rows(named, mixed_labels, i, other, weight);
  }
  if (is_integer(images.dtype())) {
    for (float& x : mixed.mutable_span<float>()) x = std::nearbyint(x);
  }
  return {cast(mixed, images.dtype()), cast(mixed_labels, labels.dtype())};
}

CutMix::CutMix(const CutMixOptions& options) : options_(options) {
  require_positive("CutMix", "factor", options.factor);
}

std::pair<Array, Array> CutMix::operator()(const Array& images,
                                           const Array& labels) const {
  const detail::Pixels in = check_batch("CutMix", images, labels);
  StatelessNumbers numbers(detail::fresh_seed());
  const std::vector<int64_t> others = permutation(numbers, in.count);
  const Array named = cast<float>(labels);
  Array mixed_labels = Array::uninitialized(named.spec());
  Array mixed = Array::from_bytes(images.spec(),
                                  std::span(images.data(), images.nbytes()));
  std::byte* out = mixed.mutable_data();
  for (int64_t i = 0; i < in.count; ++i, out += in.image_bytes()) {
    const double side = std::sqrt(1 - beta(numbers, options_.factor));
    const auto part = [&](int64_t size) {
      const int64_t centre = numbers.integer(0, size);
      const auto half =
          static_cast<int64_t>(side * static_cast<double>(size) / 2);
      return std::pair(std::max<int64_t>(centre - half, 0),
                       std::min(centre + half, size));
    };
    const auto [top, bottom] = part(in.height);
    const auto [left, right] = part(in.width);
    const int64_t other = others[static_cast<size_t>(i)];
    const std::byte* from =
        images.data() + static_cast<size_t>(other) * in.image_bytes();
    for (int64_t y = top; y < bottom; ++y) {
      const size_t place = static_cast<size_t>(y) * in.row_bytes() +
                           static_cast<size_t>(left) * in.pixel_bytes;
      std::copy_n(from + place,
                  static_cast<size_t>(right - left) * in.pixel_bytes,
                  out + place);
    }
    const auto cut = static_cast<double>((bottom - top) * (right - left));
    mix_rows(named, mixed_labels, i, other,
             1 - cut / static_cast<double>(in.height * in.width));
  }
  return {mixed, cast(mixed_labels, labels.dtype())};
}

}  // namespace systolic::image
