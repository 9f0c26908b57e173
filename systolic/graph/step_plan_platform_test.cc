// Steps that are launched again without being recorded: when they may be, and
// that they then do what recording them would have done.
#include <functional>
#include <vector>

#include "systolic/graph/step_plan.h"
#include "systolic/graph/test_fixture.h"

namespace systolic::internal::graph {
namespace {

class StepPlanPlatformTest : public GraphTest {
 protected:
  // Runs `body` as a fit would; counts how often it is recorded.
  std::vector<Tensor> run(const Placement* placement,
                          const std::vector<Tensor>& inputs,
                          const std::function<std::vector<Tensor>()>& body) {
    if (const StepPlan* plan = plans_.find(inputs)) {
      return plan->launch(inputs);
    }
    ++recorded_;
    Step step(placement, "test_step", Step::Keep::plan);
    std::vector<Tensor> results = body();
    step.commit(results);
    plans_.learn(inputs, step.plan(inputs));
    return results;
  }

  static Tensor leaf(float value) { return constant(Array::full({4}, value)); }

  void TearDown() override {
    plans_.clear();  // they hold variables
    GraphTest::TearDown();
  }

  StepPlans plans_;
  int recorded_ = 0;
};

TEST_F(StepPlanPlatformTest, ThirdStepIsNotRecorded) {
  for (const Placement* placement : {one(), eight()}) {
    const VariablePlacementGuard guard(placement);
    plans_.clear();
    recorded_ = 0;
    Variable w(Array::zeros({4}));
    Variable count(Array::zeros({}, DType::int32));
    float sum = 0;
    for (int i = 0; i < 10; ++i) {
      const Tensor x = leaf(static_cast<float>(i));
      const auto results = run(placement, {x}, [&] {
        w.assign_add(x * 2.f);
        count.assign_add(1);
        return std::vector<Tensor>{w.value() + 1.f};
      });
      sum += 2.f * static_cast<float>(i);
      EXPECT_EQ(floats(results[0].numpy())[3], sum + 1.f) << i;
    }
    EXPECT_EQ(floats(w.numpy()), (std::vector<float>(4, sum)));
    EXPECT_EQ(count.item<int>(), 10);
    EXPECT_EQ(recorded_, 2);
  }
}

TEST_F(StepPlanPlatformTest, MemoryOfStateIsTaken) {
  Variable w(Array::zeros({4}));
  const Tensor x = leaf(1);
  const auto step = [&] {
    run(one(), {x}, [&] {
      w.assign_add(x);
      return std::vector<Tensor>{};
    });
  };
  for (int i = 0; i < 3; ++i) step();
  const auto before = w.state()->current.ref().node->first.storage->on(one());
  step();
  EXPECT_TRUE(before[0]->is_donated());
  EXPECT_EQ(recorded_, 2);
}

TEST_F(StepPlanPlatformTest, ValueThatSomebodyHoldsStays) {
  Variable w(Array::zeros({4}));
  const Tensor x = leaf(1);
  std::vector<Tensor> held;
  for (int i = 0; i < 6; ++i) {
    held.push_back(w.value());
    run(one(), {x}, [&] {
      w.assign_add(x);
      return std::vector<Tensor>{};
    });
  }
  EXPECT_EQ(recorded_, 2);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(floats(held[static_cast<size_t>(i)].numpy())[0], i);
  }
}

TEST_F(StepPlanPlatformTest, AssignmentsBetweenStepsAreSeen) {
  Variable w(Array::zeros({4}));
  Variable rate(Array::full({}, 1.f));
  for (int i = 0; i < 6; ++i) {
    if (i == 4) rate.assign(10.f);
    if (i == 5) w.assign(zeros(Shape{4}) + 0.5f);
    const Tensor x = leaf(1);
    run(one(), {x}, [&] {
      w.assign_add(x * rate);
      return std::vector<Tensor>{};
    });
  }
  EXPECT_EQ(floats(w.numpy())[0], 10.5f);
  EXPECT_EQ(recorded_, 2);
}

TEST_F(StepPlanPlatformTest, PartsOfReplicasAddUp) {
  const VariablePlacementGuard guard(eight());
  Variable total(Array::zeros({}),
                 {.trainable = false,
                  .synchronization = VariableSynchronization::on_read,
                  .aggregation = VariableAggregation::sum});
  const Tensor x = leaf(1);
  for (int i = 0; i < 6; ++i) {
    if (i == 4) total.assign(100.f);  // as reset_state does
    run(eight(), {x}, [&] {
      total.assign_add(sum(x));
      return std::vector<Tensor>{};
    });
  }
  EXPECT_EQ(total.item<float>(), 100 + 2 * 8 * 4);
  EXPECT_EQ(recorded_, 2);
}

TEST_F(StepPlanPlatformTest, ScalarThatChangesIsRecordedEachTime) {
  Variable w(Array::zeros({4}));
  const Tensor x = leaf(1);
  float expected = 0;
  for (int i = 0; i < 6; ++i) {
    run(one(), {x}, [&] {
      w.assign_add(x * static_cast<float>(i));
      return std::vector<Tensor>{};
    });
    expected += static_cast<float>(i);
  }
  EXPECT_EQ(floats(w.numpy())[0], expected);
  EXPECT_EQ(recorded_, 6);
}

TEST_F(StepPlanPlatformTest, ArrayMadeInTheStepIsRecordedEachTime) {
  Variable w(Array::zeros({4}));
  const Tensor x = leaf(1), kept = leaf(100);
  for (int i = 0; i < 5; ++i) {
    run(one(), {x}, [&] {
      w.assign_add(x * Array::full({4}, static_cast<float>(i)));
      return std::vector<Tensor>{};
    });
  }
  EXPECT_EQ(floats(w.numpy())[0], 10);
  EXPECT_EQ(recorded_, 5);
  // One that was there before is the same each time.
  plans_.clear();
  recorded_ = 0;
  for (int i = 0; i < 5; ++i) {
    run(one(), {x}, [&] {
      w.assign_add(kept);
      return std::vector<Tensor>{};
    });
  }
  EXPECT_EQ(floats(w.numpy())[0], 510);
  EXPECT_EQ(recorded_, 2);
}

TEST_F(StepPlanPlatformTest, VariablesThatShareAValueAreToldApart) {
  const Tensor shared = leaf(1);
  Variable a(shared), b(shared), w(Array::zeros({4}));
  const Tensor x = leaf(1);
  for (int i = 0; i < 6; ++i) {
    if (i == 4) b.assign(x * 10.f);
    run(one(), {x}, [&] {
      w.assign_add(a.value() + b.value() * x);
      return std::vector<Tensor>{};
    });
  }
  EXPECT_EQ(floats(w.numpy())[0], 4 * 2 + 2 * 11);
  EXPECT_EQ(recorded_, 2);
}

TEST_F(StepPlanPlatformTest, InputOfAnotherShapeHasAPlanOfItsOwn) {
  Variable w(Array::zeros({}));
  for (int i = 0; i < 8; ++i) {
    const Tensor x = constant(Array::ones({i % 2 == 0 ? 4 : 3}));
    run(one(), {x, Tensor()}, [&] {
      w.assign_add(sum(x));
      return std::vector<Tensor>{};
    });
  }
  EXPECT_EQ(w.item<float>(), 4 * 4 + 4 * 3);
  EXPECT_EQ(recorded_, 4);
}

TEST_F(StepPlanPlatformTest, InputThatIsAssignedAsItIsIsCopied) {
  Variable w(Array::zeros({4}));
  for (int i = 0; i < 4; ++i) {
    const Tensor x = leaf(static_cast<float>(i));
    run(one(), {x}, [&] {
      w.assign(x);
      return std::vector<Tensor>{};
    });
    EXPECT_EQ(floats(w.numpy())[0], i);
  }
  EXPECT_EQ(recorded_, 2);
}

TEST_F(StepPlanPlatformTest, ValueThatLeavesTheStepHasNoPlan) {
  Variable w(Array::zeros({4}));
  const Tensor x = leaf(1);
  std::vector<Tensor> escaped;
  for (int i = 0; i < 4; ++i) {
    run(one(), {x}, [&] {
      escaped.push_back(x + w.value());
      w.assign_add(x);
      return std::vector<Tensor>{};
    });
  }
  EXPECT_EQ(recorded_, 4);
  EXPECT_EQ(floats(escaped[3].numpy())[0], 4);
}

}  // namespace
}  // namespace systolic::internal::graph
