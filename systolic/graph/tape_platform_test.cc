#include <gmock/gmock.h>

#include "systolic/graph/tape.h"
#include "systolic/graph/tape_state.h"
#include "systolic/graph/test_fixture.h"

namespace systolic::internal::graph {
namespace {

using ::testing::HasSubstr;
using TapePlatformTest = GraphTest;

using Floats = std::vector<float>;

TEST_F(TapePlatformTest, TrainableVariablesAreWatched) {
  Variable w(vector({1, 2, 3}), {.name = "w"});
  GradientTape tape;
  const Tensor loss = sum(square(w));
  EXPECT_EQ(floats(tape.gradient(loss, {w})[0]), (Floats{2, 4, 6}));
}

TEST_F(TapePlatformTest, OtherVariablesAndTensorsAreNot) {
  Variable w(vector({1, 2, 3}), {.trainable = false, .name = "w"});
  const Tensor x = vector({1, 2, 3});
  GradientTape tape({.persistent = true});
  const Tensor loss = sum(w * x);
  EXPECT_THROW(tape.gradient(loss, {w}), ValueError);
  EXPECT_THROW(tape.gradient(loss, {x}), ValueError);
}

TEST_F(TapePlatformTest, WatchMakesItFollowBoth) {
  Variable w(vector({1, 2, 3}), {.trainable = false, .name = "w"});
  const Tensor x = vector({4, 5, 6});
  GradientTape tape;
  tape.watch(w);
  tape.watch(x);
  const Tensor loss = sum(w * x);
  const auto gradients = tape.gradient(loss, {w, x});
  EXPECT_EQ(floats(gradients[0]), (Floats{4, 5, 6}));
  EXPECT_EQ(floats(gradients[1]), (Floats{1, 2, 3}));
}

TEST_F(TapePlatformTest, WatchedVariableIsFollowedAfterAssignments) {
  Variable w(vector({1, 2}), {.trainable = false, .name = "w"});
  GradientTape tape;
  tape.watch(w);
  w.assign(vector({3, 4}));
  EXPECT_EQ(floats(tape.gradient(sum(square(w)), {w})[0]), (Floats{6, 8}));
}

TEST_F(TapePlatformTest, VariablesCanBeLeftOut) {
  Variable w(vector({1, 2}), {.name = "w"});
  const Tensor x = vector({3, 4});
  GradientTape tape({.persistent = true, .watch_accessed_variables = false});
  tape.watch(x);
  const Tensor loss = sum(w * x);
  EXPECT_EQ(floats(tape.gradient(loss, {x})[0]), (Floats{1, 2}));
  EXPECT_FALSE(tape.gradient(loss, {x, w})[1].is_defined());
}

TEST_F(TapePlatformTest, UnusedSourcesGiveUndefinedTensors) {
  Variable used(vector({1, 2})), unused(vector({3, 4}));
  GradientTape tape;
  const Tensor loss = sum(square(used));
  const auto gradients = tape.gradient(loss, {unused, used});
  ASSERT_EQ(gradients.size(), 2u);
  EXPECT_FALSE(gradients[0].is_defined());
  EXPECT_EQ(floats(gradients[1]), (Floats{2, 4}));
}

TEST_F(TapePlatformTest, NoSourcesGiveNoGradients) {
  GradientTape tape;
  const Tensor loss = sum(vector({1}));
  EXPECT_TRUE(tape.gradient(loss, std::vector<Variable>()).empty());
}

std::string at_line(uint32_t line) {
  return "\n  at: tape_platform_test.cc:" + std::to_string(line);
}

TEST_F(TapePlatformTest, ErrorWhenAllAreUnused) {
  Variable w(vector({1, 2}), {.name = "w"}), v(vector({3}), {.name = "v"});
  GradientTape tape({.persistent = true});
  const Tensor loss = sum(square(w));
  uint32_t line = 0;
  const std::string what = message_of<ValueError>([&] {
    line = std::source_location::current().line() + 1;
    tape.gradient(loss, {v});
  });
  EXPECT_EQ(what,
            "GradientTape.gradient: the target does not depend on any of the "
            "sources\n"
            "  target: float32[]\n"
            "  source: v float32[1]\n"
            "  hint: is the target computed from these sources, without a "
            "read to the host or a stop_gradient in between?" +
                at_line(line));
}

TEST_F(TapePlatformTest, ErrorWhenNothingWasRecorded) {
  Variable w(vector({1, 2}), {.name = "w"});
  const Tensor loss = sum(square(w));
  GradientTape tape;
  uint32_t line = 0;
  const std::string what = message_of<ValueError>([&] {
    line = std::source_location::current().line() + 1;
    tape.gradient(loss, {w});
  });
  EXPECT_EQ(what,
            "GradientTape.gradient: nothing that depends on the sources was "
            "computed while the tape was recording\n"
            "  target: float32[]\n"
            "  source: w float32[2]\n"
            "  hint: compute the target after the tape was made; call watch() "
            "for a Tensor that is not a trainable Variable" +
                at_line(line));
}

TEST_F(TapePlatformTest, ErrorWhenTheGradientIsStoppedEverywhere) {
  Variable w(vector({1, 2}), {.name = "w"});
  GradientTape tape;
  const Tensor loss = sum(stop_gradient(square(w)) * 2.f);
  EXPECT_THAT(message_of<ValueError>([&] { tape.gradient(loss, {w}); }),
              HasSubstr("does not depend on any of the sources"));
}

TEST_F(TapePlatformTest, ErrorWhenUsedTwice) {
  Variable w(vector({1, 2}), {.name = "w"});
  GradientTape tape;
  const Tensor loss = sum(square(w));
  tape.gradient(loss, {w});
  uint32_t line = 0;
  const std::string what = message_of<ValueError>([&] {
    line = std::source_location::current().line() + 1;
    tape.gradient(loss, {w});
  });
  EXPECT_EQ(what,
            "GradientTape.gradient: the tape has been used up by its first "
            "gradient()\n"
            "  hint: make it persistent: GradientTape tape({.persistent = "
            "true})" +
                at_line(line));
}

TEST_F(TapePlatformTest, TargetMustBeReal) {
  Variable w(constant(Array::from({1, 2})), {.name = "w"});
  GradientTape tape;
  const Tensor total = sum(w * 2);
  uint32_t line = 0;
  const std::string what = message_of<TypeError>([&] {
    line = std::source_location::current().line() + 1;
    tape.gradient(total, {w});
  });
  EXPECT_EQ(
      what,
      "GradientTape.gradient: expected a floating-point or complex target, "
      "got "
      "int32[]" +
          at_line(line));
}

TEST_F(TapePlatformTest, OpWithoutAGradientIsNamedWithItsLine) {
  Variable w(vector({1, 2}), {.name = "w"});
  GradientTape tape;
  const uint32_t line = std::source_location::current().line() + 1;
  const Tensor loss = sum(floor_divide(w, 2.f));
  const std::string what =
      message_of<ValueError>([&] { tape.gradient(loss, {w}); });
  EXPECT_EQ(what,
            "floor_divide: it has no gradient: it is constant almost "
            "everywhere\n"
            "  hint: wrap what should be constant in stop_gradient" +
                at_line(line));
}

TEST_F(TapePlatformTest, PersistentTapeGivesSeveralGradients) {
  Variable w(vector({1, 2}), {.name = "w"});
  GradientTape tape({.persistent = true});
  const Tensor y = square(w);
  const Tensor z = sum(y * y);
  EXPECT_EQ(floats(tape.gradient(z, {w})[0]), (Floats{4, 32}));
  EXPECT_EQ(floats(tape.gradient(y, {w})[0]), (Floats{2, 4}));
  EXPECT_EQ(floats(tape.gradient(z, {y})[0]), (Floats{2, 8}));
  EXPECT_EQ(floats(tape.gradient(z, {w})[0]), (Floats{4, 32}));
}

TEST_F(TapePlatformTest, NestedTapesGiveSecondDerivatives) {
  const Tensor x = vector({1, 2, 3});
  GradientTape outer;
  outer.watch(x);
  Tensor first;
  {
    GradientTape inner;
    inner.watch(x);
    const Tensor y = sum(x * x * x);
    first = inner.gradient(y, {x})[0];
  }
  EXPECT_EQ(floats(first), (Floats{3, 12, 27}));
  EXPECT_EQ(floats(outer.gradient(first, {x})[0]), (Floats{6, 12, 18}));
}

TEST_F(TapePlatformTest, PersistentTapeDifferentiatesItsOwnGradients) {
  Variable x(vector({1, 2, 3}));
  GradientTape tape({.persistent = true});
  const Tensor y = sum(exp(x * 2.f));
  const Tensor first = tape.gradient(y, {x})[0];
  const Tensor second = tape.gradient(first, {x})[0];
  const Tensor third = tape.gradient(second, {x})[0];
  for (int i = 0; i < 3; ++i) {
    const float value = std::exp(2 * static_cast<float>(i + 1));
    EXPECT_NEAR(floats(first)[i] / value, 2, 1e-5);
    EXPECT_NEAR(floats(second)[i] / value, 4, 1e-5);
    EXPECT_NEAR(floats(third)[i] / value, 8, 1e-5);
  }
}

TEST_F(TapePlatformTest, HessianThroughMatmulAndTanh) {
  const Tensor x = vector({0.3f, -0.2f});
  GradientTape outer;
  outer.watch(x);
  GradientTape inner;
  inner.watch(x);
  const Tensor first = inner.gradient(sum(tanh(x)), {x})[0];
  const Floats second = floats(outer.gradient(sum(first), {x})[0]);
  for (int i = 0; i < 2; ++i) {
    const float t = std::tanh(floats(x)[i]);
    EXPECT_NEAR(second[i], -2 * t * (1 - t * t), 1e-6);
  }
}

// Assignments inside a tape: each reading is a source of its own, and what is
// assigned is no part of what is differentiated (as in TensorFlow).
TEST_F(TapePlatformTest, AssignmentIsNotDifferentiated) {
  Variable v(vector({1, 2}), {.name = "v"});
  GradientTape tape;
  const Tensor before = v * 2.f;
  v.assign_add(1.f);
  const Tensor after = v * 3.f;
  const Tensor loss = sum(before + after);
  EXPECT_EQ(floats(tape.gradient(loss, {v})[0]), (Floats{5, 5}));
}

TEST_F(TapePlatformTest, AssignedValueOfAnotherVariable) {
  Variable a(vector({1, 2})), b(vector({3, 4}));
  GradientTape tape({.persistent = true});
  b.assign(a * 10.f);
  const Tensor loss = sum(b * b);
  EXPECT_EQ(floats(tape.gradient(loss, {b})[0]), (Floats{20, 40}));
  EXPECT_THROW(tape.gradient(loss, {a}), ValueError);
  const Variable c(a * 2.f);  // a first value neither
  const Tensor other = sum(c * c);
  EXPECT_EQ(floats(tape.gradient(other, {c})[0]), (Floats{4, 8}));
  EXPECT_FALSE(tape.gradient(other, {a, c})[0].is_defined());
}

TEST_F(TapePlatformTest, AssignmentInALoopBodyIsNotDifferentiated) {
  Variable v(vector({1, 2})), gradient(vector({0, 0}), {.trainable = false});
  for_loop(1, [&](const Tensor&) {
    GradientTape tape;
    const Tensor before = v * 2.f;
    v.assign_add(1.f);
    gradient.assign(tape.gradient(sum(before + v * 3.f), {v})[0]);
  });
  EXPECT_EQ(floats(gradient), (Floats{5, 5}));
}

TEST_F(TapePlatformTest, EvaluatedValueThatIsAssigned) {
  Variable v(vector({1, 2}));
  GradientTape tape;
  const Tensor next = v + 1.f;
  floats(next);
  v.assign(next);
  EXPECT_EQ(floats(tape.gradient(sum(square(v)), {v})[0]), (Floats{4, 6}));
}

TEST_F(TapePlatformTest, LoopIsNotDifferentiatedAndSaysSo) {
  Variable v(vector({1, 2}));
  GradientTape tape({.persistent = true});
  const uint32_t line = std::source_location::current().line() + 1;
  for_loop(3, [&](const Tensor&) { v.assign(v * 2.f); });
  EXPECT_EQ(floats(tape.gradient(sum(v * 3.f), {v})[0]), (Floats{3, 3}))
      << "what the loop assigned is a value like any other";
  const Tensor out =
      while_loop([](const auto& t) { return t[0] < 3; },
                 [&](const auto& t) {
                   return std::vector{t[0] + 1, t[1] * v};
                 },
                 {constant(Array::scalar(0)), vector({1, 1})})[1];
  const std::string what =
      message_of<ValueError>([&] { tape.gradient(sum(out), {v}); });
  EXPECT_THAT(what, HasSubstr("while_loop: its gradient needs a bound on the "
                              "number of turns"));
  EXPECT_THAT(what, HasSubstr(at_line(line + 4)));
}

// What one tape watched means nothing to the next.
TEST_F(TapePlatformTest, WatchEndsWithTheTape) {
  const Tensor x = vector({1, 2});
  for (const bool persistent : {false, true}) {
    GradientTape tape({.persistent = persistent});
    tape.watch(x);
    tape.gradient(sum(x), {x});
  }
  GradientTape tape;
  const Tensor y = sum(x * x);
  EXPECT_THROW(tape.gradient(y, {x}), ValueError);
}

TEST_F(TapePlatformTest, SixtyFourTapesAtOnce) {
  std::vector<std::unique_ptr<GradientTape>> tapes;
  const Tensor x = vector({2});
  for (int i = 0; i < 64; ++i) {
    tapes.push_back(std::make_unique<GradientTape>());
    tapes.back()->watch(x);
  }
  EXPECT_EQ(message_of<ValueError>([] { GradientTape one_more; }),
            "GradientTape: expected at most 64 tapes at once, got one more");
  const Tensor y = x * x;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(tapes[i * 10]->gradient(y, {x})[0].item<float>(), 4.f);
  }
  tapes.clear();
  for (int i = 0; i < 200; ++i) GradientTape again;
}

TEST_F(TapePlatformTest, TapesEndInAnyOrder) {
  const Tensor x = vector({2});
  auto a = std::make_unique<GradientTape>();
  auto b = std::make_unique<GradientTape>();
  a->watch(x);
  b->watch(x);
  const Tensor y = x * x;
  a.reset();
  EXPECT_EQ(b->gradient(y, {x})[0].item<float>(), 4.f);
}

TEST_F(TapePlatformTest, TargetsAreAdded) {
  Variable w(vector({1, 2}));
  GradientTape tape;
  const Tensor a = sum(w * 3.f), b = w * w;
  EXPECT_EQ(floats(tape.gradient({a, b}, w)), (Floats{5, 7}));
}

TEST_F(TapePlatformTest, OutputGradientsAreMultiplied) {
  Variable w(vector({1, 2}));
  GradientTape tape({.persistent = true});
  const Tensor a = w * w, b = w * 3.f;
  EXPECT_EQ(
      floats(tape.gradient(a, w, {.output_gradients = {vector({10, 1})}})),
      (Floats{20, 4}));
  EXPECT_EQ(floats(tape.gradient(
                {a, b}, w, {.output_gradients = {Tensor(), vector({0, 10})}})),
            (Floats{2, 34}));
  EXPECT_THAT(message_of<ShapeError>([&] {
                tape.gradient(a, w, {.output_gradients = {vector({1})}});
              }),
              HasSubstr("GradientTape.gradient: expected an output gradient "
                        "like the target, float32[2], got float32[1]"));
  EXPECT_THAT(message_of<ValueError>([&] {
                tape.gradient({a, b}, w, {.output_gradients = {a}});
              }),
              HasSubstr("expected output_gradients for 2 target(s), got 1"));
}

TEST_F(TapePlatformTest, UnconnectedGradientsAreNoneOrZero) {
  Variable w(vector({1, 2})), other(vector({3, 4, 5}));
  GradientTape tape({.persistent = true});
  const Tensor y = w * w;
  EXPECT_FALSE(
      tape.gradient(y, other,
                    {.unconnected_gradients = UnconnectedGradients::none})
          .is_defined());
  EXPECT_EQ(
      floats(tape.gradient(
          y, other, {.unconnected_gradients = UnconnectedGradients::zero})),
      (Floats{0, 0, 0}));
}

TEST_F(TapePlatformTest, StoppedRecordingLeavesOutWhatIsComputed) {
  Variable w(vector({1, 2})), unseen(vector({1, 1}));
  GradientTape tape({.persistent = true});
  const Tensor seen = w * 2.f;
  Tensor constant_part;
  {
    const auto stopped = tape.stop_recording();
    constant_part = w * w * unseen;
  }
  EXPECT_EQ(floats(tape.gradient(seen * constant_part, w)), (Floats{2, 8}));
  ASSERT_EQ(tape.watched_variables().size(), 1u);
  EXPECT_EQ(tape.watched_variables()[0], w);
}

TEST_F(TapePlatformTest, ResetForgetsAll) {
  Variable w(vector({1, 2}));
  GradientTape tape;
  const Tensor before = w * w;
  tape.reset();
  EXPECT_TRUE(tape.watched_variables().empty());
  const Tensor after = w * 3.f;
  EXPECT_EQ(floats(tape.gradient(after, w)), (Floats{3, 3}));
  tape.reset();
  EXPECT_THROW(tape.gradient(before, w), ValueError);
}

// Memory.

TEST_F(TapePlatformTest, OnlyResidualsAreKeptUnderATape) {
  Variable w(vector({1, 2, 3}));
  floats(w + 0.f);  // now it is on the device
  const int64_t before = buffers();
  GradientTape tape;
  Tensor loss;
  {
    const Tensor a = w + 1.f;
    const Tensor b = exp(a);
    const Tensor c = b * b;
    loss = sum(c + 2.f - 3.f);
  }
  loss.numpy();
  // The loss, which has a handle, and b: the rules of exp and multiply read
  // it. Nobody reads a, c or the sum's input.
  EXPECT_EQ(buffers() - before, 2);
  const Floats gradient = floats(tape.gradient(loss, {w})[0]);
  EXPECT_NEAR(gradient[1], 2 * std::exp(6.f), 1e-2);
  EXPECT_EQ(buffers() - before, 1) << "the residuals went with the tape";
}

TEST_F(TapePlatformTest, ShortTapesInALongLoopKeepNothing) {
  Variable w(vector({1, 2, 3}));
  const auto step = [&] {
    GradientTape tape;
    const Tensor loss = sum(square(w));
    loss.numpy();
    w.assign_sub(tape.gradient(loss, {w})[0] * 0.01f);
    w.numpy();
  };
  step();
  const int64_t before = buffers();
  for (int i = 0; i < 20; ++i) step();
  EXPECT_EQ(buffers(), before);
}

}  // namespace
}  // namespace systolic::internal::graph
