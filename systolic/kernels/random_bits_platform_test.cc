#include <gtest/gtest.h>

#include <algorithm>

#include "systolic/kernels/test_runner.h"
#include "systolic/stablehlo/emitter.h"

namespace systolic::internal::kernels {
namespace {

using stablehlo::Emitter;
using stablehlo::Value;

// The handler's bits and StableHLO's own, of one state.
TEST(RandomBitsPlatformTest, AgreeWithStableHlo) {
  const TensorSpec state_spec{DType::uint64, {2}}, bits{DType::uint32, {4099}};
  Emitter e("main");
  const Value state = e.argument(state_spec);
  const Value results[] = {
      e.custom_call("systolic_random_bits", std::span(&state, 1),
                    std::span(&bits, 1), "replicas = 1 : i64")[0],
      e.random_bits(state, bits)};
  e.finish(results);
  runtime::Client& client = Runner::client();
  const auto program = runtime::compile(client, e.module(), {});
  const Array value =
      Array::from(std::vector<uint64_t>{~uint64_t{41}, 0xFFFFFFF0});
  const std::vector<std::vector<runtime::BufferPtr>> arguments{
      {runtime::to_device(value, client.device(0))}};
  const TensorSpec specs[] = {bits, bits};
  const auto outputs = runtime::launch(*program, arguments, specs);
  const Array ours = runtime::to_host(*outputs[0][0]);
  const Array theirs = runtime::to_host(*outputs[0][1]);
  EXPECT_TRUE(
      std::ranges::equal(ours.span<uint32_t>(), theirs.span<uint32_t>()));
}

}  // namespace
}  // namespace systolic::internal::kernels
