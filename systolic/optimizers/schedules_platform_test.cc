#include <gtest/gtest.h>

#include <cmath>

#include "systolic/graph/context.h"
#include "systolic/graph/placement.h"
#include "systolic/graph/step.h"
#include "systolic/ops/ops.h"
#include "systolic/optimizers/optimizers.h"
#include "systolic/runtime/client.h"
#include "systolic/runtime/counters.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/golden.h"

namespace systolic::optimizers {
namespace {

using internal::text_of;
namespace graph = internal::graph;

std::vector<double> numbers(const golden::Value& list) {
  std::vector<double> all;
  for (const golden::Value& value : list.list()) all.push_back(value.number());
  return all;
}

schedules::LearningRateSchedule make(const golden::Value& options) {
  using namespace schedules;
  const std::string& name = options["class_name"].text();
  const golden::Value::List& a = options["arguments"].list();
  const golden::Value& o = options["config"];
  if (name == "PiecewiseConstantDecay") {
    return PiecewiseConstantDecay(a[0].integers(), numbers(a[1]));
  }
  const double first = a[0].number(), steps = a[1].number();
  const DecayOptions decay{.staircase = o.get("staircase", false)};
  if (name == "ExponentialDecay") {
    return ExponentialDecay(first, steps, a[2].number(), decay);
  }
  if (name == "InverseTimeDecay") {
    return InverseTimeDecay(first, steps, a[2].number(), decay);
  }
  if (name == "PolynomialDecay") {
    return PolynomialDecay(
        first, steps,
        {.end_learning_rate = o.get("end_learning_rate", 0.0001),
         .power = o.get("power", 1.0),
         .cycle = o.get("cycle", false)});
  }
  if (name == "CosineDecay") {
    CosineDecayOptions cosine{.alpha = o.get("alpha", 0.0),
                              .warmup_steps = o.get("warmup_steps", 0.0)};
    if (o.has("warmup_target")) {
      cosine.warmup_target = o["warmup_target"].number();
    }
    return CosineDecay(first, steps, cosine);
  }
  EXPECT_EQ(name, "CosineDecayRestarts");
  return CosineDecayRestarts(first, steps,
                             {.t_mul = o.get("t_mul", 2.0),
                              .m_mul = o.get("m_mul", 1.0),
                              .alpha = o.get("alpha", 0.0)});
}

TEST(ScheduleGolden, RatesAreKeras) {
  for (const golden::Case& c : golden::load("schedules")) {
    SCOPED_TRACE(c.name());
    const Tensor rates = make(c.options())(constant(c.array("steps")));
    EXPECT_EQ(golden::difference(rates.numpy(), c.array("rates"), {2e-5, 1e-7}),
              "");
  }
}

// C059: the rate at step k is schedule(k), on 1 and 8 replicas, and no step
// compiles anew.
TEST(Schedule, EachStepHasItsRate) {
  const schedules::ExponentialDecay rate(1.0, 2, 0.5);
  for (const int replicas : {1, 8}) {
    std::vector<internal::runtime::Device> devices =
        internal::runtime::Client::open({.device_count = 8}).devices();
    devices.resize(static_cast<size_t>(replicas), devices[0]);
    const graph::Placement* place = graph::Placement::replicas(devices);
    const graph::VariablePlacementGuard guard(place);
    const SGD optimizer({.learning_rate = rate});
    const Variable w(Arg(Array::from({0.f})), {.name = "w"});
    double expected = 0;
    uint64_t compiles = 0;
    for (int k = 0; k < 6; ++k) {
      if (k == 2) compiles = internal::runtime::counters().compiles;
      {
        graph::Step step(place, "test");
        optimizer.apply({ones({1}) / replicas}, {w});
        step.commit({});
      }
      expected -= std::pow(0.5, k / 2.0);
      EXPECT_NEAR(w.numpy().span<float>()[0], expected, 1e-5);
    }
    EXPECT_EQ(internal::runtime::counters().compiles, compiles);
    EXPECT_NEAR(optimizer.learning_rate().item<float>(), 0.125, 1e-6);
  }
}

// C058: a state taken over goes on where it was.
TEST(Schedule, ResumedRatesAreTheUninterruptedOnes) {
  const schedules::CosineDecay rate(0.0, 6,
                                    {.warmup_target = 1.0, .warmup_steps = 3});
  const Variable w(Arg(Array::from({0.f})), {.name = "w"});
  const Variable v(Arg(Array::from({0.f})), {.name = "w"});
  const SGD whole({.learning_rate = rate}), first({.learning_rate = rate});
  for (int k = 0; k < 8; ++k) whole.apply({ones({1})}, {w});
  for (int k = 0; k < 4; ++k) first.apply({ones({1})}, {v});
  const SGD second({.learning_rate = rate});
  second.iterations().assign(first.iterations().numpy());
  for (int k = 4; k < 8; ++k) second.apply({ones({1})}, {v});
  EXPECT_EQ(w.numpy().span<float>()[0], v.numpy().span<float>()[0]);
}

TEST(Schedule, OfOnesOwn) {
  const SGD optimizer(
      {.learning_rate = schedules::LearningRateSchedule(
           [](const Tensor& step) { return cast(step + 1, DType::float32); })});
  const Variable w(Arg(Array::from({0.f})), {.name = "w"});
  optimizer.apply({ones({1})}, {w});
  optimizer.apply({ones({1})}, {w});
  EXPECT_EQ(w.numpy().span<float>()[0], -3.f);
  EXPECT_EQ(optimizer.variables().size(), 1u);  // iterations
  EXPECT_FLOAT_EQ(
      Adam(schedules::CosineDecay(0.5, 10)).learning_rate().item<float>(),
      0.5f);
}

TEST(Schedule, MistakesAreNamed) {
  using namespace schedules;
  EXPECT_EQ(text_of<ValueError>([] { ExponentialDecay(1, 0, 1); }),
            "ExponentialDecay: expected decay_steps > 0, got 0");
  EXPECT_EQ(text_of<ValueError>([] { PiecewiseConstantDecay({1}, {1.0}); }),
            "PiecewiseConstantDecay: expected one value more than boundaries, "
            "got 1 values and 1 boundaries");
  EXPECT_EQ(text_of<ValueError>([] {
              PiecewiseConstantDecay({3, 2}, {1.0, 2.0, 3.0});
            }),
            "PiecewiseConstantDecay: expected boundaries that rise, got 2 "
            "after 3");
  const SGD optimizer({.learning_rate = CosineDecay(1, 2), .name = "sgd"});
  EXPECT_EQ(text_of<TypeError>([&] { optimizer.set_learning_rate(1); }),
            "SGD \"sgd\": its learning rate is a schedule and can not be set\n"
            "  hint: make the optimizer with a number as learning_rate");
}

}  // namespace
}  // namespace systolic::optimizers
