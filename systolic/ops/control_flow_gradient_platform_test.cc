// Gradients through loops and branches beyond the op contract: captured
// values, Variables, loops in loops, what is kept.
#include <gtest/gtest.h>

#include <cmath>

#include "systolic/array/arrays.h"
#include "systolic/graph/program_cache.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/control_flow.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/test_ops.h"

namespace systolic {
namespace {

using internal::ops::begins;
using internal::ops::message_of;

using Tensors = std::vector<Tensor>;

TEST(ControlFlowGradient, WhileLoopTakesAsManyTurnsAsItNeeds) {
  // x^(2^n) for the n turns that it takes to get above 100.
  for (const auto& [start, power] : {std::pair{3.f, 8.f}, {101.f, 1.f}}) {
    const Tensor x = constant(Array::scalar(start));
    GradientTape tape;
    tape.watch(x);
    const Tensor y = while_loop([](const Tensor& v) { return v < 100; },
                                [](const Tensor& v) { return v * v; }, x,
                                {.maximum_iterations = 10});
    EXPECT_EQ(y.item<float>(), std::pow(start, power));
    EXPECT_EQ(tape.gradient(y, x).item<float>(),
              power * std::pow(start, power - 1));
  }
}

TEST(ControlFlowGradient, MaximumIterationsEndALoop) {
  const auto turns = [](int64_t most) {
    return while_loop([](const Tensor& v) { return v < 100; },
                      [](const Tensor& v) { return v + 1; },
                      constant(Array::scalar(0)), {.maximum_iterations = most})
        .item<int>();
  };
  EXPECT_EQ(turns(5), 5);
  EXPECT_EQ(turns(0), 0);
  EXPECT_EQ(turns(1000), 100);
  EXPECT_TRUE(begins(message_of<ValueError>([&] { turns(-1); }),
                     "while_loop: expected maximum_iterations of 0 or more, "
                     "got -1\n"));
}

TEST(ControlFlowGradient, CapturedValuesAndVariables) {
  Variable w(constant(Array::scalar(2.f)), {.name = "w"});
  const Tensor c = constant(Array::scalar(3.f));
  GradientTape tape;
  tape.watch(c);
  // w^3 x + c (1 + w + w^2)
  const Tensor y = fori_loop(
      0, 3, [&](const Tensor&, const Tensor& v) { return v * w + c; },
      constant(Array::scalar(5.f)));
  EXPECT_EQ(y.item<float>(), 61);
  const auto gradients = tape.gradient(y, {w, c});
  EXPECT_EQ(gradients[0].item<float>(), 3 * 4 * 5 + 3 * (1 + 2 * 2));
  EXPECT_EQ(gradients[1].item<float>(), 7);
}

// What a body assigns is no part of the gradient; each reading is.
TEST(ControlFlowGradient, AssignedVariablesAreSourcesInEachTurn) {
  Variable v(constant(Array::scalar(1.f)), {.name = "v"});
  GradientTape tape;
  const Tensor y = fori_loop(
      0, 3,
      [&](const Tensor&, const Tensor& total) {
        const Tensor before = v * 2;
        v.assign(v * 10);
        return total + before + v * 3;
      },
      constant(Array::scalar(0.f)));
  EXPECT_EQ(v.item<float>(), 1000);
  EXPECT_EQ(y.item<float>(), 2 * 111 + 3 * 1110);
  EXPECT_EQ(tape.gradient(y, v).item<float>(), 3 * (2 + 3));
}

TEST(ControlFlowGradient, OfBothBranches) {
  for (const bool first : {true, false}) {
    Variable w(constant(Array::scalar(3.f)), {.name = "w"});
    const Tensor x = constant(Array::scalar(2.f));
    const Tensor pred = constant(Array::scalar(first));
    GradientTape tape;
    tape.watch(x);
    const Tensor y = cond(
        pred, [&] { return x * x * w; }, [&] { return exp(x); });
    const auto gradients = tape.gradient(y, {x, w});
    EXPECT_FLOAT_EQ(gradients[0].item<float>(), first ? 12 : std::exp(2.f));
    EXPECT_FLOAT_EQ(gradients[1].item<float>(), first ? 4 : 0);
  }
}

TEST(ControlFlowGradient, BranchesAssignVariables) {
  Variable v(constant(Array::scalar(5.f)), {.name = "v"});
  const auto run = [&](float x) {
    cond(
        constant(Array::scalar(x)) > 0, [&] { v.assign_add(1); }, [&] {});
    return v.item<float>();
  };
  EXPECT_EQ(run(1), 6);
  EXPECT_EQ(run(-1), 6);
  GradientTape tape;
  const Tensor y = cond(
      constant(Array::scalar(1.f)) > 0,
      [&] {
        const Tensor before = v * 2;
        v.assign(v * 10);
        return before + v * 3;
      },
      [&] { return v.value(); });
  EXPECT_EQ(y.item<float>(), 12 + 180);
  EXPECT_EQ(tape.gradient(y, v).item<float>(), 5);
  EXPECT_EQ(v.item<float>(), 60);
}

TEST(ControlFlowGradient, LoopsAndBranchesNest) {
  const Tensor x = constant(Array::scalar(1.5f));
  GradientTape outer;
  outer.watch(x);
  GradientTape inner;
  inner.watch(x);
  // For i = 0, 1, 2: v x twice, or v + x where i is odd: x^5 + x^3.
  const Tensor y = fori_loop(
      0, 3,
      [&](const Tensor& i, const Tensor& v) {
        return cond(
            equal(i, 1), [&] { return v + x; },
            [&] {
              return fori_loop(
                  0, 2, [&](const Tensor&, const Tensor& u) { return u * x; },
                  v);
            });
      },
      x);
  EXPECT_FLOAT_EQ(y.item<float>(), std::pow(1.5f, 5) + std::pow(1.5f, 3));
  const Tensor first = inner.gradient(y, x);
  EXPECT_FLOAT_EQ(first.item<float>(),
                  5 * std::pow(1.5f, 4) + 3 * std::pow(1.5f, 2));
  EXPECT_FLOAT_EQ(outer.gradient(first, x).item<float>(),
                  20 * std::pow(1.5f, 3) + 6 * 1.5f);
}

// A tape inside a body, and one around it.
TEST(ControlFlowGradient, OfAGradientInALoop) {
  const Tensor x = constant(Array::scalar(2.f));
  GradientTape tape;
  tape.watch(x);
  // v <- d(v^3)/dv = 3 v^2, twice: 27 x^4.
  const Tensor y = fori_loop(
      0, 2,
      [](const Tensor&, const Tensor& v) {
        GradientTape inner;
        inner.watch(v);
        return inner.gradient(v * v * v, v);
      },
      x);
  EXPECT_EQ(y.item<float>(), 27 * 16);
  EXPECT_EQ(tape.gradient(y, x).item<float>(), 27 * 4 * 8);
}

TEST(ControlFlowGradient, ValuesInBetweenMayBeLookedAt) {
  const Tensor x = constant({0.5, 1.0});
  GradientTape tape;
  tape.watch(x);
  const auto [last, all] = scan(
      [&](const Tensor& h, const Tensor& row) {
        const Tensor next = sin(h * x) + row;
        return std::pair(next, next);
      },
      zeros({2}), constant({{1.0, 2.0}, {3.0, 4.0}}));
  const Tensor total = sum(all) + sum(last);
  const float value = total.item<float>();  // a launch before the gradient
  const float step = 1e-3f;
  const Tensor gradient = tape.gradient(total, x);
  const auto at = [&](float first) {
    const float h = std::sin(0.f) + 1, next = std::sin(h * first) + 3;
    return h + 2 * next;
  };
  EXPECT_GT(value, 0);
  EXPECT_NEAR(gradient[0].item<float>(),
              (at(0.5f + step) - at(0.5f - step)) / (2 * step), 1e-2);
}

TEST(ControlFlowGradient, ScansOfNoRows) {
  const Tensor x = constant({1.0, 2.0});
  GradientTape tape;
  tape.watch(x);
  const auto [last, all] = scan(
      [](const Tensor& h, const Tensor& row) { return std::pair(h * row, h); },
      x, zeros({0, 2}));
  EXPECT_EQ(all.shape(), (Shape{0, 2}));
  EXPECT_EQ(tape.gradient(sum(last), x).numpy().to_string(), "[1. 1.]");
}

TEST(ControlFlowGradient, MapsOverRows) {
  const Tensor x = constant({{1.0, 2.0}, {3.0, 4.0}});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = map_fn([](const Tensor& row) { return sum(row * row); }, x);
  EXPECT_EQ(y.numpy().to_string(), "[ 5. 25.]");
  EXPECT_EQ(tape.gradient(y, x).numpy().to_string(), "[[2. 4.]\n [6. 8.]]");
}

TEST(ControlFlowGradient, WhatDoesNotVaryIsNotKept) {
  using internal::graph::ProgramCache;
  Variable w(ones({64, 64}), {.name = "w"});
  const Tensor x = ones({1, 64});
  GradientTape tape;
  const Tensor y = fori_loop(
      0, 50,
      [&](const Tensor&, const Tensor& v) {
        return matmul(v, cast(cast(w, DType::bfloat16), DType::float32)) *
               0.01f;
      },
      x);
  const auto& node = *y.ref().node;
  for (int i = 0; i < node.num_outputs; ++i) {
    EXPECT_LE(node.output(i).spec.shape.elements(), 50 * 64) << i;
  }
  EXPECT_TRUE(tape.gradient(sum(y), w).is_defined());
}

TEST(ControlFlowGradient, BranchesMustAgree) {
  const Tensor x = constant({1.0, 2.0});
  EXPECT_TRUE(begins(
      message_of<ShapeError>([&] {
        cond(
            sum(x) > 0, [&] { return x; }, [&] { return sum(x); });
      }),
      "cond: expected every branch to return float32[2] as value 0, as the "
      "first does, got float32[] from branch 1\n  hint: cast or reshape the "
      "value in the branch\n  at: control_flow_gradient_platform_test.cc:"));
  EXPECT_TRUE(begins(
      message_of<ValueError>([&] {
        cond(
            sum(x) > 0, [&] { return Tensors{x}; }, [&] { return Tensors{}; });
      }),
      "cond: expected every branch to return 1 value(s), as the first does, "
      "got 0 from branch 1\n"));
  EXPECT_TRUE(
      begins(message_of<TypeError>([&] {
               cond(
                   x > 0, [&] { return x; }, [&] { return x; });
             }),
             "cond: expected one bool, got bool[2]\n  hint: compare first"));
}

TEST(ControlFlowGradient, ACppBoolDecidesAtOnce) {
  int calls = 0;
  const Tensor y = cond(
      true, [&] { return ++calls, ones({2}); },
      [&] { return calls += 10, zeros({3}); });
  EXPECT_EQ(y.shape(), Shape{2});
  EXPECT_EQ(calls, 1);
}

// A scalar is written into the program; one that is watched is a source.
TEST(ControlFlowGradient, WatchedScalarsAreCaptured) {
  const Tensor x = Arg(-2.f).tensor();
  GradientTape tape({.persistent = true});
  tape.watch(x);
  const Tensor y = cond(
      x > 0, [&] { return x * 1; }, [&] { return x * x; });
  EXPECT_EQ(tape.gradient(y, x).item<float>(), -4);
  const Tensor z = fori_loop(
      0, 3, [&](const Tensor&, const Tensor& v) { return v * x; }, x);
  EXPECT_EQ(tape.gradient(z, x).item<float>(), 4 * -8);
}

TEST(ControlFlowGradient, SwitchTakesTheLastBranchOutside) {
  const auto run = [](int index) {
    return switch_case(constant(Array::scalar(index)),
                       {[] { return Tensors{constant(Array::scalar(10))}; },
                        [] { return Tensors{constant(Array::scalar(11))}; },
                        [] { return Tensors{constant(Array::scalar(12))}; }})[0]
        .item<int>();
  };
  EXPECT_EQ(run(0), 10);
  EXPECT_EQ(run(1), 11);
  EXPECT_EQ(run(2), 12);
  EXPECT_EQ(run(7), 12);
  EXPECT_EQ(run(-1), 12);
}

TEST(ControlFlowGradient, SequencesMustFit) {
  const auto f = [](const Tensor& h, const Tensor&) { return std::pair(h, h); };
  EXPECT_TRUE(
      begins(message_of<ValueError>([&] { scan(f, zeros({2}), Tensor()); }),
             "scan: expected a sequence, or a .length of 0 or more, "
             "got neither\n"));
  EXPECT_TRUE(begins(message_of<ShapeError>([&] {
                       scan(f, zeros({2}), zeros({3}), {.length = 4});
                     }),
                     "scan: expected sequences of 4 rows, got float32[3]\n"));
  EXPECT_TRUE(begins(
      message_of<ShapeError>([&] {
        scan([](const Tensor& h, const Tensor&) { return std::pair(h[0], h); },
             zeros({2}), zeros({3}));
      }),
      "scan: expected value 0 to keep its spec float32[2], got float32[] from "
      "the body\n"));
}

}  // namespace
}  // namespace systolic
