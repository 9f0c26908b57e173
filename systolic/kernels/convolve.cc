#include "systolic/kernels/convolve.h"

#include <algorithm>

#include "systolic/kernels/convolution_cache.h"
#include "systolic/kernels/scratch.h"
#include "systolic/kernels/threads.h"

namespace systolic::internal::kernels {
namespace {

// So that a thread that starts late or is interrupted does not hold up all.
constexpr int64_t kSlicesPerThread = 4;
// A filter gradient has one partial result per slice; above this many bytes
// of them oneDNN's own threads do better.
constexpr int64_t kPartialBytes = int64_t{64} << 20;

// The batch as `count` slices of `size` images; the last may be smaller.
struct Slices {
  int64_t batch;
  int64_t size;
  int64_t count;

  Slices(int64_t batch, int64_t most)
      : batch(batch),
        size((batch + most - 1) / most),
        count((batch + size - 1) / size) {}

  int64_t last_size() const { return batch - (count - 1) * size; }
};

int64_t product(const std::array<int64_t, 4>& sizes) {
  return sizes[0] * sizes[1] * sizes[2] * sizes[3];
}

// Bytes of one filter gradient with its bias, rounded to a cache line.
int64_t partial_bytes(const ConvolutionProblem& problem) {
  constexpr int64_t kLine = 64;
  int64_t floats = product(problem.filter) + problem.filter[3];
  return (floats * int64_t{sizeof(float)} + kLine - 1) / kLine * kLine;
}

// The prepared convolution of `images` images on one thread.
std::shared_ptr<const Convolution> prepared(ConvolutionProblem problem,
                                            int64_t images) {
  problem.source[0] = problem.destination[0] = images;
  problem.threads = 1;
  return cached_convolution(problem);
}

// A problem in slices: how it is cut, what computes each, where each lies.
struct SlicedConvolution {
  SlicedConvolution(const ConvolutionProblem& problem, int64_t most)
      : slices(problem.source[0], most),
        whole(prepared(problem, slices.size)),
        last(slices.last_size() == slices.size
                 ? whole
                 : prepared(problem, slices.last_size())),
        source_step(product(problem.source) / slices.batch * slices.size),
        destination_step(product(problem.destination) / slices.batch *
                         slices.size) {}

  const Convolution& at(int64_t slice) const {
    return slice + 1 == slices.count ? *last : *whole;
  }
  void run(int64_t slice, const ConvolutionData& data, void* packed,
           void* bias) const {
    at(slice).run(
        static_cast<float*>(data.source) + slice * source_step, packed, bias,
        static_cast<float*>(data.destination) + slice * destination_step);
  }

  Slices slices;
  std::shared_ptr<const Convolution> whole;
  std::shared_ptr<const Convolution> last;
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

// Forward and input gradient: the slices share one packed filter.
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

// Computes one slice's filter gradient into `filter` and `bias`.
void gradient_of_slice(const SlicedConvolution& sliced, int64_t slice,
                       const ConvolutionData& data, void* filter, void* bias) {
  ThreadScope scope(1);
  const Convolution& convolution = sliced.at(slice);
  const size_t bytes = convolution.packed_bytes();
  void* packed =
      bytes == 0 ? filter : scratch(ScratchSlot::slice_filter, bytes);
  sliced.run(slice, data, packed, bias);
  if (bytes != 0) convolution.unpack(packed, filter);
}

// Filter gradient: the first slice writes the result, to which those of the
// others are added in order, so that the sum does not depend on who was first.
void add_slices(const ConvolutionProblem& problem, int threads,
                const ConvolutionData& data) {
  SlicedConvolution sliced(problem, threads);
  const int64_t filter_size = product(problem.filter);
  const int64_t bias_size = problem.bias ? problem.filter[3] : 0;
  const int64_t step = partial_bytes(problem) / int64_t{sizeof(float)};
  auto* partials = static_cast<float*>(
      scratch(ScratchSlot::slice_results,
              (sliced.slices.count - 1) * partial_bytes(problem)));
  parallel(sliced.slices.count, threads, [&](int64_t slice) {
    if (slice == 0) {
      gradient_of_slice(sliced, slice, data, data.filter, data.bias);
    } else {
      float* mine = partials + (slice - 1) * step;
      gradient_of_slice(sliced, slice, data, mine, mine + filter_size);
    }
  });
  auto* filter = static_cast<float*>(data.filter);
  auto* bias = static_cast<float*>(data.bias);
  for (int64_t slice = 1; slice < sliced.slices.count; ++slice) {
    const float* partial = partials + (slice - 1) * step;
    for (int64_t i = 0; i < filter_size; ++i) filter[i] += partial[i];
    partial += filter_size;
    for (int64_t i = 0; i < bias_size; ++i) bias[i] += partial[i];
  }
}

// All at once, on the threads of oneDNN.
void run_whole(ConvolutionProblem problem, int threads,
               const ConvolutionData& data) {
  problem.threads = threads;
  ThreadScope scope(threads);
  auto convolution = cached_convolution(problem);
  if (problem.kind == ConvolutionKind::filter_gradient) {
    const size_t bytes = convolution->packed_bytes();
    void* packed =
        bytes == 0 ? data.filter : scratch(ScratchSlot::call_filter, bytes);
    convolution->run(data.source, packed, data.bias, data.destination);
    if (bytes != 0) convolution->unpack(packed, data.filter);
  } else {
    void* packed =
        packed_filter(*convolution, data.filter, ScratchSlot::call_filter);
    convolution->run(data.source, packed, data.bias, data.destination);
  }
}

}  // namespace

void convolve(const ConvolutionProblem& problem, int threads,
              const ConvolutionData& data) {
  const bool gradient = problem.kind == ConvolutionKind::filter_gradient;
  if (problem.source[0] < threads ||
      (gradient && threads * partial_bytes(problem) > kPartialBytes)) {
    run_whole(problem, threads, data);
    return;
  }
  ThreadScope scope(1);
  if (gradient) {
    add_slices(problem, threads, data);
  } else {
    run_slices(problem, threads, data);
  }
}

}  // namespace systolic::internal::kernels
