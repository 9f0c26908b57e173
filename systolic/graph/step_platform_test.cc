#include <gmock/gmock.h>

#include <sstream>

#include "systolic/graph/step.h"
#include "systolic/graph/test_fixture.h"

namespace systolic::internal::graph {
namespace {

using ::testing::HasSubstr;
using StepPlatformTest = GraphTest;

using Body = std::function<void(const Tensor&)>;

// Checks what reading throws in the body that `enter` records, called `name`.
void expect_unreadable(const std::string& name,
                       const std::function<void(const Body&)>& enter) {
  const Tensor before = constant(Array::from({1.f, 2.f}));
  const Variable v(constant(Array::from({3.f})), {.name = "v"});
  uint32_t line = 0;
  const auto next_line = [&](std::source_location w =
                                 std::source_location::current()) {
    line = w.line() + 1;
  };
  const auto expect = [&](const Body& read) {
    const std::string what = message_of<ValueError>([&] {
      enter([&](const Tensor& inside) {
        EXPECT_EQ(before.numpy().span<float>()[1], 2.f);
        read(inside);
      });
    });
    EXPECT_THAT(what, HasSubstr("can not be read inside " + name + ": code"));
    EXPECT_THAT(what,
                HasSubstr("step_platform_test.cc:" + std::to_string(line)));
  };
  std::ostringstream out;
  expect([&](const Tensor& t) {
    next_line();
    t.numpy();
  });
  expect([&](const Tensor& t) {
    next_line();
    sum(t).item<float>();
  });
  expect([&](const Tensor& t) {
    next_line();
    out << t;
  });
  expect([&](const Tensor& t) {
    next_line();
    (t + 1).to_string();
  });
  expect([&](const Tensor&) {
    next_line();
    v.numpy();
  });
  expect([&](const Tensor&) {
    next_line();
    v.item<float>();
  });
  expect([&](const Tensor&) {
    next_line();
    out << v;
  });
  EXPECT_EQ(out.str(), "");
}

TEST_F(StepPlatformTest, ValuesCanNotBeReadInsideAStep) {
  expect_unreadable("train_step", [](const Body& body) {
    const Step step(one(), "train_step");
    body(vector({1, 2}) * 2);
  });
}

TEST_F(StepPlatformTest, ValuesCanNotBeReadInsideAReplicatedStep) {
  expect_unreadable("strategy.run", [](const Body& body) {
    const Step step(eight(), "strategy.run");
    body(vector({1, 2}) * 2);
  });
}

TEST_F(StepPlatformTest, ValuesCanNotBeReadInsideALoopBody) {
  expect_unreadable("a loop body", [](const Body& body) {
    for_loop(3, [&](const Tensor& i) { body(cast(i, DType::float32)); });
  });
}

TEST_F(StepPlatformTest, ValuesCanNotBeReadInsideAWhileLoop) {
  const auto less = [](const std::vector<Tensor>& v) { return v[0] < 3; };
  expect_unreadable("a loop body", [&](const Body& body) {
    while_loop(less,
               [&](const std::vector<Tensor>& v) {
                 body(v[0] + 1);
                 return v;
               },
               {vector({1})[0]});
  });
  expect_unreadable("a loop condition", [&](const Body& body) {
    while_loop(
        [&](const std::vector<Tensor>& v) {
          body(v[0] + 1);
          return v[0] < 3;
        },
        [](const std::vector<Tensor>& v) { return v; }, {vector({1})[0]});
  });
}

TEST_F(StepPlatformTest, ValuesCanNotBeReadInALoopInsideAStep) {
  expect_unreadable("a loop body", [](const Body& body) {
    const Step step(eight(), "train_step");
    for_loop(3, [&](const Tensor& i) { body(cast(i, DType::float32)); });
  });
}

TEST_F(StepPlatformTest, WholeMessage) {
  Step step(one(), "train_step");
  const Tensor t = vector({1, 2}) + 1;
  const auto line = std::source_location::current().line() + 1;
  const std::string what = message_of<ValueError>([&] { t.numpy(); });
  EXPECT_EQ(what,
            "Tensor.numpy: a value can not be read inside train_step: code "
            "there runs when it is recorded, the value exists when it is "
            "launched\n"
            "  tensor: float32[2]\n"
            "  hint: use where to decide on values, or return the Tensor and "
            "read it after the step\n"
            "  at: step_platform_test.cc:" +
                std::to_string(line));
}

TEST_F(StepPlatformTest, PendingTensorMadeBeforeCanBeRead) {
  const Tensor before = vector({1, 2}) * 3;
  const Variable v(constant(Array::from({3.f})));
  Step step(eight(), "train_step");
  const Tensor inside = before + v;
  EXPECT_EQ(floats(before), (std::vector<float>{3, 6}));
  step.commit(std::span(&inside, 1));
  EXPECT_EQ(floats(inside), (std::vector<float>{6, 9}));
}

TEST_F(StepPlatformTest, DeviceOfAPendingValueLaunchesNothing) {
  const uint64_t before = launches();
  const Step step(eight(), "train_step");
  EXPECT_EQ((vector({1}) + 1).device(),
            "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(launches(), before);
}

TEST_F(StepPlatformTest, ResultsAreReadAfterTheStep) {
  Variable w(constant(Array::from({1.f, 2.f})));
  Tensor loss;
  {
    Step step(one(), "train_step");
    loss = sum(w * w);
    w.assign_sub(w * 0.5f);
    step.commit(std::span(&loss, 1));
    EXPECT_EQ(loss.item<float>(), 5) << "the step is over";
  }
  EXPECT_EQ(floats(w), (std::vector<float>{0.5f, 1}));
}

TEST_F(StepPlatformTest, ValueThatNobodyAskedForIsComputedLater) {
  Variable w(constant(Array::from({1.f, 2.f})));
  Tensor norm;
  for (int i = 0; i < 3; ++i) {
    Step step(one(), "train_step");
    norm = sum(w * w);
    w.assign(w * 2.f);
    step.commit({});
  }
  EXPECT_EQ(norm.item<float>(), 4 * 4 + 8 * 8);
}

TEST_F(StepPlatformTest, NothingToDoIsFine) {
  const uint64_t before = launches();
  Variable w(constant(Array::from({1.f, 2.f})));
  Step step(one(), "train_step");
  w.assign(w);
  step.commit({});
  EXPECT_EQ(launches(), before);
}

TEST_F(StepPlatformTest, UndefinedResultChangesNothing) {
  Variable w(constant(Array::from({1.f, 2.f})));
  {
    Step step(one(), "train_step");
    w.assign(w * 2.f);
    const Tensor none;
    EXPECT_THROW(step.commit(std::span(&none, 1)), ValueError);
  }
  EXPECT_EQ(floats(w), (std::vector<float>{1, 2}));
}

}  // namespace
}  // namespace systolic::internal::graph
