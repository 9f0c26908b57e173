#include "systolic/kernels/convolve.h"

#include <algorithm>

#include "systolic/kernels/convolution_cache.h"
#include "systolic/kernels/scratch.h"
#include "systolic/kernels/slices.h"
#include "systolic/kernels/threads.h"

namespace systolic::internal::kernels {
namespace {

// So that a thread that starts late or is interrupted does not hold up all.
constexpr int64_t kSlicesPerThread = 4;

int64_t product(const std::array<int64_t, 4>& sizes) {
  return sizes[0] * sizes[1] * sizes[2] * sizes[3];
}

// The prepared convolution of `images` images on one thread.
std::shared_ptr<const Convolution> prepared(ConvolutionProblem problem,
                                            int64_t images) {
  problem.source[0] = problem.destination[0] = images;
  problem.threads = 1;
  return cached_convolution(problem);
}

// A problem in slices: how it is cut, what computes each, where each lies.
struct SlicedConvolution : PreparedSlices<Convolution> {
  SlicedConvolution(const ConvolutionProblem& problem, int64_t most)
      : PreparedSlices(
            Slices(problem.source[0], most),
            [&](int64_t images) { return prepared(problem, images); }),
        source_step(product(problem.source) / slices.batch * slices.size),
        destination_step(product(problem.destination) / slices.batch *
                         slices.size) {}

  void run(int64_t slice, const ConvolutionData& data, void* packed,
           void* bias) const {
    at(slice).run(
        static_cast<float*>(data.source) + slice * source_step, packed, bias,
        static_cast<float*>(data.destination) + slice * destination_step);
  }

  int64_t source_step;
  int64_t destination_step;
};

// Returns the filter as `convolution` takes it; packed into `slot` if need be.
void* packed_filter(const Convolution& convolution, void* filter,
                    ScratchSlot slot) {
  if (convolution.packed_bytes() == 0) return filter;
  void* packed = scratch(slot, convolution.packed_bytes());
  convolution.pack(filter, packed);
  return packed;
}

// The slices share one packed filter.
void run_slices(const ConvolutionProblem& problem, int threads,
                const ConvolutionData& data) {
  const int64_t most = threads == 1 ? 1 : threads * kSlicesPerThread;
  SlicedConvolution sliced(problem, most);
  void* packed =
      packed_filter(*sliced.whole, data.filter, ScratchSlot::call_filter);
  parallel(sliced.slices.count, threads, [&](int64_t slice) {
    ThreadScope scope(1);
    const Convolution& convolution = sliced.at(slice);
    void* mine = convolution.packs_like(*sliced.whole)
                     ? packed
                     : packed_filter(convolution, data.filter,
                                     ScratchSlot::slice_filter);
    sliced.run(slice, data, mine, data.bias);
  });
}

// All at once, on the threads of oneDNN.
void run_whole(ConvolutionProblem problem, int threads,
               const ConvolutionData& data) {
  problem.threads = threads;
  ThreadScope scope(threads);
  auto convolution = cached_convolution(problem);
  void* packed =
      packed_filter(*convolution, data.filter, ScratchSlot::call_filter);
  convolution->run(data.source, packed, data.bias, data.destination);
}

}  // namespace

void convolve(const ConvolutionProblem& problem, int threads,
              const ConvolutionData& data) {
  if (problem.source[0] < threads) {
    run_whole(problem, threads, data);
    return;
  }
  ThreadScope scope(1);
  run_slices(problem, threads, data);
}

}  // namespace systolic::internal::kernels
