#include <gtest/gtest.h>

#include <cmath>

#include "systolic/array/arrays.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/program.h"
#include "systolic/graph/step.h"
#include "systolic/graph/value_and_grad.h"
#include "systolic/ops/control_flow.h"
#include "systolic/ops/custom_gradient.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/test_ops.h"
#include "systolic/pjrt/handle.h"

namespace systolic {
namespace {

using internal::graph::Program;
using internal::graph::Root;
using internal::ops::begins;
using internal::ops::message_of;

using Tensors = std::vector<Tensor>;

// TensorFlow's own example: the plain gradient is inf * 0 = NaN at 100.
auto log1pexp() {
  return custom_gradient([](const Tensor& x) {
    const Tensor e = exp(x);
    return std::pair(log(1 + e), [=](const Tensor& upstream) {
      return upstream * (1 - 1 / (1 + e));
    });
  });
}

TEST(CustomGradient, IsTakenInPlaceOfTheOpsGradients) {
  const auto plain = [](const Tensor& x) { return log(1 + exp(x)); };
  const Tensor x = constant(Array::scalar(100.f));
  EXPECT_TRUE(std::isnan(grad(plain)(x).item<float>()));
  EXPECT_EQ(grad(log1pexp())(x).item<float>(), 1);
  EXPECT_FLOAT_EQ(log1pexp()(2.0).item<float>(), std::log1p(std::exp(2.f)));
}

TEST(CustomGradient, HasASecondDerivative) {
  const float s = 1 / (1 + std::exp(-0.5f));
  EXPECT_FLOAT_EQ(grad(log1pexp())(0.5).item<float>(), s);
  EXPECT_FLOAT_EQ(grad(grad(log1pexp()))(0.5).item<float>(), s * (1 - s));
}

TEST(CustomGradient, SeveralArgumentsAndValues) {
  const auto f = custom_gradient([](const Tensor& x, const Tensor& y) {
    return std::pair(Tensors{x * y, x + y}, [=](const Tensors& upstream) {
      return Tensors{upstream[0] * 10 + upstream[1], Tensor()};
    });
  });
  Variable x(3.0), y(4.0);
  GradientTape tape;
  const Tensors values = f(x, y);
  const auto gradients = tape.gradient(values[0] + 2 * values[1], {x, y});
  EXPECT_EQ(gradients[0].item<float>(), 12);
  EXPECT_FALSE(gradients[1].is_defined());
}

TEST(CustomGradient, InALoop) {
  // The gradient of each turn is twice what it would be.
  const auto twice = custom_gradient([](const Tensor& x) {
    const Tensor s = square(x);
    return std::pair(s,
                     [=](const Tensor& upstream) { return upstream * x * 4; });
  });
  const auto f = [&](const Tensor& x) {
    return fori_loop(
        0, 2, [&](const Tensor&, const Tensor& v) { return twice(v); }, x);
  };
  EXPECT_EQ(f(constant(3.0)).item<float>(), 81);
  EXPECT_EQ(grad(f)(3.0).item<float>(), 4 * 27 * 4);
  // Of 4 v x 4 x, where the derivative of v = x^2 counts twice as well.
  EXPECT_EQ(grad(grad(f))(3.0).item<float>(), 16 * (9 + 3 * 12));
}

TEST(CustomGradient, IsNotAskedForWithoutATape) {
  int calls = 0;
  const auto f = custom_gradient([&](const Tensor& x) {
    return std::pair(x * 2, [&](const Tensor& upstream) {
      ++calls;
      return upstream;
    });
  });
  EXPECT_EQ(f(3.0).item<float>(), 6);
  EXPECT_EQ(calls, 0);
}

TEST(CustomGradient, WrongGradientsAreNamed) {
  const auto call = [](Tensors gradients) {
    const auto f = custom_gradient([=](const Tensor& x) {
      return std::pair(x * 2, [=](const Tensor&) { return gradients; });
    });
    return message_of<Error>([&] { grad(f)(1.0); });
  };
  EXPECT_TRUE(begins(call({zeros({2})}),
                     "custom_gradient: expected grad_fn to return a gradient "
                     "of float32[] for argument 0, got float32[2]\n"));
  EXPECT_TRUE(begins(call({}),
                     "custom_gradient: expected grad_fn to return 1 "
                     "gradient(s), one for each argument, got 0\n"));
}

TEST(CustomGradient, VariablesAreGivenAsArguments) {
  const Variable w(2.0, {.name = "w"});
  const auto f = custom_gradient([&](const Tensor& x) {
    return std::pair(x * w, [](const Tensor& upstream) { return upstream; });
  });
  EXPECT_TRUE(begins(message_of<ValueError>([&] { f(1.0); }),
                     "custom_gradient: the function reads Variable \"w\", to "
                     "which its gradient can not lead\n  hint: give the "
                     "Variable as an argument\n"));
}

constexpr int kLayers = 6;

// A stack of layers, each of which keeps a large value for its gradient.
Tensor deep(const Tensor& x, const Variable& w, bool again) {
  const auto block = [&](const Tensor& v) {
    const Tensor wide = tanh(broadcast_to(reshape(v, {1, 64}), {512, 64}) * w);
    return mean(wide * wide, {.axis = 0});
  };
  Tensor value = x;
  for (int i = 0; i < kLayers; ++i) {
    value = again ? recompute_grad(block)(value) : block(value);
  }
  return sum(value);
}

TEST(RecomputeGrad, GivesTheSameGradients) {
  Variable w(ones({512, 64}));
  const Tensor x = arange(64, DType::float32) / 64;
  std::vector<Tensors> found;
  for (const bool again : {false, true}) {
    GradientTape outer;
    outer.watch(x);
    GradientTape tape;
    tape.watch(x);
    const Tensors first = tape.gradient(deep(x, w, again), {x, w});
    found.push_back(
        {first[0], first[1], outer.gradient(sum(first[0] * first[0]), {x})[0]});
  }
  for (size_t i = 0; i < found[0].size(); ++i) {
    EXPECT_EQ(golden::difference(found[1][i].numpy(), found[0][i].numpy()), "");
  }
}

// What is alive between the forward pass and the gradient, if it is launched
// in between.
TEST(RecomputeGrad, KeepsNothingInBetween) {
  Variable w(ones({512, 64}));
  const Tensor x = arange(64, DType::float32) / 64;
  x.numpy(), w.numpy();
  std::vector<int64_t> kept;
  for (const bool again : {false, true}) {
    const int64_t before = internal::pjrt::live_handles().buffers;
    GradientTape tape;
    tape.watch(x);
    const Tensor y = deep(x, w, again);
    y.numpy();
    kept.push_back(internal::pjrt::live_handles().buffers - before);
    tape.gradient(y, x).numpy();
  }
  EXPECT_GE(kept[0], 2 * kLayers);
  // The value at the end, and between the layers.
  EXPECT_LE(kept[1], kLayers + 1);
}

// In one program each layer is there twice, with a barrier in between; the last
// one's value is not asked for.
TEST(RecomputeGrad, IsRunAgainBehindABarrier) {
  Variable w(ones({512, 64}));
  const Tensor x = arange(64, DType::float32) / 64;
  const auto text = [&](bool again) {
    GradientTape tape;
    tape.watch(x);
    const Tensor gradient = tape.gradient(deep(x, w, again), x);
    const Root root{gradient.ref()};
    return Program(std::span(&root, 1), gradient.ref().node->placement)
        .emit({});
  };
  const auto count = [](const std::string& all, const std::string& part) {
    int found = 0;
    for (size_t at = all.find(part); at != std::string::npos;
         at = all.find(part, at + 1)) {
      ++found;
    }
    return found;
  };
  const std::string plain = text(false), again = text(true);
  EXPECT_EQ(count(plain, "stablehlo.tanh"), kLayers);
  EXPECT_EQ(count(again, "stablehlo.tanh"), 2 * kLayers - 1);
  EXPECT_EQ(count(again, "stablehlo.optimization_barrier"), kLayers);
}

TEST(RecomputeGrad, VariablesAreAssignedOnce) {
  Variable calls(0.0, {.trainable = false}), w(3.0);
  const auto f = recompute_grad([&](const Tensor& x) {
    calls.assign_add(1);
    return x * x * w;
  });
  GradientTape tape;
  const Tensor y = f(2.0);
  EXPECT_EQ(tape.gradient(y, w).item<float>(), 4);
  EXPECT_EQ(calls.item<float>(), 1);
}

TEST(RecomputeGrad, AroundALoopAndInsideOne) {
  const Tensor x = constant(1.5);
  const auto power = [](const Tensor& v, const Tensor& factor) {
    return fori_loop(
        0, 3, [&](const Tensor&, const Tensor& u) { return u * factor; }, v);
  };
  const auto around = [&](const Tensor& v) {
    return recompute_grad([&](const Tensor& u) { return power(u, u); })(v);
  };
  EXPECT_FLOAT_EQ(grad(around)(x).item<float>(), 4 * std::pow(1.5f, 3));
  EXPECT_FLOAT_EQ(grad(grad(around))(x).item<float>(), 12 * 1.5f * 1.5f);
  const auto inside = [&](const Tensor& v) {
    return fori_loop(
        0, 2,
        [&](const Tensor&, const Tensor& u) {
          return recompute_grad([&](const Tensor& t) { return sin(t) * v; })(u);
        },
        v);
  };
  const float value = 1.5f, step = 1e-2f;
  const auto by_hand = [](float v) { return std::sin(std::sin(v) * v) * v; };
  EXPECT_FLOAT_EQ(inside(x).item<float>(), by_hand(value));
  EXPECT_NEAR(grad(inside)(x).item<float>(),
              (by_hand(value + step) - by_hand(value - step)) / (2 * step),
              1e-3);
}

}  // namespace
}  // namespace systolic
