#include <atomic>
#include <cmath>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/runtime/counters.h"
#include "systolic/runtime/executable.h"
#include "systolic/testing/runtime_fixture.h"

namespace systolic::internal::runtime {
namespace {

using ExecutablePlatformTest = RuntimeTest;
using Lists = std::vector<std::vector<BufferPtr>>;

TEST_F(ExecutablePlatformTest, RunsOnOneDevice) {
  const ExecutablePtr program = compile(client(), doubling());
  const uint64_t before = counters().launches;
  const BufferPtr y = run(program, {to_device(four(), device(0))});
  EXPECT_EQ(values(y), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_EQ(y->spec(), (TensorSpec{DType::float32, Shape{4}}));
  EXPECT_EQ(y->device(), device(0));
  EXPECT_EQ(counters().launches, before + 1);
}

TEST_F(ExecutablePlatformTest, OutputsFeedTheNextLaunch) {
  const ExecutablePtr program = compile(client(), doubling());
  BufferPtr x = to_device(four(), device(0));
  for (int i = 0; i < 100; ++i) x = run(program, {x});
  EXPECT_EQ(values(x)[0], std::ldexp(1.f, 100));
}

TEST_F(ExecutablePlatformTest, RunsOnEightDevices) {
  const ExecutablePtr program =
      compile(client(), doubling(), {.num_replicas = 8});
  Lists arguments;
  for (int i = 0; i < 8; ++i) {
    arguments.push_back({to_device(four(static_cast<float>(i)), device(i))});
  }
  const TensorSpec spec{DType::float32, Shape{4}};
  const Lists outputs = launch(*program, arguments, {&spec, 1});
  ASSERT_EQ(outputs.size(), 8u);
  for (int i = 0; i < 8; ++i) {
    const BufferPtr& y = outputs[static_cast<size_t>(i)][0];
    EXPECT_EQ(y->device(), device(i));
    EXPECT_EQ(values(y)[0], 2.f * static_cast<float>(i));
  }
}

TEST_F(ExecutablePlatformTest, ReplicasGoToTheDevicesNamed) {
  const ExecutablePtr program =
      compile(client(), doubling(), {.num_replicas = 2, .device_ids = {6, 3}});
  const Lists arguments{{to_device(four(0), device(6))},
                        {to_device(four(10), device(3))}};
  const TensorSpec spec{DType::float32, Shape{4}};
  const Lists outputs = launch(*program, arguments, {&spec, 1});
  EXPECT_EQ(outputs[0][0]->device(), device(6));
  EXPECT_EQ(values(outputs[1][0])[0], 20);
}

// One all_reduce over two values of different shapes and eight replicas.
std::string variadic_all_reduce() {
  return R"(module @m attributes {mhlo.num_replicas = 8 : i32} {
    func.func public @main(%a: tensor<3xf32>, %b: tensor<2x2xf32>)
        -> (tensor<3xf32>, tensor<2x2xf32>) {
      %0:2 = "stablehlo.all_reduce"(%a, %b) ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %s = stablehlo.add %x, %y : tensor<f32>
          stablehlo.return %s : tensor<f32>
      }) {replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]>
              : tensor<1x8xi64>}
          : (tensor<3xf32>, tensor<2x2xf32>)
          -> (tensor<3xf32>, tensor<2x2xf32>)
      return %0#0, %0#1 : tensor<3xf32>, tensor<2x2xf32>
    }
  })";
}

TEST_F(ExecutablePlatformTest, VariadicAllReduceOverEightReplicas) {
  const ExecutablePtr program =
      compile(client(), variadic_all_reduce(), {.num_replicas = 8});
  Lists arguments;
  for (int i = 0; i < 8; ++i) {
    const auto f = static_cast<float>(i);
    arguments.push_back(
        {to_device(Array::from({f, 2 * f, 1.f}), device(i)),
         to_device(Array::from({f, 0.f, 1.f, -f}, Shape{2, 2}), device(i))});
  }
  const std::vector<TensorSpec> specs{{DType::float32, Shape{3}},
                                      {DType::float32, Shape{2, 2}}};
  for (int round = 0; round < 20; ++round) {
    const Lists outputs = launch(*program, arguments, specs);
    for (const auto& replica : outputs) {
      EXPECT_EQ(values(replica[0]), (std::vector<float>{28, 56, 8}));
      EXPECT_EQ(values(replica[1]), (std::vector<float>{28, 0, 8, -28}));
    }
  }
}

TEST_F(ExecutablePlatformTest, ThreadsMayLaunchReplicatedProgramsAtOnce) {
  const ExecutablePtr program =
      compile(client(), variadic_all_reduce(), {.num_replicas = 8});
  const std::vector<TensorSpec> specs{{DType::float32, Shape{3}},
                                      {DType::float32, Shape{2, 2}}};
  std::atomic<int> right{0};
  const auto work = [&](float scale) {
    Lists arguments;
    for (int i = 0; i < 8; ++i) {
      arguments.push_back({to_device(Array::full({3}, scale), device(i)),
                           to_device(Array::full({2, 2}, scale), device(i))});
    }
    for (int round = 0; round < 20; ++round) {
      const Lists outputs = launch(*program, arguments, specs);
      if (values(outputs[7][1])[3] == 8 * scale) ++right;
    }
  };
  std::thread other(work, 1.f);
  work(2.f);
  other.join();
  EXPECT_EQ(right, 40);
}

