// Decompositions of one matrix, read back: by LAPACK where it is installed,
// with SYSTOLIC_LAPACK=off as XLA's own expansions.
//   ops_benchmark --benchmark_filter='svd/float32/128'
#include <benchmark/benchmark.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "systolic/array/arrays.h"
#include "systolic/ops/linalg.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/products.h"

namespace systolic {
namespace {

Tensor matrix(int64_t n, DType dtype) {
  std::mt19937 engine(1);
  std::normal_distribution<double> normal;
  std::vector<double> values(static_cast<size_t>(n * n));
  for (double& value : values) value = normal(engine);
  return constant(cast(Array::from(values, {n, n}), dtype));
}

Tensor positive(int64_t n, DType dtype) {
  const Tensor x = matrix(n, dtype);
  const Tensor ones = cast(equal(reshape(arange(n), {n, 1}), arange(n)), dtype);
  return matmul(x, transpose(x)) + ones * static_cast<double>(n);
}

void add(const std::string& name, int64_t n, DType dtype,
         const std::function<Tensor(const Tensor&)>& op) {
  const std::string full =
      name + "/" + std::string(systolic::name(dtype)) + "/" + std::to_string(n);
  benchmark::RegisterBenchmark(full.c_str(),
                               [=](benchmark::State& state) {
                                 const Tensor x = positive(n, dtype);
                                 op(x).numpy();
                                 for (auto _ : state) op(x).numpy();
                               })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) {
  using namespace systolic;
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const int64_t n : {32, 128, 512}) {
      add("cholesky", n, dtype, [](const Tensor& x) { return cholesky(x); });
      add("lu", n, dtype, [](const Tensor& x) { return lu(x).first; });
      add("solve", n, dtype, [](const Tensor& x) { return solve(x, x); });
      add("qr", n, dtype, [](const Tensor& x) { return qr(x).first; });
      add("eigh", n, dtype, [](const Tensor& x) { return eigh(x).second; });
      add("svd", n, dtype, [](const Tensor& x) { return std::get<0>(svd(x)); });
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
