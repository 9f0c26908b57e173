#include "systolic/kernels/convolution_cache.h"

#include "systolic/kernels/prepared_cache.h"

namespace systolic::internal::kernels {
namespace {

// Never destroyed: calls may still run while the process exits.
PreparedCache<Convolution>& cache() {
  static auto* cache = new PreparedCache<Convolution>(kConvolutionCacheSize);
  return *cache;
}

}  // namespace

std::shared_ptr<const Convolution> cached_convolution(
    const ConvolutionProblem& problem) {
  return cache().get(problem.key(), [&] { return make_convolution(problem); });
}

size_t cached_convolutions() { return cache().size(); }

}  // namespace systolic::internal::kernels
