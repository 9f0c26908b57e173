#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/graph/program_cache.h"
#include "systolic/graph/step.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/collective.h"
#include "systolic/ops/complex.h"
#include "systolic/ops/control_flow.h"
#include "systolic/ops/custom_gradient.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

std::vector<OpSample> internal::ops::control_flow_samples() {
  const Array x = Array::from({1.5, -0.25}), y = Array::from({0.5, 1.});
  const Array rows = Array::from({0.5, 0.25, -0.5, 1., 0.75, -1.}, {3, 2});
  const auto double_and_add = [](const Tensors& in,
                                 const WhileLoopOptions& options) {
    return while_loop([](const Tensors& v) { return v[0] < 3; },
                      [&](const Tensors& v) {
                        return Tensors{v[0] + 1, v[1] * v[1] * 2 + in[1]};
                      },
                      {in[2], in[0]}, options);
  };
  return {
      {.op = "while_loop",
       .call = [=](const Tensors& in) { return double_and_add(in, {}); },
       .inputs = {x, y, Array::scalar(0)},
       .gradient = false,
       .error = 8},
      {.op = "while_loop",
       .name = "bounded",
       .call =
           [=](const Tensors& in) {
             return Tensors{double_and_add(in, {.maximum_iterations = 5})[1]};
           },
       .inputs = {x, y, Array::scalar(1)},
       .dtypes = contracts::kInexact,
       .replicated = true,
       .error = 8},
      {.op = "scan",
       .call =
           [](const Tensors& in) {
             const auto [last, all] = scan(
                 [&](const Tensor& h, const Tensor& row) {
                   const Tensor next = tanh(h * in[2] + row);
                   return std::pair(next, next * row);
                 },
                 in[0], in[1]);
             return Tensors{last, all};
           },
       .inputs = {x, rows, y},
       .dtypes = contracts::kInexact,
       .replicated = true,
       .error = 4},
      {.op = "scan",
       .name = "reverse",
       .call =
           [](const Tensors& in) {
             return Tensors{
                 scan([](const Tensor& h,
                         const Tensor& row) { return std::pair(h * row, h); },
                      in[0], in[1], {.reverse = true})
                     .second};
           },
       .inputs = {x, rows},
       .dtypes = {DType::float32, DType::float64, DType::bfloat16,
                  DType::float16, DType::int32, DType::int64}},
      {.op = "cond",
       .call =
           [](const Tensors& in) {
             return Tensors{cond(
                 in[2], [&] { return sin(in[0]) * in[1]; },
                 [&] { return in[1] * in[1]; })};
           },
       .inputs = {x, y, Array::scalar(true)},
       .dtypes = contracts::kInexact,
       .replicated = true},
      {.op = "cond",
       .name = "of three",
       .call =
           [](const Tensors& in) {
             return switch_case(in[2],
                                {[&] { return Tensors{in[0]}; },
                                 [&] { return Tensors{exp(in[0]) * in[1]}; },
                                 [&] { return Tensors{in[1]}; }});
           },
       .inputs = {x, y, Array::scalar(1)}},
      {.op = "custom_gradient",
       .call =
           [](const Tensors& in) {
             // Without a tape nothing would be recorded of it.
             GradientTape tape;
             tape.watch(in[0]);
             // As it would be anyway, so that the contract can check it.
             return Tensors{
                 custom_gradient([](const Tensor& a, const Tensor& b) {
                   const Tensor s = sin(a);
                   return std::pair(s * b, [=](const Tensor& upstream) {
                     return Tensors{upstream * conj(cos(a) * b),
                                    upstream * conj(s)};
                   });
                 })(in[0], in[1])};
           },
       .inputs = {x, y},
       .dtypes = contracts::kInexact},
      {.op = "recompute_grad",
       .call =
           [](const Tensors& in) {
             return Tensors{recompute_grad(
                 [&](const Tensor& a) { return tanh(sin(a) * in[1]); })(in[0])};
           },
       .inputs = {x, y},
       .dtypes = contracts::kInexact},
      {.op = "optimization_barrier",
       .call =
           [](const Tensors& in) {
             GradientTape tape;
             tape.watch(in[0]);
             const Tensor z = recompute_grad(
                 [&](const Tensor& a) { return sin(a) * in[1]; })(in[0]);
             return tape.gradient(z, {in[0]});
           },
       .inputs = {x, y},
       .dtypes = contracts::kInexact}};
}

