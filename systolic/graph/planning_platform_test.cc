// Programs that are looked at in place of being run. No libtpu is needed.
#include <thread>

#include "systolic/graph/planning.h"
#include "systolic/graph/tape.h"
#include "systolic/graph/test_fixture.h"

namespace systolic::internal::graph {
namespace {

class PlanningTest : public GraphTest {
 protected:
  // A training step on `placement`: w -= 0.1 * d(sum(x * w)) / dw.
  static void train(Variable& w, const Placement* placement) {
    Step step(placement, "train_step");
    const Tensor x = planned_input(*placement, {DType::float32, Shape{2}});
    {
      const NameScope scope("dense", SourceLocation::current());
      GradientTape tape;
      const Tensor loss = sum(x * w.value());
      const Tensor gradient = tape.gradient(loss, w);
      const NameScope optimizer("sgd", SourceLocation());
      w.assign_sub(gradient * 0.1f);
    }
    step.commit({});
  }

  std::vector<std::string> seen_;
  Planning::Look look_ = [this](const Program& program) {
    seen_.push_back(program.emit_with_places());
  };
  const platforms::TpuSlice slice_ = platforms::parse_tpu_topology("v3-8");
};

TEST_F(PlanningTest, AThreadWithoutItRunsForReal) {
  Planning planning(slice_, look_);
  std::thread([] {
    const WithoutPlanning for_real;
    EXPECT_EQ(Planning::current(), nullptr);
  }).join();
  EXPECT_EQ(Planning::current(), &planning);
}

TEST_F(PlanningTest, TrainingStepIsSeenAndNothingRuns) {
  const uint64_t launches_before = launches();
  const int64_t buffers_before = buffers();
  Planning planning(slice_, look_);
  EXPECT_EQ(Planning::current(), &planning);
  // A terabyte: nobody allocates it.
  Variable w([] { return zeros({1 << 20, 1 << 18}); }, {.name = "w"});
  Variable v([] { return zeros({2}); }, {.name = "v"});
  train(v, one());
  EXPECT_EQ(seen_.size(), 1u);
  EXPECT_EQ(launches(), launches_before);
  EXPECT_EQ(compiles(), 0u);
  EXPECT_EQ(buffers(), buffers_before);
  EXPECT_EQ(w.shape(), (Shape{1 << 20, 1 << 18}));
}

TEST_F(PlanningTest, ProgramThatOnlyReadsOrWritesIsNotSeen) {
  Planning planning(slice_, look_);
  Variable w([] { return zeros({2}); }, {.name = "w"});
  Variable count([] { return zeros({2}); }, {.trainable = false});
  {
    Step reads(one(), "test_step");
    count.assign_add(w.value());
    reads.commit({});
  }
  {
    Step writes(one(), "reset");
    w.assign(ones({2}));
    writes.commit({});
  }
  EXPECT_TRUE(seen_.empty());
}

TEST_F(PlanningTest, PlacesNameScopesGradientsLinesAndTurns) {
  Planning planning(slice_, look_);
  Variable w([] { return zeros({2}); }, {.name = "w"});
  const uint32_t line = __LINE__ + 3;
  {
    Step step(one(), "train_step");
    const NameScope scope("rnn", SourceLocation::current());
    const ScanValues end = scan(
        [&](const std::vector<Tensor>& carry, const std::vector<Tensor>&) {
          return ScanValues{{carry[0] * w.value()}, {}};
        },
        {w.value()}, {}, {.length = 50});
    w.assign(end.carry[0]);
    step.commit({});
  }
  train(w, one());
  ASSERT_EQ(seen_.size(), 2u);
  const std::string file = "planning_platform_test.cc";
  const std::string at = "(\"" + file + "\":";
  EXPECT_NE(seen_[0].find("loc(\"rnn/scan[trips=50]\"" + at), std::string::npos)
      << seen_[0];
  EXPECT_NE(seen_[0].find("loc(\"rnn/multiply\"" + at), std::string::npos)
      << seen_[0];
  EXPECT_NE(seen_[0].find(at + std::to_string(line + 3)), std::string::npos)
      << line << seen_[0];
  EXPECT_NE(seen_[1].find("loc(\"dense (gradient)/multiply\""),
            std::string::npos)
      << seen_[1];
  EXPECT_NE(seen_[1].find("loc(\"sgd/subtract\""), std::string::npos)
      << seen_[1];
}

TEST_F(PlanningTest, TextWithoutPlacesIsAsEver) {
  const Tensor x = vector({1, 2}) * 2.0f;
  const Root root{x.ref(), {}};
  const Program program(std::span(&root, 1), one());
  EXPECT_EQ(program.emit({}).find("loc("), std::string::npos);
  EXPECT_NE(program.emit_with_places().find("loc(\"multiply\""),
            std::string::npos);
}

TEST_F(PlanningTest, ReadIsRefusedAtItsLine) {
  Planning planning(slice_, look_);
  Variable w([] { return zeros({2}); }, {.name = "w"});
  const Tensor twice = w.value() * 2.0f;
  for (const auto& read : std::vector<std::function<void()>>{
           [&] { (void)w.numpy(); }, [&] { (void)twice.numpy(); },
           [&] { (void)w.replica_values(); }}) {
    const std::string text = message_of<ValueError>(read);
    EXPECT_TRUE(text.starts_with(
        "plan: a value was read that is never computed while a plan is made"))
        << text;
    EXPECT_NE(text.find("\n  at: planning_platform_test.cc:"),
              std::string::npos)
        << text;
  }
}

TEST_F(PlanningTest, ReadAfterAnUpdateOutsideOfStepsShowsTheUpdate) {
  Planning planning(slice_, look_);
  Variable w([] { return zeros({2}); }, {.name = "w"});
  GradientTape tape;
  const Tensor loss = sum(w.value() * w.value());
  w.assign_sub(tape.gradient(loss, w) * 0.1f);
  EXPECT_TRUE(seen_.empty());
  EXPECT_THROW(loss.item<float>(), ValueError);
  EXPECT_EQ(seen_.size(), 1u);
}

TEST_F(PlanningTest, VariablesAreAsBeforeAfterwards) {
  Variable w(vector({1, 2}), {.name = "w"});
  Variable made;
  {
    Planning planning(slice_, look_);
    planning.move(one(), eight());
    made = Variable([] { return full({2}, 5.0f); }, {.name = "slot"});
    train(w, eight());
    EXPECT_EQ(planning.owner(w.value().ref()), w.state());
    EXPECT_THROW(w.numpy(), ValueError);
  }
  EXPECT_EQ(Planning::current(), nullptr);
  EXPECT_EQ(seen_.size(), 1u);
  EXPECT_NE(seen_[0].find("mhlo.num_replicas = 8"), std::string::npos);
  EXPECT_EQ(floats(w), (std::vector<float>{1, 2}));
  EXPECT_EQ(floats(made), (std::vector<float>{5, 5}));
  EXPECT_EQ(w.state()->placement, one());
}

TEST_F(PlanningTest, FailureLeavesVariablesAsBefore) {
  Variable w(vector({1, 2}), {.name = "w"});
  const auto fail = [](const Program&) { throw ValueError("refused"); };
  {
    Planning planning(slice_, fail);
    planning.move(one(), one());
    EXPECT_EQ(message_of<ValueError>([&] { train(w, one()); }), "refused");
  }
  EXPECT_EQ(floats(w), (std::vector<float>{1, 2}));
}

TEST_F(PlanningTest, ScalarsThatAreNotTrainedKeepTheirValues) {
  Planning planning(slice_, look_);
  Variable rate(0.5f, {.trainable = false, .name = "learning_rate"});
  EXPECT_EQ(rate.item<float>(), 0.5f);
}

TEST_F(PlanningTest, BatchSizeStandsForThatOfTheData) {
  Planning planning(slice_, look_);
  EXPECT_EQ(planning.batch_rows(32), 32);
  planning.set_batch_size(1024);
  EXPECT_EQ(planning.batch_rows(32), 1024);
}

}  // namespace
}  // namespace systolic::internal::graph
