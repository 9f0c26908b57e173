// Tested by: systolic/ops/image_random_platform_test.cc
#include "systolic/ops/stateless.h"

#include "systolic/array/arrays.h"
#include "systolic/base/message.h"
#include "systolic/base/philox.h"
#include "systolic/ops/bitwise.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic::internal::ops {

Tensor stateless_state(const std::array<int64_t, 2>& seed) {
  const PhiloxState state = internal::stateless_state(seed);
  return constant(
      Array::from(std::vector<uint64_t>{state.key, 0, state.upper}));
}

Tensor stateless_state(std::string_view who, const Tensor& seed,
                       const SourceLocation& where) {
  constexpr const char* kExpected = "a seed of two whole numbers";
  if (!is_integer(seed.dtype())) {
    Message(std::string(who))
        .expected(kExpected)
        .got(seed.spec())
        .at(where)
        .raise<TypeError>();
  }
  if (seed.shape() != Shape{2}) {
    Message(std::string(who))
        .expected(kExpected)
        .got(seed.spec())
        .at(where)
        .raise<ShapeError>();
  }
  // Negative numbers get the sign's bits in front, as in int64.
  const Tensor wide = cast(cast(seed, DType::int64), DType::uint64);
  const Tensor mixer = constant(Array::from(std::vector<uint64_t>{kSeedMixer}));
  const Tensor words =
      cast(philox_bits(concatenate({mixer, wide}, 0), {4}), DType::uint64);
  const auto pair = [&](int64_t i) {
    return bitwise_or(words[i], bitwise_left_shift(words[i + 1], 32));
  };
  return stack({pair(0), zeros(Shape::scalar(), DType::uint64), pair(2)});
}

}  // namespace systolic::internal::ops
