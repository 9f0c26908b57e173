#include <gtest/gtest.h>

#include <algorithm>

#include "systolic/kernels/test_runner.h"
#include "systolic/stablehlo/emitter.h"

namespace systolic::internal::kernels {
namespace {

using stablehlo::Emitter;
using stablehlo::Value;

// The handler's bits and StableHLO's own, of one state.
void check(const std::vector<uint64_t>& numbers) {
  const TensorSpec state_spec{DType::uint64, {std::ssize(numbers)}};
  const TensorSpec bits{DType::uint32, {4099}};
  Emitter e("main");
  const Value state = e.argument(state_spec);
  const Value results[] = {
      e.custom_call("systolic_random_bits", std::span(&state, 1),
                    std::span(&bits, 1), "replicas = 1 : i64")[0],
      e.random_bits(state, bits)};
  e.finish(results);
  runtime::Client& client = Runner::client();
  const auto program = runtime::compile(client, e.module(), {});
  const Array value = Array::from(numbers);
  const std::vector<std::vector<runtime::BufferPtr>> arguments{
      {runtime::to_device(value, client.device(0))}};
  const TensorSpec specs[] = {bits, bits};
  const auto outputs = runtime::launch(*program, arguments, specs);
  const Array ours = runtime::to_host(*outputs[0][0]);
  const Array theirs = runtime::to_host(*outputs[0][1]);
  EXPECT_TRUE(
      std::ranges::equal(ours.span<uint32_t>(), theirs.span<uint32_t>()))
      << numbers.size() << " numbers, counter " << numbers[1];
}

TEST(RandomBitsPlatformTest, AgreeWithStableHlo) {
  check({~uint64_t{41}, 0xFFFFFFF0});
  check({41, ~uint64_t{500}, 0x85a308d3'243f6a88u});
  // Where the counter's lower half begins anew.
  check({41, ~uint64_t{500}});
  check({41, ~uint64_t{500}, ~uint64_t{0}});
}

}  // namespace
}  // namespace systolic::internal::kernels
