#include <gmock/gmock.h>

#include <sstream>

#include "systolic/graph/context.h"
#include "systolic/graph/test_fixture.h"
#include "systolic/graph/variable.h"

namespace systolic::internal::graph {
namespace {

using ::testing::HasSubstr;
using Floats = std::vector<float>;

class VariablePlatformTest : public GraphTest {
 protected:
  static Variable replicated(const Arg& initial, VariableOptions options) {
    const VariablePlacementGuard guard(eight());
    return Variable(initial, std::move(options));
  }
  static void run(const auto& body) {
    Step step(eight(), "strategy.run");
    body();
    step.commit({});
  }
  static Tensor replica() {
    return cast(replica_id_in_sync_group(), DType::float32);
  }
};

TEST_F(VariablePlatformTest, HasAnInitialValueAndTakesOthers) {
  Variable v(vector({1, 2}), {.name = "v"});
  EXPECT_EQ(v.name(), "v");
  EXPECT_EQ(v.path(), "v");
  EXPECT_TRUE(v.trainable());
  EXPECT_EQ(v.shape(), (Shape{2}));
  EXPECT_EQ(v.dtype(), DType::float32);
  EXPECT_EQ(floats(v), (Floats{1, 2}));
  v.assign(vector({3, 4}));
  v.assign_add(1.f);
  v.assign_sub(vector({1, 2}));
  EXPECT_EQ(floats(v), (Floats{3, 3}));
  EXPECT_EQ((v + v * 2)[1].item<float>(), 9.f);
}

TEST_F(VariablePlatformTest, CopiesShareTheState) {
  Variable v(vector({1}));
  Variable w = v;
  w.assign(vector({5}));
  EXPECT_EQ(v.item<float>(), 5.f);
  EXPECT_EQ(v, w);
  EXPECT_NE(v, Variable(vector({5})));
}

TEST_F(VariablePlatformTest, StartsFromEverythingAnOpTakes) {
  EXPECT_EQ(Variable(Arg(2)).spec(),
            (TensorSpec{DType::int32, Shape::scalar()}));
  EXPECT_EQ(Variable(Arg(2.5)).item<float>(), 2.5f);
  EXPECT_TRUE(Variable(Arg(true)).item<bool>());
  EXPECT_EQ(floats(Variable(Arg(Array::from({1.f, 2.f})))), (Floats{1, 2}));
  EXPECT_EQ(floats(Variable(vector({1}) + 1)), (Floats{2}));
  const Variable v(vector({7}));
  EXPECT_EQ(floats(Variable(v, {.name = "copy"})), (Floats{7}));
  EXPECT_EQ(floats(Variable([] { return zeros({2}) + 3; })), (Floats{3, 3}));
}

TEST_F(VariablePlatformTest, ReadingDoesNotFollowLaterAssignments) {
  Variable v(vector({1}));
  const Tensor before = v;
  v.assign_add(1);
  EXPECT_EQ(before.item<float>(), 1.f);
  EXPECT_EQ(v.item<float>(), 2.f);
}

TEST_F(VariablePlatformTest, DtypesAreConverted) {
  Variable v(constant(Array::from({1, 2})));
  v.assign(constant(Array::from({3.9f, -4.9f})));
  EXPECT_EQ(v.dtype(), DType::int32);
  EXPECT_EQ(v.numpy().span<int>()[0], 3);
  EXPECT_EQ(v.numpy().span<int>()[1], -4);
  v.assign_add(1.5f);
  EXPECT_EQ(v.numpy().span<int>()[0], 4);
  Variable half(constant(cast(Array::from({1.f}), DType::bfloat16)));
  half.assign(vector({2.5f}));
  half.assign_add(1.f);
  EXPECT_EQ(half.dtype(), DType::bfloat16);
  EXPECT_EQ(half.item<float>(), 3.5f);
}

// A real scalar for an integer variable, and the other way round.
TEST_F(VariablePlatformTest, ScalarsTakeTheDtypeOfTheVariable) {
  Variable count(Arg(1)), flag(Arg(false)), real(Arg(1.f));
  count.assign(7.9);
  EXPECT_EQ(count.item<int>(), 7);
  count.assign_add(1);
  EXPECT_EQ(count.item<int>(), 8);
  flag.assign(3);
  EXPECT_TRUE(flag.item<bool>());
  EXPECT_EQ(cast(flag, DType::int32).item<int>(), 1);
  flag.assign(0.0);
  EXPECT_FALSE(flag.item<bool>());
  real.assign(3);
  EXPECT_EQ(real.item<float>(), 3.f);
  real.assign(true);
  EXPECT_EQ(real.item<float>(), 1.f);
}

TEST_F(VariablePlatformTest, WrongShapeIsRefusedWhereItIsWritten) {
  Variable v(vector({1, 2}), {.name = "kernel"});
  v.set_path("dense/kernel");
  uint32_t line = 0;
  const std::string what = message_of<ShapeError>([&] {
    line = std::source_location::current().line() + 1;
    v.assign(vector({1, 2, 3}));
  });
  EXPECT_EQ(what,
            "Variable \"dense/kernel\": expected a value of shape (2,), got "
            "(3,)\n"
            "  variable: float32[2]\n"
            "  value: float32[3]\n"
            "  at: variable_platform_test.cc:" +
                std::to_string(line));
  EXPECT_THROW(v.assign(1.f), ShapeError);
  const std::string sum = message_of<ShapeError>([&] {
    line = std::source_location::current().line() + 1;
    v.assign_add(vector({1, 2, 3}));
  });
  EXPECT_THAT(sum, HasSubstr("add: expected shapes that broadcast together"));
  EXPECT_THAT(
      sum, HasSubstr("at: variable_platform_test.cc:" + std::to_string(line)));
  EXPECT_EQ(floats(v), (Floats{1, 2}));
}

TEST_F(VariablePlatformTest, UndefinedOnesAreRefused) {
  const Variable none;
  EXPECT_FALSE(none.is_defined());
  EXPECT_EQ(message_of<ValueError>([&] { none.shape(); }),
            "Variable: expected a Variable that holds state, got an undefined "
            "one (Variable())\n"
            "  hint: build the layer first, or give it an input shape");
  EXPECT_THROW(none.numpy(), ValueError);
  EXPECT_THROW(none.value(), ValueError);
  EXPECT_THROW(none.name(), ValueError);
  EXPECT_THROW(none.replica_values(), ValueError);
}

TEST_F(VariablePlatformTest, Printing) {
  const Variable v(vector({1, 2}), {.name = "w"});
  std::ostringstream out;
  out << v;
  EXPECT_EQ(out.str(),
            "<Variable path=w, shape=(2,), dtype=float32, value=[1. 2.]>");
}

TEST_F(VariablePlatformTest, ManyAreInitialisedTogether) {
  std::vector<Variable> all;
  for (int i = 0; i < 10; ++i) {
    all.emplace_back([&] {
      return random::uniform({3}, 0, 1, {.seed = i}) + static_cast<float>(i);
    });
  }

  const uint64_t before = launches(), programs = compiles();
  {
    Step step(one(), "train_step");
    for (Variable& v : all) v.assign_add(1.f);
    step.commit({});
  }
  EXPECT_EQ(launches() - before, 2u) << "one for all first values, one step";
  EXPECT_EQ(compiles() - programs, 2u);
}

// Replicas.

TEST_F(VariablePlatformTest, MirroredReplicasAreIdenticalBits) {
  Variable w = replicated(vector({1, 2, 3}), {.name = "w"});
  EXPECT_EQ(w.replica_values().size(), 8u) << "before any step too";
  for (int i = 0; i < 5; ++i) {
    run([&] {
      const Tensor local = exp(w * 0.1f) * (replica() + 0.123f);
      w.assign_sub(all_reduce(ReduceOp::sum, local) * 0.01f);
    });
  }
  const std::vector<Array> values = w.replica_values();
  ASSERT_EQ(values.size(), 8u);
  for (const Array& value : values) {
    EXPECT_TRUE(array_equal(value, values[0]));
  }
  EXPECT_TRUE(array_equal(w.numpy(), values[0]));
  EXPECT_NE(floats(w), (Floats{1, 2, 3}));
}

TEST_F(VariablePlatformTest, SumOfPartsIsReadOutsideSteps) {
  Variable total =
      replicated(Arg(0.f), {.trainable = false,
                            .name = "total",
                            .synchronization = VariableSynchronization::on_read,
                            .aggregation = VariableAggregation::sum});
  for (int i = 0; i < 3; ++i) {
    run([&] { total.assign_add(replica() + 1.f); });
  }
  EXPECT_EQ(total.item<float>(), 3 * 36);
  EXPECT_EQ((total + 1.f).item<float>(), 109.f);
  const std::vector<Array> parts = total.replica_values();
  ASSERT_EQ(parts.size(), 8u);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(parts[i].item<float>(), 3.f * static_cast<float>(i + 1));
  }
}

TEST_F(VariablePlatformTest, PartsOfAFirstValueAddUpToIt) {
  for (const auto how : {VariableAggregation::sum, VariableAggregation::mean}) {
    Variable total = replicated(
        vector({5, 7}), {.trainable = false,
                         .synchronization = VariableSynchronization::on_read,
                         .aggregation = how});
    EXPECT_EQ(floats(total), (Floats{5, 7}));
    const auto parts = total.replica_values();
    ASSERT_EQ(parts.size(), 8u);
    EXPECT_EQ(floats(parts[0])[0], 5.f);
    EXPECT_EQ(floats(parts[7])[0], how == VariableAggregation::sum ? 0.f : 5.f);
    EXPECT_THROW(run([&] { total.replica_values(); }), ValueError);
    EXPECT_THROW(run([&] {
                   total.assign_add(100.f);
                   throw std::runtime_error("the user's own");
                 }),
                 std::runtime_error);
    EXPECT_EQ(floats(total), (Floats{5, 7}));
    run([&] { total.assign_add(1.f); });
    const float added = how == VariableAggregation::sum ? 8.f : 1.f;
    EXPECT_EQ(floats(total), (Floats{5 + added, 7 + added}));
  }
}

TEST_F(VariablePlatformTest, AssignedSumIsSplitSoThatItAddsUp) {
  Variable total = replicated(
      vector({0, 0}), {.trainable = false,
                       .synchronization = VariableSynchronization::on_read,
                       .aggregation = VariableAggregation::sum});
  run([&] { total.assign_add(1.f); });
  total.assign(vector({10, 20}));
  EXPECT_EQ(floats(total), (Floats{10, 20}));
  run([&] { total.assign_add(1.f); });
  EXPECT_EQ(floats(total), (Floats{18, 28}));
  total.assign(vector({0, 0}));
  run([&] { total.assign_add(1.f); });
  EXPECT_EQ(floats(total), (Floats{8, 8}));
}

TEST_F(VariablePlatformTest, MeanOfPartsIsReadOutsideSteps) {
  Variable average = replicated(
      vector({0}), {.trainable = false,
                    .synchronization = VariableSynchronization::on_read,
                    .aggregation = VariableAggregation::mean});
  run([&] { average.assign_add(reshape(replica(), {1})); });
  EXPECT_EQ(average.item<float>(), 3.5f);
  average.assign(vector({2}));
  EXPECT_EQ(average.item<float>(), 2.f);
  run([&] { average.assign_add(1.f); });
  EXPECT_EQ(average.item<float>(), 3.f);
}

TEST_F(VariablePlatformTest, FirstReplicaOnly) {
  Variable first = replicated(
      Arg(0.f), {.trainable = false,
                 .synchronization = VariableSynchronization::on_read,
                 .aggregation = VariableAggregation::only_first_replica});
  run([&] { first.assign_add(replica() + 5.f); });
  EXPECT_EQ(first.item<float>(), 5.f);
}

TEST_F(VariablePlatformTest, PartsInALoopOnTheDevice) {
  Variable total =
      replicated(Arg(0.f), {.trainable = false,
                            .synchronization = VariableSynchronization::on_read,
                            .aggregation = VariableAggregation::sum});
  run([&] {
    for_loop(4, [&](const Tensor&) { total.assign_add(replica()); });
  });
  EXPECT_EQ(total.item<float>(), 4 * 28);
}

}  // namespace
}  // namespace systolic::internal::graph
