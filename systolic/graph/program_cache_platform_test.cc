#include <gmock/gmock.h>

#include "systolic/graph/op.h"
#include "systolic/graph/program_cache.h"
#include "systolic/graph/test_fixture.h"

namespace systolic::internal::graph {
namespace {

using ::testing::HasSubstr;
using ProgramCachePlatformTest = GraphTest;

constexpr Op<> kBroken{
    .name = "broken",
    .infer = [](Infer& in, const NoOptions&) { return Specs(in[0]); },
    .lower =
        [](Lower& l, const NoOptions&) {
          return l.e.statement("no_such_op", l.inputs(),
                               std::span(&l.result(), 1));
        },
    .vjp = not_differentiable("it is broken")};

constexpr Op<> kLiar{
    .name = "liar",
    .infer =
        [](Infer&, const NoOptions&) {
          return Specs(TensorSpec{DType::int32, Shape{3}});
        },
    .lower = [](Lower& l, const NoOptions&) { return Values{l[0]}; },
    .vjp = not_differentiable("it is a test")};

TEST_F(ProgramCachePlatformTest, ChangingScalarCompilesTwiceAtMost) {
  const Tensor loss = vector({1, 2});
  for (int step = 0; step < 1000; ++step) {
    const Tensor scaled = loss * static_cast<float>(step);
    ASSERT_EQ(floats(scaled)[1], 2.f * static_cast<float>(step));
  }
  EXPECT_LE(compiles(), 2u);
  EXPECT_GE(hits(), 998u);
}

TEST_F(ProgramCachePlatformTest, ChangingIndexCompilesTwiceAtMost) {
  const int n = 7;
  const Tensor x = constant(Array::from({0, 1, 4, 9, 16, 25, 36}));
  for (int step = 0; step < 1000; ++step) {
    const int row = step % n;
    ASSERT_EQ(x[row].item<int>(), row * row);
  }
  EXPECT_LE(compiles(), 2u);
}

TEST_F(ProgramCachePlatformTest, ChangingSliceStartCompilesTwiceAtMost) {
  const Tensor x = constant(Array::from({0, 1, 4, 9, 16, 25, 36}));
  for (int step = 0; step < 100; ++step) {
    const int row = step % 5;
    const Tensor part = x[Slice(row, row + 3)];
    ASSERT_EQ(part.numpy().span<int>()[2], (row + 2) * (row + 2));
  }
  EXPECT_LE(compiles(), 2u);
}

// One scalar changes at each step, the other at every hundredth: whichever
// has changed is an argument for good.
TEST_F(ProgramCachePlatformTest, TwoScalarsThatChangeAtDifferentTimes) {
  const Tensor x = vector({1, 2});
  for (int step = 0; step < 1000; ++step) {
    const auto fast = static_cast<float>(step);
    const auto slow = static_cast<float>(step / 100);
    ASSERT_EQ(floats(x * fast + slow)[1], 2 * fast + slow);
  }
  EXPECT_LE(compiles(), 3u);
}

TEST_F(ProgramCachePlatformTest, ScalarThatChangesSeldomIsWrittenIn) {
  const Tensor x = vector({1, 2, 3, 4, 5, 6, 7, 8});
  for (int step = 0; step < 20; ++step) {
    ASSERT_EQ(floats(x * 3.f)[1], 6.f);
  }
  for (int step = 0; step < 20; ++step) {
    ASSERT_EQ(floats(x * 5.f)[1], 10.f);
  }
  ASSERT_EQ(floats(x * 3.f)[1], 6.f);
  EXPECT_EQ(compiles(), 2u);
}

TEST_F(ProgramCachePlatformTest, ScalarsOfEveryDtypeAsArguments) {
  for (const DType dtype :
       {DType::boolean, DType::int8, DType::int32, DType::int64, DType::uint8,
        DType::float16, DType::bfloat16, DType::float32, DType::float64}) {
    const Tensor x = constant(Array::zeros({2}, dtype));
    for (int step = 0; step < 4; ++step) {
      const bool is_bool = dtype == DType::boolean;
      const Arg scalar = is_bool ? Arg(step % 2 == 1) : Arg(step);
      const Array sum = (x + scalar.tensor(dtype)).numpy();
      ASSERT_EQ(sum.dtype(), dtype);
      ASSERT_EQ(cast(sum, DType::int32).span<int>()[1],
                is_bool ? step % 2 : step)
          << name(dtype);
    }
  }
}

TEST_F(ProgramCachePlatformTest, NegativeAndLargeIntegers) {
  const Tensor x = constant(Array::from<int64_t>({1}));
  for (const int64_t value : {-1l, -5'000'000'000l, 5'000'000'000l, -2l}) {
    ASSERT_EQ((x + value).item<int64_t>(), 1 + value);
  }
}

TEST_F(ProgramCachePlatformTest, TheReasonOfTheSecondCompilationIsTheScalar) {
  const Tensor x = vector({1, 2, 3, 4, 5});
  floats(x * 2.f);
  floats(x * 3.f);
  ASSERT_EQ(reasons().size(), 2u);
  EXPECT_THAT(reasons()[0], HasSubstr("new program"));
  EXPECT_THAT(reasons()[0], HasSubstr("multiply"));
  EXPECT_THAT(reasons()[0], HasSubstr("program_cache_platform_test.cc:"));
  EXPECT_THAT(reasons()[1], HasSubstr("a C++ scalar changed"));
}

TEST_F(ProgramCachePlatformTest, SameStructureHits) {
  const auto run = [](const Tensor& x) { return floats(exp(x) * x + 1.5f); };
  run(vector({1, 2, 3}));
  const uint64_t before = compiles();
  run(vector({4, 5, 6}));
  run(vector({7, 8, 9}));
  EXPECT_EQ(compiles(), before);
  EXPECT_EQ(hits(), 2u);
}

TEST_F(ProgramCachePlatformTest, OtherShapesDtypesAndOptionsMiss) {
  const auto run = [](const Tensor& x, int axis) {
    return sum(x, {.axis = axis}).numpy();
  };
  run(constant(Array::zeros({2, 3})), 0);
  run(constant(Array::zeros({2, 3})), 1);
  run(constant(Array::zeros({2, 4})), 0);
  run(constant(Array::zeros({2, 3}, DType::int32)), 0);
  EXPECT_EQ(compiles(), 4u);
  EXPECT_THAT(reasons()[2], HasSubstr("an argument is float32[2, 4]"));
  EXPECT_THAT(reasons()[2], HasSubstr("that was float32[2, 3]"));
  run(constant(Array::ones({2, 4})), 0);
  EXPECT_EQ(compiles(), 4u);
}

TEST_F(ProgramCachePlatformTest, MissOnOtherDevicesSaysSo) {
  const auto run = [](const Placement* placement) {
    const PlacementGuard guard(placement);
    return floats(log1p(vector({1, 2, 3})));
  };
  run(one());
  run(Placement::single(client().device(2)));
  ASSERT_EQ(reasons().size(), 2u);
  EXPECT_THAT(reasons()[1], HasSubstr("known program, other devices"));
}

TEST_F(ProgramCachePlatformTest, MissOverLiveOutputsSaysWhatWasKeptAlive) {
  const auto run = [](const Tensor& x, bool keep) {
    Tensor hidden = exp(x);
    const Tensor y = hidden * x;
    if (!keep) hidden = Tensor();
    return floats(y);
  };
  const Tensor x = vector({1, 2, 3, 4});
  run(x, false);
  run(x, true);
  ASSERT_EQ(compiles(), 2u);
  EXPECT_THAT(reasons()[1], HasSubstr("other values are kept alive"));
  EXPECT_THAT(reasons()[1], HasSubstr("now exp at program_cache_platform_"));
  run(x, true);
  run(x, false);
  EXPECT_EQ(compiles(), 2u) << "both versions are kept";
}

TEST_F(ProgramCachePlatformTest, ScalarsAndLiveOutputsAreKeptApart) {
  const auto run = [](const Tensor& x, float by, bool keep) {
    Tensor hidden = x * by;
    const Tensor y = hidden + x;
    if (!keep) hidden = Tensor();
    return floats(y)[0];
  };
  const Tensor x = vector({1, 2, 3, 4, 5, 6});
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(run(x, static_cast<float>(i), i % 2 == 0),
              static_cast<float>(i + 1));
  }
  EXPECT_LE(compiles(), 4u);
}

TEST_F(ProgramCachePlatformTest, ListenerIsToldBeforeEachCompilation) {
  std::vector<std::string> told;
  {
    const CompileListener listener(
        [&](std::string_view why) { told.emplace_back(why); });
    const Tensor x = vector({1, 2, 3, 4, 5, 6, 7});
    floats(tanh(x));
    floats(tanh(x));
  }
  floats(cos(vector({1})));
  ASSERT_EQ(told.size(), 1u);
  EXPECT_THAT(told[0], HasSubstr("tanh"));
}

TEST_F(ProgramCachePlatformTest, ProgramThatDoesNotCompileIsTriedAgain) {
  const Tensor y =
      record<kBroken>({vector({1}).ref()}, NoOptions{}, std::source_location());
  EXPECT_THROW(y.numpy(), PlatformError);
  EXPECT_THROW(y.numpy(), PlatformError);
  EXPECT_EQ(compiles(), 0u);
}

TEST_F(ProgramCachePlatformTest, LoweringThatContradictsItsShapeRuleIsNamed) {
  const Tensor y = record<kLiar>({vector({1}).ref()}, NoOptions{},
                                 std::source_location::current());
  const std::string what = message_of<InternalError>([&] { y.numpy(); });
  EXPECT_THAT(what, HasSubstr("liar: the lowering gives float32[1] where the "
                              "shape rule says int32[3]"));
  EXPECT_THAT(what, HasSubstr("at: program_cache_platform_test.cc:"));
}

}  // namespace
}  // namespace systolic::internal::graph
