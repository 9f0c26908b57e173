#include "systolic/ops/bitwise.h"

#include "systolic/ops/catalog.h"
#include "systolic/ops/math.h"
#include "systolic/ops/unary.h"

namespace systolic {

using namespace internal::graph;
using namespace internal::ops;

namespace {

void require_bits(Infer& in, bool allow_bool) {
  const DType dtype = in.dtype(0);
  if (is_integer(dtype) || (allow_bool && dtype == DType::boolean)) return;
  in.error()
      .expected(allow_bool ? "integers or bool" : "integers")
      .got(dtype)
      .hint("cast it to an integer first")
      .raise<TypeError>();
}

template <bool allow_bool>
Specs infer_bits(Infer& in, const NoOptions&) {
  require_bits(in, allow_bool);
  return infer_elementwise(in);
}

template <const char* op>
Values lower_as(Lower& l, const NoOptions&) {
  return lower_elementwise(l, op);
}

constexpr NotDifferentiable kIntegers =
    not_differentiable("its inputs are integers");

constexpr char kAndName[] = "and";
constexpr char kOrName[] = "or";
constexpr char kXorName[] = "xor";
constexpr char kNotName[] = "not";
constexpr char kLeftName[] = "shift_left";
constexpr char kRightName[] = "shift_right_arithmetic";
constexpr char kLogicalRightName[] = "shift_right_logical";
constexpr char kLeadingName[] = "count_leading_zeros";

constexpr Op<> kBitwiseAnd{.name = "bitwise_and",
                           .infer = infer_bits<true>,
                           .lower = lower_as<kAndName>,
                           .vjp = kIntegers,
                           .residuals = {0, 0}};
constexpr Op<> kBitwiseOr{.name = "bitwise_or",
                          .infer = infer_bits<true>,
                          .lower = lower_as<kOrName>,
                          .vjp = kIntegers,
                          .residuals = {0, 0}};
constexpr Op<> kBitwiseXor{.name = "bitwise_xor",
                           .infer = infer_bits<true>,
                           .lower = lower_as<kXorName>,
                           .vjp = kIntegers,
                           .residuals = {0, 0}};
constexpr Op<> kBitwiseNot{.name = "bitwise_not",
                           .infer = infer_bits<true>,
                           .lower = lower_as<kNotName>,
                           .vjp = kIntegers,
                           .residuals = {0, 0}};
constexpr Op<> kLeftShift{.name = "bitwise_left_shift",
                          .infer = infer_bits<false>,
                          .lower = lower_as<kLeftName>,
                          .vjp = kIntegers,
                          .residuals = {0, 0}};
constexpr Op<> kRightShift{.name = "bitwise_right_shift",
                           .infer = infer_bits<false>,
                           .lower =
                               [](Lower& l, const NoOptions& o) {
                                 return is_signed(l.result().dtype)
                                            ? lower_as<kRightName>(l, o)
                                            : lower_as<kLogicalRightName>(l, o);
                               },
                           .vjp = kIntegers,
                           .residuals = {0, 0}};

constexpr Op<> kPopulationCount{
    .name = "population_count",
    .infer =
        [](Infer& in, const NoOptions&) {
          require_bits(in, false);
          return Specs(TensorSpec{DType::uint8, in.shape(0)});
        },
    .lower =
        [](Lower& l, const NoOptions&) {
          return Values{l.e.convert(l.e.unary("popcnt", l[0]), DType::uint8)};
        },
    .vjp = kIntegers,
    .residuals = {0, 0}};

constexpr Op<> kCountLeadingZeros{.name = "count_leading_zeros",
                                  .infer = infer_bits<false>,
                                  .lower = lower_as<kLeadingName>,
                                  .vjp = kIntegers,
                                  .residuals = {0, 0}};

constexpr const OpDef* kCatalog[] = {
    &kDefinition<kBitwiseAnd>,      &kDefinition<kBitwiseOr>,
    &kDefinition<kBitwiseXor>,      &kDefinition<kBitwiseNot>,
    &kDefinition<kLeftShift>,       &kDefinition<kRightShift>,
    &kDefinition<kPopulationCount>, &kDefinition<kCountLeadingZeros>};

}  // namespace

std::span<const OpDef* const> internal::ops::bitwise_catalog() {
  return kCatalog;
}

Tensor bitwise_and(const Arg& x, const Arg& y) {
  return record_binary<kBitwiseAnd>(x, y);
}
Tensor bitwise_or(const Arg& x, const Arg& y) {
  return record_binary<kBitwiseOr>(x, y);
}
Tensor bitwise_xor(const Arg& x, const Arg& y) {
  return record_binary<kBitwiseXor>(x, y);
}
Tensor bitwise_not(const Arg& x) { return record_unary<kBitwiseNot>(x); }
Tensor bitwise_invert(const Arg& x) { return bitwise_not(x); }
Tensor bitwise_left_shift(const Arg& x, const Arg& y) {
  return record_binary<kLeftShift>(x, y);
}
Tensor left_shift(const Arg& x, const Arg& y) {
  return bitwise_left_shift(x, y);
}
Tensor bitwise_right_shift(const Arg& x, const Arg& y) {
  return record_binary<kRightShift>(x, y);
}
Tensor right_shift(const Arg& x, const Arg& y) {
  return bitwise_right_shift(x, y);
}
Tensor population_count(const Arg& x) {
  return record_unary<kPopulationCount>(x);
}
Tensor count_leading_zeros(const Arg& x) {
  return record_unary<kCountLeadingZeros>(x);
}

}  // namespace systolic
