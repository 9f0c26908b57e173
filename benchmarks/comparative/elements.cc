// Times small elements through one pipeline; tf_elements.py is the peer.
//   elements --task map|map_float|shuffle|cache|large_shuffle [--elements N]
// 28 x 28 images of uint8, or the numbers of a range for large_shuffle. Prints
// one JSON line: microseconds an element of the best pass, and by how many
// megabytes the most that was resident grew meanwhile.
#include <sys/resource.h>
#include <systolic/systolic.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>

namespace {

using namespace systolic;

constexpr int64_t kBatch = 200;

struct Task {
  int64_t elements;
  int passes;
  std::function<data::Dataset(int64_t)> make;
};

data::Dataset images(int64_t elements) {
  return data::Dataset::from_tensor_slices(
      Array::zeros({elements, 28, 28}, DType::uint8));
}

// The pipelines of tf_elements.py, by the same names.
const std::map<std::string, Task>& tasks() {
  static const std::map<std::string, Task> all{
      {"map",
       {100'000, 5,
        [](int64_t n) {
          return images(n).map([](Array x) { return 255 - x; }).batch(kBatch);
        }}},
      {"map_float",
       {100'000, 5,
        [](int64_t n) {
          return images(n)
              .map([](Array x) { return cast<float>(x) / 255.f; })
              .batch(kBatch);
        }}},
      {"shuffle",
       {100'000, 5,
        [](int64_t n) {
          return images(n).shuffle(10'000, {.seed = 1}).batch(kBatch);
        }}},
      {"cache",
       {100'000, 5, [](int64_t n) { return images(n).cache().batch(kBatch); }}},
      {"large_shuffle",
       {10'000'000, 2, [](int64_t n) {
          return data::Dataset::range(n).shuffle(n, {.seed = 1}).batch(kBatch);
        }}}};
  return all;
}

// The most that was resident so far.
double resident_mb() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1000;
}

// Microseconds an element of one pass.
double pass(const data::Dataset& dataset, int64_t elements) {
  const auto begin = std::chrono::steady_clock::now();
  int64_t seen = 0;
  for (const auto& batch : dataset) seen += batch.array().shape()[0];
  const std::chrono::duration<double, std::micro> took =
      std::chrono::steady_clock::now() - begin;
  if (seen != elements) throw InternalError("the pipeline lost elements");
  return took.count() / static_cast<double>(elements);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Times small elements through one pipeline.");
  std::string name = "map";
  int64_t elements = 0;
  app.add_option("--task", name, "The pipeline (map)")
      ->check(CLI::IsMember(&tasks()));
  app.add_option("--elements", elements, "Elements in a pass (the task's)")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  try {
    // As in a training program, where the platform sets up the allocator.
    constant(1.f).numpy();
    const Task& task = tasks().at(name);
    if (elements == 0) elements = task.elements;
    const double before = resident_mb();
    const data::Dataset dataset = task.make(elements);
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < task.passes; ++i) {
      best = std::min(best, pass(dataset, elements));
    }
    std::printf(
        "{\"program\": \"systolic\", \"us_per_element\": %.4f, "
        "\"resident_mb\": %.1f}\n",
        best, resident_mb() - before);
  } catch (const Error& e) {
    std::fprintf(stderr, "elements: %s\n", e.what());
    return 1;
  }
  return 0;
}