namespace {

using internal::graph::Placement;
using internal::graph::ProgramCache;
using internal::graph::Step;
using internal::ops::begins;
using internal::ops::message_of;

Tensor zero() { return constant(Array::scalar(0)); }

TEST(ControlFlow, RunsWhileTheConditionHolds) {
  const Tensors last = while_loop([](const Tensors& v) { return v[1] < 100; },
                                  [](const Tensors& v) {
                                    return Tensors{v[0] + 1, v[1] * 2};
                                  },
                                  {zero(), constant(Array::scalar(3))});
  EXPECT_EQ(last[0].item<int>(), 6);
  EXPECT_EQ(last[1].item<int>(), 192);
}

TEST(ControlFlow, ABodyMayNeverRun) {
  const Tensors last =
      while_loop([](const Tensors& v) { return v[0] < 0; },
                 [](const Tensors& v) { return Tensors{v[0] + 1}; }, {zero()});
  EXPECT_EQ(last[0].item<int>(), 0);
}

TEST(ControlFlow, BodiesUseOuterValues) {
  const Tensor step = constant(Array::from({1.f, 2.f})) * 2;
  const Tensor limit = constant(Array::scalar(9.f)) + 1;
  const Tensors last = while_loop(
      [&](const Tensors& v) { return sum(v[0]) < limit; },
      [&](const Tensors& v) { return Tensors{v[0] + step}; }, {zeros({2})});
  EXPECT_EQ(last[0].numpy().to_string(), "[4. 8.]");
}

// What a body assigns is carried; what it reads is passed in.
TEST(ControlFlow, VariablesAreCarried) {
  Variable total(constant(Array::scalar(0))),
      factor(constant(Array::scalar(3)));
  Variable last(constant(Array::scalar(-1)));
  for_loop(4, [&](const Tensor& i) {
    total.assign_add(i * factor);
    last.assign(i);
    total.assign_add(1);
  });
  EXPECT_EQ(total.item<int>(), 22);
  EXPECT_EQ(last.item<int>(), 3);
  EXPECT_EQ(factor.item<int>(), 3);
}

TEST(ControlFlow, ConditionsReadVariables) {
  Variable n(constant(Array::scalar(1)));
  const Tensors last =
      while_loop([&](const Tensors& v) { return n.value() + v[0] < 20; },
                 [&](const Tensors& v) {
                   n.assign(n * 2);
                   return Tensors{v[0] + 1};
                 },
                 {zero()});
  EXPECT_EQ(n.item<int>(), 16);
  EXPECT_EQ(last[0].item<int>(), 4);
}

TEST(ControlFlow, LoopsNest) {
  Variable total(constant(Array::scalar(0)));
  const Tensor one = constant(Array::scalar(1));
  for_loop(3, [&](const Tensor& i) {
    for_loop(i + one, [&](const Tensor& j) { total.assign_add(i * 10 + j); });
    total.assign_add(1000);
  });
  // i = 0: 0; i = 1: 10, 11; i = 2: 20, 21, 22.
  EXPECT_EQ(total.item<int>(), 3084);
}

TEST(ControlFlow, TheCountMayBeAValueOrChange) {
  Variable total(constant(Array::scalar(0)));
  for_loop(constant(Array::scalar(5)),
           [&](const Tensor& i) { total.assign_add(i); });
  EXPECT_EQ(total.item<int>(), 10);
  const auto run = [&](int count) {
    for_loop(count, [&](const Tensor& i) { total.assign_add(i); });
    return total.item<int>();
  };
  run(1);
  run(2);
  const auto before = ProgramCache::instance().statistics().compiles;
  EXPECT_EQ(run(3), 14);
  EXPECT_EQ(run(0), 14);
  EXPECT_EQ(run(100), 4964);
  EXPECT_EQ(ProgramCache::instance().statistics().compiles, before);
}

TEST(ControlFlow, GradientsAreTakenInsideTheBody) {
  Variable w(constant(Array::scalar(4.f)));
  for_loop(3, [&](const Tensor&) {
    GradientTape tape;
    const Tensor loss = square(w);
    w.assign_sub(0.25 * tape.gradient(loss, w));
  });
  EXPECT_EQ(w.item<float>(), 0.5f);
}

TEST(ControlFlow, ReplicasTalkInsideLoops) {
  const Placement* eight = Placement::replicas(
      internal::runtime::Client::open({.device_count = 8}).devices());
  Tensor last;
  {
    Step step(eight, "test");
    const Tensor id = cast(replica_id_in_sync_group(), DType::float32);
    last = while_loop([](const Tensors& v) { return v[0] < 3; },
                      [&](const Tensors& v) {
                        const Tensor total =
                            all_reduce(ReduceOp::mean, v[1] + id);
                        return Tensors{v[0] + 1, total};
                      },
                      {zero(), zeros({2})})[1];
    step.commit(std::span(&last, 1));
  }
  for (const Array& value :
       internal::graph::storage_of(last.ref())->replicas()) {
    EXPECT_EQ(value.to_string(), "[10.5 10.5]");
  }
}

TEST(ControlFlow, SpecsMayNotChange) {
  const int line = __LINE__ + 2;
  const auto wrong = [] {
    while_loop([](const Tensors& v) { return v[0] < 3; },
               [](const Tensors& v) { return Tensors{v[0] + 0.5}; }, {zero()});
  };
  EXPECT_EQ(message_of<ShapeError>(wrong),
            "while_loop: expected value 0 to keep its spec int32[], got "
            "float32[] from the body\n"
            "  hint: shapes and dtypes are fixed on the device; cast or "
            "reshape the value in the body\n"
            "  at: control_flow_platform_test.cc:" +
                std::to_string(line));
  EXPECT_NE(message_of<ValueError>([] {
              while_loop([](const Tensors& v) { return v[0] < 3; },
                         [](const Tensors&) { return Tensors{}; }, {zero()});
            }),
            "");
}

TEST(ControlFlow, ConditionsGiveOneBool) {
  EXPECT_TRUE(begins(
      message_of<TypeError>([] {
        while_loop([](const Tensors& v) { return v[0]; },
                   [](const Tensors& v) { return v; }, {zero()});
      }),
      "while_loop: expected a condition that gives one bool, got int32[]\n"));
}

TEST(ControlFlow, ConditionsDoNotAssign) {
  Variable n(constant(Array::scalar(1)), {.name = "n"});
  EXPECT_NE(message_of<ValueError>([&] {
              while_loop(
                  [&](const Tensors& v) {
                    n.assign_add(1);
                    return v[0] < 3;
                  },
                  [](const Tensors& v) { return Tensors{v[0] + 1}; }, {zero()});
            }).find("its condition assigns Variable \"n\""),
            std::string::npos);
  EXPECT_EQ(n.item<int>(), 1);
}

TEST(ControlFlow, NothingIsReadInsideABody) {
  Variable n(constant(Array::scalar(1)));
  const std::string text = message_of<ValueError>([&] {
    for_loop(3, [&](const Tensor& i) {
      n.assign_add(1);
      i.numpy();
    });
  });
  EXPECT_NE(text.find("Tensor.numpy: a value can not be read inside a loop "
                      "body"),
            std::string::npos)
      << text;
  // The loop did not happen.
  EXPECT_EQ(n.item<int>(), 1);
}

TEST(ControlFlow, LoopsWithoutABoundHaveNoGradient) {
  GradientTape tape;
  const Tensor x = constant(Array::scalar(2.f));
  tape.watch(x);
  const Tensors last =
      while_loop([](const Tensors& v) { return v[0] < 9; },
                 [](const Tensors& v) { return Tensors{v[0] * v[0]}; }, {x});
  EXPECT_TRUE(begins(
      message_of<ValueError>([&] { tape.gradient(last[0], x); }),
      "while_loop: its gradient needs a bound on the number of turns\n  hint: "
      "give while_loop .maximum_iterations, or use scan or fori_loop"));
}

}  // namespace
}  // namespace systolic
