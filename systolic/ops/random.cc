#include "systolic/ops/random.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "systolic/base/philox.h"
#include "systolic/base/seed.h"
#include "systolic/graph/aggregate.h"
#include "systolic/graph/context.h"
#include "systolic/graph/op.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/collective.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/stateless.h"

namespace systolic {

using namespace internal::graph;
namespace stablehlo = internal::stablehlo;

namespace {

// Words that one counter value gives.
constexpr int64_t kLanes = 4;

int64_t blocks_for(int64_t elements) {
  return (elements + kLanes - 1) / kLanes;
}

struct BitsOptions {
  Shape shape;
  bool batch_rows = false;
  DType dtype = DType::float32;
  template <class V>
  void visit(V&& v) const {
    v("shape", shape);
    v("batch_rows", batch_rows);
    v("dtype", dtype);
  }
  // Rows that are keyed one by one, and the elements of each.
  int64_t rows() const { return batch_rows ? shape[0] : 1; }
  int64_t row_elements() const {
    return rows() == 0 ? 0 : shape.elements() / rows();
  }
  int64_t row_blocks() const { return blocks_for(row_elements()); }
};

// `count` words of bits. XLA:CPU takes 110 ms to compile what its generator
// becomes, so our kernel does it where there is one.
stablehlo::Value write_words(Lower& l, const stablehlo::Value& state,
                             int64_t count) {
  constexpr char kKernel[] = "systolic_random_bits";
  const TensorSpec spec{DType::uint32, {count}};
  if (!l.has_kernel(kKernel) || count == 0) return l.e.random_bits(state, spec);
  return l.e.custom_call(
      kKernel, std::span(&state, 1), std::span(&spec, 1),
      "replicas = " + std::to_string(l.placement.num_replicas()) + " : i64")[0];
}

// uint32 bits of the op's shape. With batch_rows this replica's counters
// begin where the rows of the replicas before it end.
stablehlo::Value write_bits(Lower& l, const BitsOptions& o) {
  stablehlo::Value state = l[0];
  const int64_t rows = o.rows(), blocks = o.row_blocks();
  if (o.batch_rows && l.placement.num_replicas() > 1) {
    const TensorSpec scalar{DType::uint64, Shape::scalar()};
    const auto id = l.e.convert(l.e.replica_id(), DType::uint64);
    const auto offset =
        l.e.binary("multiply", id, l.e.splat_integer(scalar, rows * blocks));
    const auto key_and_counter = l.e.iota(state.spec, 0);  // 0, 1
    state = l.e.binary(
        "add", state,
        l.e.binary("multiply", key_and_counter,
                   l.e.broadcast_in_dim(offset, state.spec.shape, {})));
  }
  const auto bits = write_words(l, state, rows * blocks * kLanes);
  const auto table = l.e.reshape(bits, {rows, blocks * kLanes});
  const int64_t starts[] = {0, 0}, steps[] = {1, 1};
  const int64_t limits[] = {rows, o.row_elements()};
  return l.e.reshape(l.e.slice(table, starts, limits, steps), o.shape);
}

constexpr Op<BitsOptions> kRandomBits{
    .name = "random_bits",
    .infer =
        [](Infer&, const BitsOptions& o) {
          return Specs(TensorSpec{DType::uint32, o.shape});
        },
    .lower = [](Lower& l,
                const BitsOptions& o) { return Values{write_bits(l, o)}; },
    .vjp = not_differentiable("its result is integers"),
    .residuals = {0, 0}};

// Bits of a uniform number: as many as the dtype holds exactly, so that none
// is rounded up to 1.
int unit_bits(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 32;
    case DType::float32:
      return 24;
    case DType::float16:
      return 11;
    case DType::bfloat16:
      return 8;
    default:
      return 3;
  }
}

// Uniform in [0, 1): the upper bits, as a fraction.
constexpr Op<BitsOptions> kRandomUniform{
    .name = "random_uniform",
    .infer =
        [](Infer&, const BitsOptions& o) {
          return Specs(TensorSpec{o.dtype, o.shape});
        },
    .lower =
        [](Lower& l, const BitsOptions& o) {
          const int count = unit_bits(o.dtype);
          auto bits = write_bits(l, o);
          if (count < 32) {
            bits = l.e.binary("shift_right_logical", bits,
                              l.e.splat_integer(bits.spec, 32 - count));
          }
          const auto real = l.e.convert(bits, o.dtype);
          return Values{l.e.binary(
              "multiply", real, l.e.splat(real.spec, std::ldexp(1.0, -count)))};
        },
    .vjp = not_differentiable("its input is a random state"),
    .residuals = {0, 0}};

// The state after so many counter values, which are an input: a scalar that
// changes from draw to draw compiles nothing.
constexpr Op<> kAdvance{
    .name = "advance_seed",
    .infer = [](Infer& in, const NoOptions&) { return Specs(in[0]); },
    .lower =
        [](Lower& l, const NoOptions&) {
          const auto key_and_counter = l.e.iota(l[0].spec, 0);
          const auto blocks = l.e.broadcast_in_dim(l[1], l[0].spec.shape, {});
          return Values{l.e.binary(
              "add", l[0], l.e.binary("multiply", key_and_counter, blocks))};
        },
    .vjp = not_differentiable("its result is integers"),
    .residuals = {0, 0}};

constexpr const OpDef* kCatalog[] = {&kDefinition<kRandomBits>,
                                     &kDefinition<kRandomUniform>,
                                     &kDefinition<kAdvance>};

Array state_array(uint64_t key) {
  return Array::from(std::vector<uint64_t>{key, 0});
}

// A function that is recorded once still draws new numbers at each call: its
// unseeded ones go on from a state that it keeps. Null outside of functions.
Variable* function_state() {
  const Context* step = enclosing_step();
  if (step == nullptr || step->function_state == nullptr) return nullptr;
  std::vector<Variable>& kept = *step->function_state;
  if (kept.empty()) {
    const uint64_t key = internal::draw_seed();
    kept.emplace_back([key] { return constant(state_array(key)); },
                      VariableOptions{.trainable = false, .name = "seed"});
  }
  return &kept.front();
}

// The state after `blocks` counter values more. What is pending is advanced in
// one step from where it started: else the hundredth of a hundred draws in one
// program would be made of a hundred sums, which XLA writes for each draw anew.
Tensor advanced(const Tensor& state, int64_t blocks) {
  Ref from = state.ref();
  const Node& node = *from.node;
  if (node.op == &kDefinition<kAdvance> && node.is_pending(0) &&
      node.recorder == &Recorder::current() && !context().in_step &&
      node.inputs[1].node->kind == NodeKind::literal) {
    blocks += static_cast<int64_t>(node.inputs[1].node->literal_bits);
    from = node.inputs[0];
  }
  const Ref count{make_literal(DType::uint64, blocks), 0};
  return record<kAdvance>({from, count}, NoOptions{},
                          SourceLocation::current());
}

Tensor draw_from(Variable& state, const BitsOptions& o) {
  const Tensor now = state.value();
  const int64_t replicas = o.batch_rows ? num_replicas_in_sync() : 1;
  const int64_t blocks = o.rows() * o.row_blocks() * replicas;
  const ReplicasAgree agree;
  state.assign(advanced(now, blocks));
  return now;
}

// The state to draw from now; a generator moves on by what all replicas use.
Tensor draw(const random::Seed& seed, const BitsOptions& o) {
  if (!seed.generator()) {
    if (!seed.fixed()) {
      if (Variable* own = function_state()) return draw_from(*own, o);
    }
    const uint64_t key = seed.fixed() ? static_cast<uint64_t>(*seed.fixed())
                                      : internal::draw_seed();
    return constant(state_array(key));
  }
  Variable state = seed.generator()->state();
  return draw_from(state, o);
}

void check_shape(const Shape& shape) {
  if (shape.is_known()) return;
  internal::Message("random")
      .expected("a shape of known sizes")
      .got(shape)
      .hint("Shape::scalar() is the shape of a single number")
      .raise<ShapeError>();
}

void check_floating(DType dtype) {
  if (is_floating(dtype)) return;
  internal::Message("random")
      .expected("a floating-point dtype")
      .got(dtype)
      .raise<TypeError>();
}

void check_stddev(const char* who, double mean, double stddev) {
  if (std::isfinite(mean) && stddev >= 0 && std::isfinite(stddev)) return;
  internal::Message(who)
      .expected("a finite mean, and a stddev of at least 0")
      .got("mean ", mean, " and stddev ", stddev)
      .raise<ValueError>();
}

Tensor unit_uniform(const Shape& shape, const random::RandomOptions& options) {
  check_floating(options.dtype);
  check_shape(shape);
  const BitsOptions o{shape, options.batch_rows, options.dtype};
  return record<kRandomUniform>({draw(options.seed, o).ref()}, o,
                                SourceLocation::current());
}

// As float32 at least, where the inverse distribution function is computed.
random::RandomOptions in_float32(random::RandomOptions options) {
  options.dtype = DType::float32;
  return options;
}

void check_probability(double p, std::string_view who, std::string_view what,
                       bool one_allowed) {
  if (p >= 0 && (one_allowed ? p <= 1 : p < 1)) return;
  internal::Message(std::string(who))
      .expected(what, one_allowed ? " in [0, 1]" : " in [0, 1)")
      .got(p)
      .raise<ValueError>();
}

}  // namespace

