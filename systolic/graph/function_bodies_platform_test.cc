// What a function is made of: control flow, Variables in it, steps counted by
// a Tensor; and its first call from several threads at once.
#include <atomic>
#include <barrier>
#include <thread>

#include "systolic/graph/function.h"
#include "systolic/graph/test_fixture.h"
#include "systolic/testing/environment_guard.h"

namespace systolic::internal::graph {
namespace {

using Floats = std::vector<float>;

// Without the check of functions, which runs their code at each call.
class FunctionBodiesPlatformTest : public GraphTest {
 protected:
  const testing::EnvironmentGuard unchecked_{"SYSTOLIC_CHECK_FUNCTIONS"};
  std::atomic<int> runs_{0};
};

TEST_F(FunctionBodiesPlatformTest, CondDecidesAtEachCall) {
  Variable positive(vector({0})), negative(vector({0}));
  const auto f = function([&](Tensor x) {
    ++runs_;
    return cond(
        sum(x) > 0,
        [&] {
          positive.assign_add(ones({1}));
          return x * 2.f;
        },
        [&] {
          negative.assign_add(ones({1}));
          return x - 1.f;
        });
  });
  EXPECT_EQ(floats(f(vector({1, 2}))), (Floats{2, 4}));
  EXPECT_EQ(floats(f(vector({-1, -2}))), (Floats{-2, -3}));
  EXPECT_EQ(floats(f(vector({3, -2}))), (Floats{6, -4}));
  EXPECT_EQ(floats(positive), (Floats{2}));
  EXPECT_EQ(floats(negative), (Floats{1}));
  EXPECT_EQ(runs_, 1);
}

TEST_F(FunctionBodiesPlatformTest, WhileLoopRunsAsLongAsTheValuesSay) {
  Variable turns(vector({0}));
  const auto halve = function([&](Tensor x) {
    ++runs_;
    return while_loop([](const Tensor& v) { return sum(v) > 1.f; },
                      [&](const Tensor& v) {
                        turns.assign_add(ones({1}));
                        return v / 2.f;
                      },
                      x);
  });
  EXPECT_EQ(floats(halve(vector({8}))), (Floats{1}));
  EXPECT_EQ(floats(turns), (Floats{3}));
  EXPECT_EQ(floats(halve(vector({64}))), (Floats{1}));
  EXPECT_EQ(floats(turns), (Floats{9}));
  EXPECT_EQ(floats(halve(vector({0.5f}))), (Floats{0.5f}));
  EXPECT_EQ(runs_, 1);
}

TEST_F(FunctionBodiesPlatformTest, ScanGoesOverTheRowsOfTheCall) {
  const auto cumulative = function([&](Tensor start, Tensor rows) {
    ++runs_;
    return scan(
        [](const Tensor& total, const Tensor& row) {
          const Tensor next = total + row;
          return std::pair(next, next * 10.f);
        },
        start, rows);
  });
  const auto rows = [](Floats values) {
    return constant(Array::from(values, {3, 1}));
  };
  const auto [last, all] = cumulative(vector({1}), rows({1, 2, 3}));
  EXPECT_EQ(floats(last), (Floats{7}));
  EXPECT_EQ(floats(all), (Floats{20, 40, 70}));
  EXPECT_EQ(floats(cumulative(vector({0}), rows({5, 5, 5})).second),
            (Floats{50, 100, 150}));
  EXPECT_EQ(runs_, 1);
}

TEST_F(FunctionBodiesPlatformTest, StepCountAsATensorOfALoopOverVariables) {
  Variable w(vector({1}));
  const auto train = function([&](Tensor steps) {
    ++runs_;
    for_loop(steps, [&](const Tensor&) { w.assign(w * 2.f); });
  });
  for (const int steps : {3, 1, 0, 4}) train(constant(steps));
  EXPECT_EQ(floats(w), (Floats{256}));
  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(train.experimental_get_tracing_count(), 1);
  EXPECT_EQ(compiles(), 1u);
}

TEST_F(FunctionBodiesPlatformTest, GradientInsideIsRecordedWithIt) {
  Variable w(vector({3}));
  const auto step = function([&](Tensor x) {
    ++runs_;
    GradientTape tape;
    const Tensor loss = cond(
        sum(x) > 0, [&] { return sum(w * w * x); }, [&] { return sum(w); });
    w.assign_sub(tape.gradient(loss, w) * 0.5f);
    return loss;
  });
  EXPECT_EQ(step(vector({1})).item<float>(), 9);
  EXPECT_EQ(floats(w), (Floats{0}));
  step(vector({-1}));
  EXPECT_EQ(floats(w), (Floats{-0.5f}));
  EXPECT_EQ(runs_, 1);
}

// The first calls come at the same time: one records, the others wait for it.
TEST_F(FunctionBodiesPlatformTest, FirstCallOnSeveralThreadsIsRecordedOnce) {
  constexpr int kThreads = 4, kCalls = 20;
  const auto f = function([&](Tensor x) {
    ++runs_;
    return x * 2.f + 1.f;
  });
  std::barrier start(kThreads);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      for (int i = 0; i < kCalls; ++i) {
        const auto value = static_cast<float>(t * kCalls + i);
        wrong += floats(f(vector({value}))) != Floats{2 * value + 1};
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(f.experimental_get_tracing_count(), 1);
  EXPECT_EQ(compiles(), 1u);
}

TEST_F(FunctionBodiesPlatformTest, CodeThatThrowsLetsTheNextThreadRecord) {
  std::atomic<bool> fails{true};
  const auto f = function([&](Tensor x) {
    if (fails) throw ValueError("no");
    return x;
  });
  EXPECT_THROW(f(vector({1})), ValueError);
  fails = false;
  std::thread([&] { EXPECT_EQ(floats(f(vector({1}))), (Floats{1})); }).join();
}

}  // namespace
}  // namespace systolic::internal::graph
