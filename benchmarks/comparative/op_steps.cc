// Times the ops that XLA:CPU is slow at, most of all their gradients;
// op_steps.py does the same with TensorFlow, which is what Keras runs on.
// Prints one JSON line: microseconds a step of each task, as a launch of its
// own and, with "_in_loop" behind its name, in a loop on the device.
#include <systolic/systolic.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "systolic/graph/step.h"

namespace {

using namespace systolic;
using Clock = std::chrono::steady_clock;

constexpr int kPasses = 5;
constexpr double kRate = 1e-6;

// A task: its name and what one step does.
struct Task {
  std::string name;
  std::function<void()> step;
};

Variable random_variable(const Shape& shape) {
  return Variable(random::normal(shape));
}

// The gradients of a convolution of `x` images by 3x3x32x64 with bias and relu,
// by which all its operands are moved.
Task conv_gradient(std::string name, const Shape& x, nn::ConvOptions options) {
  options.activation = nn::FusedActivation::relu;
  const Variable image = random_variable(x);
  const Variable kernel = random_variable({3, 3, 32, 64});
  const Variable bias = random_variable({64});
  const Tensor seen = nn::conv(image, kernel, bias, options);
  const Variable dy = random_variable(seen.shape());
  return {std::move(name), [=] {
            GradientTape tape;
            const Tensor y = nn::conv(image, kernel, bias, options);
            const auto gradients =
                tape.gradient(sum(y * dy), Sources{image, kernel, bias});
            Variable(image).assign_sub(kRate * gradients[0]);
            Variable(kernel).assign_sub(kRate * gradients[1]);
            Variable(bias).assign_sub(kRate * gradients[2]);
          }};
}

Task max_pool_gradient(std::string name, const Shape& x) {
  const Variable image = random_variable(x);
  const Variable dy = random_variable(nn::max_pool(image).shape());
  return {
      std::move(name), [=] {
        GradientTape tape;
        const Tensor y = nn::max_pool(image);
        Variable(image).assign_sub(kRate * tape.gradient(sum(y * dy), image));
      }};
}

// Windows of 3 x 3 that overlap, as in an Inception; with the gradient of the
// averages' squares where `gradient`.
Task average_pool(std::string name, bool gradient) {
  const Variable image = random_variable({32, 17, 17, 192});
  const nn::PoolOptions overlapping{
      .pool_size = 3, .strides = 1, .padding = Padding::same};
  return {std::move(name), [=] {
            GradientTape tape;
            const Tensor y = nn::average_pool(image, overlapping);
            Variable(image).assign_sub(
                kRate * (gradient ? tape.gradient(sum(square(y)), image) : y));
          }};
}

std::vector<Task> tasks() {
  return {conv_gradient("conv_gradient", {200, 13, 13, 32}, {}),
          conv_gradient("strided_conv_gradient", {200, 28, 28, 32},
                        {.strides = {2, 2}, .padding = Padding::same}),
          max_pool_gradient("max_pool_gradient", {200, 26, 26, 32}),
          average_pool("average_pool", false),
          average_pool("average_pool_and_gradient", true)};
}

// Records `steps` steps, as a loop of the device where `loop`, and launches.
void launch(const Task& task, int64_t steps, bool loop) {
  const auto* placement = internal::graph::Placement::current_default();
  const auto one = [&](const std::function<void()>& record) {
    internal::graph::Step step(placement, task.name);
    record();
    step.commit({});
  };
  if (loop) {
    one([&] { for_loop(steps, [&](const Tensor&) { task.step(); }); });
  } else {
    for (int64_t i = 0; i < steps; ++i) one(task.step);
  }
}

// Microseconds a step in the quickest of the passes after the first.
double time(const Task& task, int64_t steps, bool loop, const Variable& done) {
  double best = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass <= kPasses; ++pass) {
    const auto begin = Clock::now();
    launch(task, steps, loop);
    launch({"done", [&] { Variable(done).assign_add(1); }}, 1, false);
    done.item<int>();
    const std::chrono::duration<double> seconds = Clock::now() - begin;
    if (pass > 0) best = std::min(best, seconds.count());
  }
  return best / static_cast<double>(steps) * 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Times ops that XLA:CPU is slow at.");
  int64_t steps = 20;
  app.add_option("--steps", steps, "Steps in a pass (20)")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  try {
    const Variable done(constant(0));
    std::string figures;
    for (const Task& task : tasks()) {
      for (bool loop : {false, true}) {
        figures += (figures.empty() ? "{\"" : ", \"") + task.name +
                   (loop ? "_in_loop" : "") +
                   "\": " + std::to_string(time(task, steps, loop, done));
      }
    }
    std::printf("%s}\n", figures.c_str());
  } catch (const Error& e) {
    std::fprintf(stderr, "op_steps: %s\n", e.what());
    return 1;
  }
  return 0;
}