std::span<const OpDef* const> internal::ops::random_catalog() {
  return kCatalog;
}

Tensor internal::ops::philox_bits(const Tensor& state, const Shape& shape) {
  return record<kRandomBits>({state.ref()}, BitsOptions{.shape = shape},
                             SourceLocation::current());
}

namespace random {

SeedGenerator::SeedGenerator(std::optional<int64_t> seed) {
  const uint64_t key =
      seed ? static_cast<uint64_t>(*seed) : internal::draw_seed();
  state_ = Variable([key] { return constant(state_array(key)); },
                    {.trainable = false, .name = "seed_generator_state"});
}

Tensor uniform(const Shape& shape, double minval, double maxval,
               const RandomOptions& options) {
  if (!(minval <= maxval) || !std::isfinite(maxval - minval)) {
    internal::Message("random.uniform")
        .expected("finite limits, minval <= maxval")
        .got(minval, " and ", maxval)
        .raise<ValueError>();
  }
  const Tensor unit = unit_uniform(shape, options);
  return unit * (maxval - minval) + minval;
}

Tensor normal(const Shape& shape, double mean, double stddev,
              const RandomOptions& options) {
  check_stddev("random.normal", mean, stddev);
  check_floating(options.dtype);
  // Half a step from both ends, so that the inverse is finite.
  const Tensor unit = unit_uniform(shape, in_float32(options));
  const Tensor centred = unit * 2 + (0x1p-24 - 1);
  const Tensor standard = erfinv(centred) * std::sqrt(2.0);
  return cast(standard * stddev + mean, options.dtype);
}

Tensor truncated_normal(const Shape& shape, double mean, double stddev,
                        const RandomOptions& options) {
  check_stddev("random.truncated_normal", mean, stddev);
  check_floating(options.dtype);
  // erf of two standard deviations: the part of (-1, 1) that is kept.
  const double kept = std::erf(std::sqrt(2.0));
  const Tensor unit = unit_uniform(shape, in_float32(options));
  const Tensor centred = unit * (2 * kept) - kept;
  const Tensor standard = clip(erfinv(centred) * std::sqrt(2.0), -2, 2);
  return cast(standard * stddev + mean, options.dtype);
}

Tensor bernoulli(const Shape& shape, double p, const RandomOptions& options) {
  check_probability(p, "random.bernoulli", "a probability", true);
  return unit_uniform(shape, in_float32(options)) < p;
}

Tensor dropout(const Arg& x, double rate, const RandomOptions& options) {
  check_probability(rate, "random.dropout", "a rate", false);
  const Tensor in = x.tensor();
  if (rate == 0) return in;
  RandomOptions keyed = options;
  keyed.batch_rows = in.rank() > 0;
  const Tensor keep = bernoulli(in.shape(), 1 - rate, keyed);
  return where(keep, in / (1 - rate), 0);
}

Array host_bits(uint64_t key, uint64_t counter, const Shape& shape) {
  Array bits = Array::uninitialized({DType::uint32, shape});
  const auto words = bits.mutable_span<uint32_t>();
  for (size_t i = 0; i < words.size(); i += kLanes) {
    // The key is the counter's upper half too.
    const uint64_t lower = counter + i / kLanes;
    const uint64_t upper = key + (lower < counter ? 1 : 0);
    const auto block = internal::philox(
        {static_cast<uint32_t>(lower), static_cast<uint32_t>(lower >> 32),
         static_cast<uint32_t>(upper), static_cast<uint32_t>(upper >> 32)},
        key);
    std::copy_n(block.begin(), std::min<size_t>(kLanes, words.size() - i),
                words.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return bits;
}

Tensor bits(const Shape& shape, const RandomOptions& options) {
  check_shape(shape);
  const BitsOptions o{shape, options.batch_rows, DType::uint32};
  return record<kRandomBits>({draw(options.seed, o).ref()}, o,
                             SourceLocation::current());
}

}  // namespace random

}  // namespace systolic
