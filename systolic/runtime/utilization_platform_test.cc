#include <atomic>
#include <chrono>
#include <thread>

#include "systolic/runtime/usage.h"
#include "systolic/runtime/utilization.h"
#include "systolic/stablehlo/emitter.h"
#include "systolic/testing/runtime_fixture.h"

namespace systolic::internal::runtime {
namespace {

using stablehlo::Value;
using systolic::runtime::Bottleneck;
using systolic::runtime::InputWait;
using systolic::runtime::Utilization;
using systolic::runtime::UtilizationWindow;
using Milliseconds = std::chrono::milliseconds;

constexpr int64_t kSize = 64;
constexpr double kFlops = 2.0 * kSize * kSize * kSize;
const TensorSpec kMatrix{DType::float32, Shape{kSize, kSize}};
const TensorSpec kIndex{DType::int32, Shape::scalar()};

// x, multiplied with itself as often as the second argument says.
std::string powers(int replicas = 1) {
  stablehlo::Emitter e("main", replicas);
  const Value x = e.argument(kMatrix), turns = e.argument(kIndex);
  const std::vector<Value> initial{e.splat_integer(kIndex, 0), x};
  const int64_t one[] = {1}, zero[] = {0};
  const Value y = e.while_loop(
      initial,
      [&](auto now) {
        return std::vector<Value>{e.compare("LT", now[0], turns)};
      },
      [&](auto now) {
        const Value next = e.binary("add", now[0], e.splat_integer(kIndex, 1));
        return std::vector<Value>{
            next, e.dot_general(now[1], x, {}, {}, one, zero, DType::float32)};
      })[1];
  e.finish({&y, 1});
  return e.module();
}

class UtilizationPlatformTest : public RuntimeTest {
 protected:
  static BufferPtr start(const ExecutablePtr& program, int turns) {
    return run(program,
               {to_device(Array::zeros(kMatrix.shape), device(0)),
                to_device(Array::scalar(turns), device(0))},
               {}, kMatrix);
  }
  static void finish(const ExecutablePtr& program, int turns) {
    const BufferPtr y = start(program, turns);
    wait({&y, 1});
  }
};

TEST_F(UtilizationPlatformTest, CountsLaunchesAndTheFlopsOfTheirLoops) {
  const ExecutablePtr program = compile(client(), powers(), {.portable = true});
  const UtilizationWindow window;
  finish(program, 3);
  finish(program, 0);
  finish(program, 40);
  const Utilization u = window.read();
  EXPECT_EQ(u.launches, 3);
  EXPECT_EQ(u.devices, 1);
  EXPECT_EQ(u.flops, 43 * kFlops);
  EXPECT_GT(u.busy_fraction, 0);
  EXPECT_GT(u.launch_seconds, 0);
  EXPECT_FALSE(u.matrix_unit_fraction);  // nobody publishes a CPU's
}

TEST_F(UtilizationPlatformTest, CountsEachReplica) {
  const ExecutablePtr program =
      compile(client(), powers(8), {.num_replicas = 8});
  std::vector<std::vector<BufferPtr>> lists;
  for (int i = 0; i < 8; ++i) {
    lists.push_back({to_device(Array::zeros(kMatrix.shape), device(i)),
                     to_device(Array::scalar(5), device(i))});
  }
  const UtilizationWindow window;
  const auto outputs = launch(*program, lists, {&kMatrix, 1});
  for (const auto& list : outputs) wait(list);
  const Utilization u = window.read();
  EXPECT_EQ(u.launches, 1);
  EXPECT_EQ(u.devices, 8);
  EXPECT_EQ(u.flops, 8 * 5 * kFlops);
}

TEST_F(UtilizationPlatformTest, KnowsTheMemoryOfThePrograms) {
  const ExecutablePtr program = compile(client(), powers(), {.portable = true});
  const UtilizationWindow window;
  EXPECT_FALSE(window.read().program_bytes);
  finish(program, 1);
  const Utilization u = window.read();
  EXPECT_GT(u.bytes_in_use, 0);
  EXPECT_GE(u.program_bytes, 2 * 4 * kSize * kSize);
}

TEST_F(UtilizationPlatformTest, TellsCompilingFromOtherIdleTime) {
  const UtilizationWindow window;
  finish(compile(client(), powers(), {.portable = true}), 1);
  const Utilization u = window.read();
  EXPECT_GT(u.compile_seconds, 0);
  EXPECT_GT(u.compile_idle_fraction, 0);
  EXPECT_LE(u.compile_idle_fraction, u.idle_fraction);
}

TEST_F(UtilizationPlatformTest, StartsAgainWhereItIsReset) {
  const ExecutablePtr program = compile(client(), powers(), {.portable = true});
  finish(program, 1);
  EXPECT_GT(systolic::runtime::utilization().launches, 0);
  const UtilizationWindow window;
  systolic::runtime::reset_utilization();
  EXPECT_EQ(systolic::runtime::utilization().launches, 0);
  EXPECT_EQ(systolic::runtime::utilization().bottleneck, Bottleneck::none);
  finish(program, 1);
  EXPECT_EQ(systolic::runtime::utilization().launches, 1);
  EXPECT_EQ(window.read().launches, 1);
}

// A slow input and a program in turn, timed here as well: when each launch was
// asked for and when its value was there.
TEST_F(UtilizationPlatformTest, IdleTimeIsThatOfAWallClock) {
  using Clock = std::chrono::steady_clock;
  const ExecutablePtr program = compile(client(), powers(), {.portable = true});
  finish(program, 1);
  constexpr int kSteps = 10;
  constexpr int kTurns = 200;
  std::atomic<int64_t> busy{0};
  std::atomic<int> ended{0};
  const UtilizationWindow window;
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < kSteps; ++i) {
    {
      const InputWait waiting;
      std::this_thread::sleep_for(Milliseconds(20));
    }
    const Clock::time_point given = Clock::now();
    const BufferPtr y = start(program, kTurns);
    y->pjrt().ready().on_ready([&, given](const std::exception_ptr&) {
      busy += (Clock::now() - given).count();
      ++ended;
    });
    wait({&y, 1});
  }
  while (ended < kSteps) std::this_thread::sleep_for(Milliseconds(1));
  const Utilization u = window.read();
  const auto wall = static_cast<double>((Clock::now() - begin).count());
  EXPECT_NEAR(u.idle_fraction, 1 - static_cast<double>(busy) / wall, 0.02);
  EXPECT_EQ(u.bottleneck, Bottleneck::input) << u;
  EXPECT_GE(u.input_wait_seconds, kSteps * 0.02);
}

}  // namespace
}  // namespace systolic::internal::runtime
