// What launches compute, and what is freed after them.
#include <gmock/gmock.h>

#include "systolic/base/log.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/op.h"
#include "systolic/graph/test_fixture.h"
#include "systolic/runtime/memory.h"

namespace systolic::internal::graph {
namespace {

using ::testing::HasSubstr;
using EvaluatePlatformTest = GraphTest;
using Floats = std::vector<float>;

TEST_F(EvaluatePlatformTest, SeveralValuesAreOneLaunch) {
  const Tensor x = vector({1, 2});
  const Tensor a = x + 1.f, b = x * 2.f, c = exp(a) * b;
  const uint64_t before = launches();
  evaluate(std::vector<Ref>{a.ref(), b.ref(), c.ref()});
  EXPECT_EQ(launches(), before + 1);
  EXPECT_EQ(floats(a), (Floats{2, 3}));
  EXPECT_EQ(floats(b), (Floats{2, 4}));
  EXPECT_EQ(launches(), before + 1);
}

TEST_F(EvaluatePlatformTest, LiveHandlesBelowComeAlong) {
  const Tensor x = vector({1, 2});
  const Tensor a = x + 1.f;
  const Tensor b = a * a;
  const uint64_t before = launches();
  b.numpy();
  EXPECT_EQ(floats(a), (Floats{2, 3}));
  EXPECT_EQ(launches(), before + 1);
}

TEST_F(EvaluatePlatformTest, ValuesOfOneProgramOnTwoPlacements) {
  const Tensor x = vector({1, 2}) + 1.f;
  Tensor y;
  {
    const PlacementGuard guard(Placement::single(client().device(4)));
    y = vector({3, 4}) + 1.f;
  }
  const Tensor z = x + y;
  evaluate(std::vector<Ref>{x.ref(), y.ref(), z.ref()});
  EXPECT_EQ(floats(z), (Floats{6, 8}));
}

TEST_F(EvaluatePlatformTest, ValueThatIsAHostValueIsSentOnce) {
  const Tensor x = vector({1, 2, 3, 4});
  floats(x + 1.f);
  const uint64_t sent = runtime::counters().host_to_device_bytes;
  floats(x + 1.f);
  floats(x * x);
  EXPECT_EQ(runtime::counters().host_to_device_bytes, sent);
  x.numpy();
  EXPECT_EQ(floats(x), (Floats{1, 2, 3, 4}));
}

TEST_F(EvaluatePlatformTest, TwentyThousandPendingAdds) {
  std::vector<std::string> warnings;
  const LogSink before = set_log_sink([&](LogLevel level, std::string_view t) {
    if (level == LogLevel::warning) warnings.emplace_back(t);
  });
  const int64_t live = buffers();
  Tensor x = vector({0});
  // Sums with constants, which the compiler folds: it takes seconds for
  // thousands of others in one program.
  for (int i = 0; i < 20'000; ++i) x = x + 1.f;
  EXPECT_EQ(x.item<float>(), 20'000.f);
  set_log_sink(before);
  EXPECT_LE(buffers() - live, 2);
  ASSERT_EQ(warnings.size(), 1u) << "once, and not at each such chain";
  EXPECT_THAT(warnings[0], HasSubstr("more than 1000 operations were recorded"
                                     " and nobody looked at their values"));
  EXPECT_THAT(warnings[0], HasSubstr("at evaluate_platform_test.cc:"));
}

// A loop that never looks at its state costs the same each time round.
TEST_F(EvaluatePlatformTest, StateThatNobodyLooksAtIsKeptForTheNextLaunch) {
  Variable state(vector({0, 0}));
  const Tensor one = vector({1, 1});
  for (int i = 0; i < 100; ++i) {
    const Tensor doubled = state.value() * 2.f;
    state.assign_add(one);
    ASSERT_EQ(floats(doubled)[0], 2.f * static_cast<float>(i));
  }
  EXPECT_LE(compiles(), 2u) << "and not a longer program each time round";
  EXPECT_EQ(floats(state), (Floats{100, 100}));
}

TEST_F(EvaluatePlatformTest, WhatAnotherPendingValueNeedsIsComputedOnce) {
  const Tensor x = vector({1, 2});
  Tensor first, second;
  {
    const Tensor both = x * 3.f;
    first = both + 1.f;
    second = both - 1.f;
  }
  EXPECT_EQ(floats(first), (Floats{4, 7}));
  const int64_t live = buffers();
  EXPECT_EQ(floats(second), (Floats{2, 5}));
  // The second's own comes, what both are made of goes.
  EXPECT_EQ(buffers(), live);
}

TEST_F(EvaluatePlatformTest, AWideLoopIsCutToo) {
  const Tensor x = vector({1, 2});
  Tensor sum = vector({0, 0});
  // Ten operations each time round, one after the other in one only.
  for (int i = 0; i < 1000; ++i) {
    Tensor part = x;
    for (int j = 0; j < 9; ++j) part = part * 0.5f;
    sum = sum + part;
  }
  EXPECT_LE(compiles(), 4u);
  floats(sum);
  EXPECT_LE(compiles(), 5u);
  EXPECT_GE(launches(), 10u);
}

// The weights count these twice at each step: 2^60 for 60 operations.
TEST_F(EvaluatePlatformTest, SharedValuesCountOnce) {
  const uint64_t before = launches();
  Tensor x = vector({1});
  for (int i = 0; i < 60; ++i) x = (x + x) * 0.5f;
  EXPECT_EQ(launches(), before);
  EXPECT_EQ(floats(x), (Floats{1}));
  EXPECT_EQ(launches(), before + 1);
}

TEST_F(EvaluatePlatformTest, LongLoopKeepsNoMemory) {
  Tensor x = vector(Floats(1000));
  const auto step = [&] { x = x * 0.5f + 1.f; };
  step();
  x.numpy();
  const int64_t live = buffers();
  for (int i = 0; i < 2000; ++i) {
    step();
    x.numpy();
  }
  EXPECT_EQ(buffers(), live);
}

TEST_F(EvaluatePlatformTest, LongChainsAreDroppedWithoutRecursion) {
  {
    const Step step(one(), "never committed");  // no limit in a step
    Tensor x = vector({0});
    for (int i = 0; i < 100'000; ++i) x = x + 1.f;
  }
  GradientTape tape;
  Tensor x = vector({0});
  tape.watch(x);
  Tensor y = x;
  for (int i = 0; i < 100'000; ++i) {
    y = y + x;
    if (i % 500 == 499) y.numpy();
  }
  EXPECT_EQ(y.item<float>(), 0.f);
}

// Values that nobody asks for.

struct Pair {
  template <class V>
  void visit(V&&) const {}
};
constexpr Op<Pair> kPair{.name = "pair",
                         .infer =
                             [](Infer& in, const Pair&) {
                               return Specs(std::vector{in[0], in[0]});
                             },
                         .lower =
                             [](Lower& l, const Pair&) {
                               return Values{
                                   l.e.binary("add", l[0], l[0]),
                                   l.e.binary("multiply", l[0], l[0])};
                             },
                         .vjp = not_differentiable("it is a test")};

std::vector<Tensor> pair(const Tensor& x) {
  return record_all<kPair>({x.ref()}, Pair{}, SourceLocation::current());
}

TEST_F(EvaluatePlatformTest, ResultThatNobodyWantsKeepsNothingAlive) {
  Tensor x = vector({1, 2});
  x = pair(x)[0];
  x.numpy();
  const std::weak_ptr<Node> first = x.ref().node;
  const int64_t live = buffers();
  for (int i = 0; i < 10; ++i) {
    x = pair(x)[0];
    x.numpy();
  }
  EXPECT_TRUE(first.expired());
  EXPECT_EQ(buffers(), live);
  EXPECT_EQ(floats(x)[0], 2048.f);
}

TEST_F(EvaluatePlatformTest, ResultThatIsUsedLaterIsThere) {
  const Tensor x = vector({3, 4});
  Tensor doubled, later;
  {
    const auto both = pair(x + 0.f);
    doubled = both[0];
    later = both[1] + 1.f;  // the handle on both[1] goes
  }
  EXPECT_EQ(floats(doubled), (Floats{6, 8}));
  EXPECT_EQ(floats(later), (Floats{10, 17}));
}

TEST_F(EvaluatePlatformTest, LoopOutsideStepsKeepsNoOldValues) {
  Variable a(vector({0})), b(vector({0}));
  const auto step = [&] {
    for_loop(3, [&](const Tensor&) {
      a.assign_add(1.f);
      b.assign_add(a);
    });
    a.numpy();
    b.numpy();
  };
  step();
  step();
  const int64_t live = buffers();
  for (int i = 0; i < 20; ++i) step();
  EXPECT_EQ(a.item<float>(), 66.f);
  EXPECT_EQ(buffers(), live);
}

TEST_F(EvaluatePlatformTest, LoopThatUsesTheLastOnesResultKeepsNoOldValues) {
  Tensor x = vector({1});
  const auto step = [&] {
    const Tensor captured = x;
    x = while_loop([](const auto& v) { return v[0] < 2; },
                   [&](const auto& v) {
                     return std::vector{v[0] + 1, v[1] + captured};
                   },
                   {constant(Array::scalar(0)), x})[1];
    x.numpy();
  };
  step();
  step();
  const int64_t live = buffers();
  for (int i = 0; i < 8; ++i) step();
  EXPECT_EQ(x.item<float>(), 59049.f);
  EXPECT_EQ(buffers(), live);
}

TEST_F(EvaluatePlatformTest, NothingIsLeftWhenAllIsDropped) {
  const int64_t before = buffers();
  {
    Variable w(vector({1, 2}));
    for (const Placement* placement : {one(), eight()}) {
      Tensor loss;
      Step step(placement, "train_step");
      GradientTape tape;
      loss = sum(w * w);
      w.assign_sub(tape.gradient(loss, {w})[0] * 0.1f);
      step.commit(std::span(&loss, 1));
    }
    floats(w);
    EXPECT_GT(buffers(), before);
  }
  EXPECT_EQ(buffers(), before);
}

TEST_F(EvaluatePlatformTest, AsDataIsALeafOfTheSameValue) {
  const Tensor x = vector({1, 2}) + 1.f;
  x.numpy();
  const Tensor leaf = as_data(x);
  EXPECT_EQ(leaf.ref().node->kind, NodeKind::data);
  EXPECT_EQ(leaf.ref().node->first.storage, x.ref().node->first.storage);
  EXPECT_EQ(as_data(leaf).ref(), leaf.ref());
  EXPECT_EQ(as_data(Arg(2.5f).tensor()).item<float>(), 2.5f);
}

}  // namespace
}  // namespace systolic::internal::graph
