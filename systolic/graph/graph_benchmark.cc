// What the host pays around a launch, per node: recording, the backward walk,
// key and look-up. items_per_second counts nodes (operations and scalars); the
// target is 0.25 us each.
#include <benchmark/benchmark.h>

#include "systolic/graph/program_cache.h"
#include "systolic/graph/step.h"
#include "systolic/ops/ops.h"

namespace systolic::internal::graph {
namespace {

Tensor data(const Shape& shape) { return constant(Array::ones(shape)); }

void count_nodes(benchmark::State& state, size_t nodes) {
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(nodes));
  state.counters["nodes"] = static_cast<double>(nodes);
  state.counters["us/node"] = benchmark::Counter(
      static_cast<double>(nodes) * 1e-6 *
          static_cast<double>(state.iterations()),
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// A chain of elementwise ops, recorded and dropped.
void record_chain(benchmark::State& state) {
  const auto length = static_cast<size_t>(state.range(0));
  const Tensor x = data({32, 32});
  for (auto _ : state) {
    const Step step(Placement::current_default(), "benchmark");
    Tensor y = x;
    for (size_t i = 0; i < length; ++i) y = y * x;
    benchmark::DoNotOptimize(y);
  }
  count_nodes(state, length);
}
BENCHMARK(record_chain)->Arg(100)->Arg(1000);

// The same, and what a launch needs to know of it.
void record_and_look_up(benchmark::State& state) {
  const auto length = static_cast<size_t>(state.range(0));
  const Tensor x = data({32, 32});
  const Placement* placement = Placement::current_default();
  for (auto _ : state) {
    const Step step(placement, "benchmark");
    Tensor y = x;
    for (size_t i = 0; i < length; ++i) y = y * x;
    const Root root{y.ref(), {}};
    const Program program(std::span(&root, 1), placement);
    benchmark::DoNotOptimize(&ProgramCache::instance().find(program));
  }
  count_nodes(state, length);
}
BENCHMARK(record_and_look_up)->Arg(100)->Arg(1000);

// A dense network's training step with plain gradient descent: forward,
// backward, assignments, key and look-up; all but the launch.
struct Network {
  std::vector<Variable> weights;
  Tensor x = data({32, 64});
  Tensor labels = constant(Array::zeros({32}, DType::int32));

  explicit Network(int layers) {
    for (int i = 0; i < layers; ++i) {
      weights.emplace_back(data({64, 64}));
      weights.emplace_back(data({64}));
    }
  }

  std::vector<Root> record() {
    GradientTape tape;
    Tensor h = x;
    for (size_t i = 0; i < weights.size(); i += 2) {
      h = nn::relu(matmul(h, weights[i]) + weights[i + 1]);
    }
    const Tensor loss = mean(nn::sparse_softmax_cross_entropy(labels, h));
    const auto gradients = tape.gradient(loss, weights);
    std::vector<Root> roots;
    for (size_t i = 0; i < weights.size(); ++i) {
      weights[i].assign_sub(gradients[i] * 0.01f);
      roots.push_back({weights[i].state()->current.ref(), {}});
    }
    return roots;
  }
};

void training_step(benchmark::State& state) {
  Network network(static_cast<int>(state.range(0)));
  const Placement* placement = Placement::current_default();
  size_t nodes = 0;
  for (auto _ : state) {
    const Step step(placement, "benchmark");
    const std::vector<Root> roots = network.record();
    const Program program(roots, placement);
    nodes = program.order().size() + program.literals().size();
    benchmark::DoNotOptimize(&ProgramCache::instance().find(program));
  }
  count_nodes(state, nodes);
}
BENCHMARK(training_step)->Arg(2)->Arg(50);

// The same with the launch and new state.
void training_step_launched(benchmark::State& state) {
  Network network(static_cast<int>(state.range(0)));
  const Placement* placement = Placement::current_default();
  for (auto _ : state) {
    Step step(placement, "benchmark");
    network.record();
    step.commit({});
  }
  network.weights[0].numpy();
}
BENCHMARK(training_step_launched)->Arg(2)->UseRealTime();

// One small eager operation, read back.
void eager_add(benchmark::State& state) {
  const Tensor x = data({2});
  for (auto _ : state) benchmark::DoNotOptimize((x + x).numpy());
}
BENCHMARK(eager_add);

}  // namespace
}  // namespace systolic::internal::graph
