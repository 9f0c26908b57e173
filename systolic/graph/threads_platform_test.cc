// Recording, tapes and launches on several threads at once.
#include <gmock/gmock.h>

#include <atomic>
#include <barrier>
#include <thread>

#include "systolic/graph/evaluate.h"
#include "systolic/graph/test_fixture.h"

namespace systolic::internal::graph {
namespace {

using Floats = std::vector<float>;

constexpr int kThreads = 8;

class ThreadsPlatformTest : public GraphTest {
 protected:
  // Runs `body(i)` on kThreads threads; they start together.
  static void on_threads(const std::function<void(int)>& body) {
    std::barrier start(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        start.arrive_and_wait();
        body(i);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
};

TEST_F(ThreadsPlatformTest, PendingTensorOfAnotherThread) {
  const Tensor x = vector({1, 2});
  Tensor made;
  std::thread([&] { made = x * 3.f; }).join();
  EXPECT_EQ(floats(made + 1.f), (Floats{4, 7}));

  const Tensor mine = x * 5.f;
  Floats seen, used;
  const uint64_t before = launches();
  std::thread([&] {
    used = floats(mine + 1.f);
    seen = floats(mine);
  }).join();
  EXPECT_EQ(used, (Floats{6, 11}));
  EXPECT_EQ(seen, (Floats{5, 10}));
  EXPECT_EQ(launches() - before, 2u) << "evaluated first, then used";
}

TEST_F(ThreadsPlatformTest, PendingValueOfAnotherThreadIsAssigned) {
  Variable v(vector({0, 0}));
  const Tensor mine = vector({1, 2}) * 5.f;
  std::thread([&] {
    Step step(one(), "train_step");
    v.assign(mine);
    const Tensor result = v + mine;
    step.commit(std::span(&result, 1));
    EXPECT_EQ(floats(result), (Floats{10, 20}));
  }).join();
  EXPECT_EQ(floats(v), (Floats{5, 10}));
}

TEST_F(ThreadsPlatformTest, StateOfAThreadThatEndedWithoutALook) {
  Variable v;
  std::thread([&] {
    v = Variable(vector({1, 2}) * 2.f);
    v.assign_add(1.f);
  }).join();
  v.assign_add(v);
  EXPECT_EQ(floats(v), (Floats{6, 10}));
}

TEST_F(ThreadsPlatformTest, EightThreadsRecordTrainAndRead) {
  std::atomic<int> right{0};
  on_threads([&](int id) {
    Variable w(vector({1, 2, 3}));
    const auto scale = static_cast<float>(id + 1);
    for (int i = 0; i < 30; ++i) {
      GradientTape tape;
      const Tensor loss = sum(square(w) * scale);
      const Tensor g = tape.gradient(loss, {w})[0];
      Step step(one(), "train_step");
      w.assign_sub(g * (0.1f / scale));
      step.commit(std::span(&loss, 1));
      if (i % 7 == 0) loss.item<float>();
    }
    Floats wanted{1, 2, 3};
    for (int i = 0; i < 30; ++i) {
      for (float& value : wanted) value -= 2 * value * 0.1f;
    }
    const Floats got = floats(w);
    bool all = true;
    for (int i = 0; i < 3; ++i) {
      all &= std::abs(got[i] - wanted[i]) < 1e-5f;
    }
    right += all;
  });
  EXPECT_EQ(right, kThreads);
}

// One variable, one scalar and one constant that all threads read.
TEST_F(ThreadsPlatformTest, EightThreadsShareValues) {
  const Variable shared(vector({1, 2}));
  const Tensor two = Arg(2.f).tensor();
  const Tensor data = vector({3, 4}) * 1.f;
  data.numpy();
  std::atomic<int> right{0};
  on_threads([&](int id) {
    for (int i = 0; i < 50; ++i) {
      GradientTape tape;
      const auto mine = static_cast<float>(id);
      const Tensor y = sum(shared * shared * two + data * mine);
      const Tensor g = tape.gradient(y, {shared})[0];
      right += y.item<float>() == 10 + 7 * mine;
      right += floats(g) == Floats{4, 8};
    }
  });
  EXPECT_EQ(right, kThreads * 50 * 2);
}

// The owner goes on recording on a value that the others evaluate.
TEST_F(ThreadsPlatformTest, PendingTensorsGoRoundAllThreads) {
  std::vector<std::vector<Tensor>> made(kThreads);
  std::barrier exchange(kThreads);
  std::atomic<int> right{0};
  on_threads([&](int id) {
    const Tensor start = vector({static_cast<float>(id)});
    for (int round = 0; round < 10; ++round) {
      auto& mine = made[id];
      mine.clear();
      Tensor x = start;
      for (int i = 0; i < 5; ++i) mine.push_back(x = x + 1.f);
      exchange.arrive_and_wait();
      const auto& theirs = made[(id + 1) % kThreads];
      Tensor more = x;
      for (int i = 0; i < 20; ++i) more = more * 1.f;
      const float from = static_cast<float>((id + 1) % kThreads);
      right += (theirs[4] * 2.f).item<float>() == 2 * (from + 5);
      right += theirs[round % 5].item<float>() ==
               from + static_cast<float>(round % 5 + 1);
      right += more.item<float>() == static_cast<float>(id + 5);
      exchange.arrive_and_wait();
    }
  });
  EXPECT_EQ(right, kThreads * 10 * 3);
}

TEST_F(ThreadsPlatformTest, EightThreadsRunReplicatedSteps) {
  std::atomic<int> right{0};
  on_threads([&](int id) {
    Variable w(vector({0, 0}));
    for (int i = 0; i < 5; ++i) {
      Step step(eight(), "strategy.run");
      w.assign_add(all_reduce(ReduceOp::sum, w * 0.f + 1.f));
      step.commit({});
    }
    right += floats(w) == Floats{40, 40};
    (void)id;
  });
  EXPECT_EQ(right, kThreads);
}

TEST_F(ThreadsPlatformTest, OneThreadCompilesWhileOthersHit) {
  const auto quick = [] { return floats(vector({1, 2, 3}) * 2.f)[2]; };
  quick();
  std::atomic<bool> is_done{false};
  std::atomic<int> hits_meanwhile{0};
  std::atomic<bool> is_compiling{false};
  std::thread slow([&] {
    const CompileListener listener(
        [&](std::string_view) { is_compiling = true; });
    Tensor x = constant(Array::zeros({8, 8}));
    for (int i = 0; i < 600; ++i) x = tanh(matmul(x, x) + 0.5f * x);
    x.numpy();
    is_done = true;
  });
  while (!is_compiling) std::this_thread::yield();
  while (!is_done) {
    quick();
    if (!is_done) ++hits_meanwhile;
  }
  slow.join();
  EXPECT_GT(hits_meanwhile, 10);
}

}  // namespace
}  // namespace systolic::internal::graph