TEST_F(ExecutablePlatformTest, DonatedArgumentIsGone) {
  const ExecutablePtr program = compile(client(), donating());
  EXPECT_EQ(program->donated_arguments(), (std::vector<int64_t>{0}));
  const BufferPtr x = to_device(four(), device(0));
  const BufferPtr y = run(program, {x});
  EXPECT_TRUE(x->is_donated());
  EXPECT_EQ(values(y), (std::vector<float>{2, 4, 6, 8}));
  try {
    to_host(*x);
    FAIL() << "nothing was thrown";
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(),
                 "to_host: expected a value on cpu:0, got a buffer whose "
                 "memory a program has taken over\n  buffer: float32[4]");
  }
  EXPECT_THROW(copy_to(x, device(1)), ValueError);
  EXPECT_THROW(run(program, {x}), InternalError);
}

TEST_F(ExecutablePlatformTest, NonDonatableArgumentStays) {
  const ExecutablePtr program = compile(client(), donating());
  const BufferPtr x = to_device(four(), device(0));
  const BufferPtr y = run(program, {x}, {.non_donatable = {0}});
  EXPECT_FALSE(x->is_donated());
  EXPECT_EQ(values(x), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(values(y), (std::vector<float>{2, 4, 6, 8}));
}

// The host's memory stands for the buffer itself: a program that takes the
// buffer must not write to it.
TEST_F(ExecutablePlatformTest, DonationDoesNotWriteToTheHostsArray) {
  const std::string text =
      "module @m { func.func public @main(%x: tensor<100000xf32> "
      "{tf.aliasing_output = 0 : i32}) -> tensor<100000xf32> { %0 = "
      "stablehlo.add %x, %x : tensor<100000xf32> return %0 : "
      "tensor<100000xf32> } }";
  const Array array = Array::from(std::vector<float>(100'000, 1.f));
  const BufferPtr y = run(compile(client(), text),
                          {to_device(array, device(0))}, {}, array.spec());
  EXPECT_EQ(to_host(*y).span<float>()[99'999], 2.f);
  EXPECT_EQ(array.span<float>()[99'999], 1.f);
}

std::string sum_of_two() {
  return "module @m { func.func public @main(%x: tensor<4xf32> "
         "{tf.aliasing_output = 0 : i32}, %y: tensor<4xf32>) -> tensor<4xf32> "
         "{ %0 = stablehlo.add %x, %y : tensor<4xf32> return %0 : "
         "tensor<4xf32> } }";
}

TEST_F(ExecutablePlatformTest, BufferThatIsDonatedAndReadIsRefused) {
  const ExecutablePtr program = compile(client(), sum_of_two());
  const BufferPtr x = to_device(four(), device(0));
  EXPECT_THROW(run(program, {x, x}), InternalError);
  EXPECT_FALSE(x->is_donated());
  EXPECT_EQ(values(run(program, {x, x}, {.non_donatable = {0}}))[3], 8);
}

TEST_F(ExecutablePlatformTest, ReadersAreWaitedForBeforeMemoryIsTaken) {
  const ExecutablePtr program = compile(client(), donating());
  for (int round = 0; round < 200; ++round) {
    const BufferPtr x = to_device(four(), device(0));
    std::atomic<bool> is_right{true};
    std::thread reader([&] {
      try {
        is_right = values(x) == (std::vector<float>{1, 2, 3, 4});
      } catch (const ValueError&) {
        // the program was first
      }
    });
    const BufferPtr y = run(program, {x});
    reader.join();
    ASSERT_TRUE(is_right);
  }
}

TEST_F(ExecutablePlatformTest, PortableProgramRunsOnAnyDevice) {
  const ExecutablePtr program =
      compile(client(), doubling(), {.portable = true});
  EXPECT_TRUE(program->is_portable());
  for (int i : {0, 3, 7}) {
    const Device to = device(i);
    const BufferPtr x = to_device(four(), to);
    EXPECT_EQ(run(program, {x}, {.execute_device = &to})->device(), to);
    // Unsaid, it runs where its argument is.
    const BufferPtr y = run(program, {x});
    EXPECT_EQ(y->device(), to);
    EXPECT_EQ(values(y)[3], 8);
  }
}

TEST_F(ExecutablePlatformTest, PortableProgramWithoutArgumentsRunsToo) {
  const ExecutablePtr program =
      compile(client(),
              "module @m { func.func public @main() -> tensor<4xf32> { %0 = "
              "stablehlo.constant dense<2.0> : tensor<4xf32> return %0 : "
              "tensor<4xf32> } }",
              {.portable = true});
  EXPECT_EQ(run(program, {})->device(), device(0));
  const Device fifth = device(5);
  const BufferPtr y = run(program, {}, {.execute_device = &fifth});
  EXPECT_EQ(y->device(), fifth);
  EXPECT_EQ(values(y)[0], 2);
}

TEST_F(ExecutablePlatformTest, WrongCountsAreRefused) {
  const ExecutablePtr program = compile(client(), doubling());
  const TensorSpec spec{DType::float32, Shape{4}};
  const Lists none;
  EXPECT_THROW(launch(*program, none, {&spec, 1}), InternalError);
  const Lists two{{to_device(four(), device(0))},
                  {to_device(four(), device(0))}};
  EXPECT_THROW(launch(*program, two, {&spec, 1}), InternalError);
  EXPECT_THROW(launch(*program, {two.data(), 1}, {}), InternalError);
}

TEST_F(ExecutablePlatformTest, ArgumentOfTheWrongSizeIsThePluginsError) {
  const ExecutablePtr program = compile(client(), donating());
  const BufferPtr x = to_device(Array::from({1.f, 2.f}), device(0));
  EXPECT_THROW(run(program, {x}), PlatformError);
}

}  // namespace
}  // namespace systolic::internal::runtime
