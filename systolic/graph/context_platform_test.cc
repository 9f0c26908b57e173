#include <stdexcept>

#include "systolic/graph/context.h"
#include "systolic/graph/test_fixture.h"

namespace systolic::internal::graph {
namespace {

using ContextPlatformTest = GraphTest;
using Floats = std::vector<float>;

TEST_F(ContextPlatformTest, OutsideEverything) {
  EXPECT_FALSE(context().in_step);
  EXPECT_EQ(context().region, 0u);
  EXPECT_EQ(context().outer, nullptr);
  EXPECT_EQ(context().placement, nullptr);
}

TEST_F(ContextPlatformTest, InnermostCounts) {
  Context outer, inner;
  outer.step_name = "outer";
  inner.step_name = "inner";
  const ContextGuard a(outer);
  {
    const ContextGuard b(inner);
    EXPECT_EQ(context().step_name, "inner");
    EXPECT_EQ(context().outer, &outer);
    std::thread([] { EXPECT_TRUE(context().step_name.empty()); }).join();
  }
  EXPECT_EQ(context().step_name, "outer");
}

TEST_F(ContextPlatformTest, OutsideStepsIsLikeBeforeThem) {
  Step step(eight(), "train_step");
  EXPECT_TRUE(context().in_step);
  EXPECT_EQ((vector({1}) + 1).ref().node->placement, eight());
  {
    const OutsideSteps outside;
    EXPECT_FALSE(context().in_step);
    const Tensor x = vector({1}) + 1;
    EXPECT_EQ(x.ref().node->placement, one());
    EXPECT_EQ(x.item<float>(), 2.f) << "may be read";
  }
  EXPECT_TRUE(context().in_step);
}

TEST_F(ContextPlatformTest, RegionsHaveNumbersOfTheirOwn) {
  const uint64_t first = next_region();
  EXPECT_NE(first, 0u);
  EXPECT_NE(next_region(), first);
}

TEST_F(ContextPlatformTest, AssignmentIsSeenWithinTheStep) {
  Variable v(vector({1}));
  {
    Step step(one(), "train_step");
    v.assign_add(1.f);
    v.assign_add(v);
    step.commit({});
  }
  EXPECT_EQ(floats(v), (Floats{4}));
}

TEST_F(ContextPlatformTest, NestedStepsSaveEachForItself) {
  Variable v(vector({1})), w(vector({1}));
  {
    Step outer(one(), "outer");
    v.assign_add(1.f);
    {
      const Step inner(one(), "inner");
      v.assign_add(100.f);
      w.assign_add(100.f);
    }
    v.assign_add(1.f);
    w.assign_add(1.f);
    outer.commit({});
  }
  EXPECT_EQ(floats(v), (Floats{3}));
  EXPECT_EQ(floats(w), (Floats{2}));
  {
    const Step outer(one(), "outer");
    v.assign_add(1.f);
    {
      Step inner(one(), "inner");
      w.assign_add(v);
      inner.commit({});
    }
  }
  EXPECT_EQ(floats(v), (Floats{3}));
  EXPECT_EQ(floats(w), (Floats{6})) << "the inner one was committed";
}

TEST_F(ContextPlatformTest, VariableIsOneParameterOfALoop) {
  Variable v(vector({1}));
  Context region;
  region.region = next_region();
  region.in_step = true;
  const ContextGuard guard(region);
  const Tensor first = v;
  EXPECT_EQ(v.value().ref(), first.ref());
  EXPECT_EQ(first.ref().node->kind, NodeKind::parameter);
  ASSERT_EQ(region.variables.size(), 1u);
  EXPECT_FALSE(region.variables[0].assigned);
  v.assign_add(1.f);
  ASSERT_EQ(region.variables.size(), 1u);
  EXPECT_TRUE(region.variables[0].assigned);
  EXPECT_NE(v.value().ref(), first.ref());
  EXPECT_EQ(v.state()->current.ref().node->kind, NodeKind::data)
      << "outside the loop nothing has changed";
}

TEST_F(ContextPlatformTest, LiteralStateBecomesData) {
  Variable v(Arg(1.f));
  EXPECT_EQ(v.state()->current.ref().node->kind, NodeKind::data);
  v.assign(2.f);
  EXPECT_EQ(v.state()->current.ref().node->kind, NodeKind::data);
  Step step(one(), "train_step");
  v.assign(3.f);
  step.commit({});
  EXPECT_EQ(v.state()->current.ref().node->kind, NodeKind::data);
  EXPECT_EQ(storage_of(v.state()->current.ref())->host().item<float>(), 3.f);
}

}  // namespace
}  // namespace systolic::internal::graph
