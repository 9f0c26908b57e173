// What an element costs on its way through a pipeline: 28x28 images as MNIST
// has them. items_per_second counts elements.
#include <benchmark/benchmark.h>

#include "systolic/array/arrays.h"
#include "systolic/data/dataset.h"

namespace systolic::data {
namespace {

constexpr int64_t kImages = 20'000;
constexpr int64_t kBatch = 200;

Dataset images() {
  return Dataset::from_tensor_slices(
      Array::zeros({kImages, 28, 28}, DType::uint8),
      Array::zeros({kImages}, DType::uint8));
}

std::pair<Array, Array> prepare(Array image, Array label) {
  return {expand_dims(cast<float>(image) / 255.f, -1), label};
}

void read(benchmark::State& state, const Dataset& dataset) {
  for (auto _ : state) {
    Iterator iterator = dataset.iterator();
    Element element;
    while (iterator.get_next(&element)) benchmark::DoNotOptimize(element);
  }
  state.SetItemsProcessed(state.iterations() * kImages);
}

void BM_Slices(benchmark::State& state) { read(state, images()); }
BENCHMARK(BM_Slices)->UseRealTime()->Unit(benchmark::kMillisecond);

void BM_ShuffleBatch(benchmark::State& state) {
  read(state, images().shuffle(10'000, {.seed = 1}).batch(kBatch));
}
BENCHMARK(BM_ShuffleBatch)->UseRealTime()->Unit(benchmark::kMillisecond);

// The argument is num_parallel_calls; -1 is AUTOTUNE.
void BM_MapBatch(benchmark::State& state) {
  read(state, images()
                  .map(prepare, {.num_parallel_calls = state.range(0)})
                  .batch(kBatch));
}
BENCHMARK(BM_MapBatch)
    ->Arg(1)
    ->Arg(2)
    ->Arg(AUTOTUNE)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void BM_CachedShuffleBatchPrefetch(benchmark::State& state) {
  const Dataset cached = images().map(prepare).cache();
  read(state,
       cached.shuffle(10'000, {.seed = 1}).batch(kBatch).prefetch(AUTOTUNE));
}
BENCHMARK(BM_CachedShuffleBatchPrefetch)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void BM_CachedBatches(benchmark::State& state) {
  const Dataset batches = images().map(prepare).batch(kBatch).cache();
  for (auto& element : batches) benchmark::DoNotOptimize(element);
  read(state, batches);
}
BENCHMARK(BM_CachedBatches)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace systolic::data
