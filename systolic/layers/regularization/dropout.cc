#include "systolic/layers/regularization/dropout.h"

#include <algorithm>

#include "systolic/layers/options.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/random.h"

namespace systolic::layers {

namespace {

class DropoutBase final : public LayerBase {
 public:
  DropoutBase(double rate, DropoutOptions options, const SourceLocation& where)
      : LayerBase(layer_options(options)),
        rate_(rate),
        options_(std::move(options)) {
    if (!(rate >= 0 && rate <= 1)) {
      error()
          .expected("0 <= rate <= 1")
          .got(rate)
          .hint("the rate is a fraction: 0.5 drops every other element")
          .at(where)
          .raise<ValueError>();
    }
    const Shape& noise = options_.noise_shape;
    if (std::ranges::any_of(noise, [](int64_t n) { return n == 0; })) {
      error()
          .expected("sizes of noise_shape above 0, or -1 (as the input)")
          .got(noise)
          .at(where)
          .raise<ValueError>();
    }
  }

  std::string_view class_name() const override { return "Dropout"; }
  bool supports_masking() const override { return true; }

  void build(const Shape&) override {
    if (rate_ > 0) generator_ = add_seed_generator(options_.seed);
  }

  Tensor call(Tensor x, CallContext context) override {
    if (!context.training || rate_ == 0) return x;
    if (rate_ == 1) return zeros_like(x);
    if (!options_.noise_shape.is_set()) {
      return random::dropout(x, rate_, {.seed = *generator_});
    }
    const Shape noise = noise_shape(x.shape());
    const bool per_row = noise[0] == x.shape()[0];
    const Tensor kept = random::bernoulli(
        noise, 1 - rate_, {.seed = *generator_, .batch_rows = per_row});
    return where(broadcast_to(kept, x.shape()), x * (1 / (1 - rate_)), 0);
  }

  Shape compute_output_shape(const Shape& input_shape) const override {
    return input_shape;
  }

 private:
  // The mask's shape for an input.
  Shape noise_shape(const Shape& input) const {
    Shape noise = options_.noise_shape;
    bool fits = noise.rank() == input.rank();
    for (int i = 0; fits && i < noise.rank(); ++i) {
      if (noise[i] < 0) noise.set(i, input[i]);
      fits = noise[i] == 1 || noise[i] == input[i];
    }
    if (!fits) {
      error()
          .expected("a noise_shape that broadcasts to the input")
          .got(options_.noise_shape)
          .detail("input", input)
          .at(call_site())
          .raise<ShapeError>();
    }
    return noise;
  }

  double rate_;
  DropoutOptions options_;
  std::optional<random::SeedGenerator> generator_;
};

}  // namespace

Dropout::Dropout(double rate, DropoutOptions options, SourceLocation where)
    : Layer(std::make_shared<DropoutBase>(rate, std::move(options), where)) {}

}  // namespace systolic::layers
