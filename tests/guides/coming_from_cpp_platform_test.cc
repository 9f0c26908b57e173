// The code of docs/guides/coming-from-cpp.md, and that it does what the page
// says.
#include <gtest/gtest.h>
#include <systolic/systolic.h>

#include <atomic>
#include <string>
#include <vector>

namespace systolic {
namespace {

TEST(ComingFromCpp, CodeRunsWhenItIsRecorded) {
  // [recorded]
  Variable total(constant(0), {.name = "total"});
  int times = 0;
  for_loop(100, [&](const Tensor& i) {
    ++times;              // C++: once, when the body is recorded
    total.assign_add(i);  // an op: 100 times, on the device
  });
  // [recorded]
  EXPECT_EQ(times, 1);
  EXPECT_EQ(total.item<int>(), 4950);
}

// [where]
// relu of a value that nobody knows yet: where, not if.
Tensor positive_part(const Tensor& x) { return where(x > 0, x, 0); }
// [where]

TEST(ComingFromCpp, ValuesAreNotThereYet) {
  EXPECT_EQ(positive_part(constant({-1.0, 2.0})).numpy().to_string(),
            "[0. 2.]");
  Variable total(constant(0), {.name = "total"});
  EXPECT_THROW(for_loop(3,
                        [&](const Tensor& i) {
                          if ((i > 1).item<bool>()) total.assign_add(i);
                        }),
               ValueError);
}

TEST(ComingFromCpp, CopiesShare) {
  // [copies]
  Variable a(constant({1.0, 2.0}), {.name = "a"});
  Variable same = a;                         // another name for the same state
  Variable other(a.value(), {.name = "b"});  // state of its own
  a.assign_add(1);
  // same holds [2. 3.], other still [1. 2.]

  layers::Dense dense(4);
  models::Sequential first({dense}), second({dense});  // one set of weights
  // [copies]
  EXPECT_EQ(same.numpy().to_string(), "[2. 3.]");
  EXPECT_EQ(other.numpy().to_string(), "[1. 2.]");
  first.build({1, 3});
  second.build({1, 3});
  EXPECT_EQ(first.weights()[0], second.weights()[0]);
}

TEST(ComingFromCpp, ScopesEndWithTheirBlock) {
  const auto resolver = distribute::TPUClusterResolver::connect("virtual:v3-2");
  // [scope]
  distribute::TPUStrategy strategy(resolver);
  {
    auto scope = strategy.scope();  // named: lives to the end of the block
    Variable spread(constant(0.0), {.name = "spread"});
  }
  Variable single(constant(0.0), {.name = "single"});
  // [scope]
  EXPECT_EQ(single.replica_values().size(), 1u);
  auto scope = strategy.scope();
  EXPECT_EQ(Variable(constant(0.0)).replica_values().size(), 2u);
}

TEST(ComingFromCpp, TapesRecordToTheFirstGradient) {
  // [tape]
  Variable w(constant({1.0, 2.0}), {.name = "w"});
  GradientTape tape;  // records from here
  Tensor loss = sum(square(w));
  Tensor gradient = tape.gradient(loss, w);  // to here
  // [tape]
  EXPECT_EQ(gradient.numpy().to_string(), "[2. 4.]");
  EXPECT_THROW(tape.gradient(loss, w), ValueError);
}

TEST(ComingFromCpp, NumbersTakeTheTensorsType) {
  // [numbers]
  Tensor n = constant({1, 2, 3});     // int32
  Tensor half = n / 2;                // [0.5 1.  1.5]: / is true division
  Tensor whole = floor_divide(n, 2);  // [0 1 1]
  Tensor zero = 1 / 2 * n;            // [0 0 0]: C++ divides 1 / 2 first
  Tensor pixels = zeros({2}, DType::uint8) + 3;  // uint8: 3 adapts to it
  Tensor scaled = n * 0.5;                       // float32: 0.5 has a point
  // [numbers]
  EXPECT_EQ(half.numpy().to_string(), "[0.5 1.  1.5]");
  EXPECT_EQ(whole.numpy().to_string(), "[0 1 1]");
  EXPECT_EQ(zero.numpy().to_string(), "[0 0 0]");
  EXPECT_EQ(pixels.dtype(), DType::uint8);
  EXPECT_EQ(scaled.dtype(), DType::float32);
  EXPECT_THROW(pixels + 300, ValueError);
}

TEST(ComingFromCpp, ElementsHaveTheTypesThatOneAsksFor) {
  const auto dataset = data::Dataset::from_tensor_slices(
      Array::from({1.f, 2.f}), Array::from({0, 1}));
  // [elements]
  float sum = 0;
  for (auto [x, y] : dataset.as<float, int>()) sum += x * y;
  // [elements]
  EXPECT_EQ(sum, 2);
}

// [captures]
// Reading happens after this function has returned: capture by value.
data::Dataset scaled(const data::Dataset& input, float factor) {
  return input.map([factor](Array x) { return x * factor; });
}
// [captures]

TEST(ComingFromCpp, DatasetsKeepTheirFunctions) {
  const auto dataset =
      scaled(data::Dataset::from_tensor_slices(Array::from({1.f, 2.f})), 3);
  float sum = 0;
  for (float x : dataset.as<float>()) sum += x;
  EXPECT_EQ(sum, 9);
}

TEST(ComingFromCpp, MapCallsFromSeveralThreads) {
  // [threads]
  std::atomic<int> calls = 0;  // not int: the function runs in many threads
  auto dataset = data::Dataset::range(1000).map(
      [&calls](int64_t i) {
        ++calls;
        return i;
      },
      {.num_parallel_calls = data::AUTOTUNE});
  for ([[maybe_unused]] auto& element : dataset) {
  }
  // [threads]
  EXPECT_EQ(calls, 1000);
}

TEST(ComingFromCpp, TemporariesEndBeforeALoopOverTheirInside) {
  models::Sequential model({layers::Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Array x = Array::zeros({4, 2}), y = Array::zeros({4, 1});
  const models::FitOptions options{.epochs = 2,
                                   .verbose = models::Verbose::silent};
  double best = 1e9;
  // [temporaries]
  // Not `for (double loss : model.fit(x, y, options)["loss"])`: C++20 ends
  // the history before the loop begins.
  callbacks::History history = model.fit(x, y, options);
  for (double loss : history["loss"]) best = std::min(best, loss);
  // [temporaries]
  EXPECT_EQ(best, 0);
}

// Spoils the second element that it sees.
Array second_fails(int64_t i) {
  if (i == 1) throw std::runtime_error("no such file");
  return Array::full({2, 3}, 1.f);
}

TEST(ComingFromCpp, ExceptionsLeaveWeightsAsTheyWere) {
  auto dataset = data::Dataset::range(4).map([](int64_t i) {
    return std::pair(second_fails(i), Array::full({2, 1}, 1.f));
  });
  // [exceptions]
  models::Sequential model({layers::Dense(1, {.input_shape = {3}})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  std::string problem;
  try {
    model.fit(dataset, {.verbose = models::Verbose::silent});
  } catch (const DataError& error) {
    problem = error.what();  // map (element 1): no such file
  }
  // The step before the error counts, the one it hit has changed nothing.
  int steps = model.optimizer().iterations().item<int>();
  // [exceptions]
  EXPECT_NE(problem.find("no such file"), std::string::npos) << problem;
  EXPECT_EQ(steps, 1);
}

}  // namespace
}  // namespace systolic
