#include "systolic/kernels/convolve_gradient.h"

#include <algorithm>

#include "systolic/kernels/convolution_cache.h"
#include "systolic/kernels/relu_gradient.h"
#include "systolic/kernels/scratch.h"
#include "systolic/kernels/slices.h"
#include "systolic/kernels/threads.h"

namespace systolic::internal::kernels {
namespace {

// So that a thread that starts late or is interrupted holds up less.
constexpr int64_t kSharesPerThread = 2;
// Images are taken together while their gradients have about this size: it
// leaves room for the rest in the second-level cache.
constexpr int64_t kBlockBytes = 384 << 10;
// A filter gradient has one partial result per share; above this many bytes
// of them oneDNN's own threads do better.
constexpr int64_t kPartialBytes = int64_t{64} << 20;
constexpr int64_t kFloat = sizeof(float);

int64_t product(const std::array<int64_t, 4>& sizes) {
  return sizes[0] * sizes[1] * sizes[2] * sizes[3];
}

// oneDNN's interface has no const; what is only read stays as it is.
void* data_of(const float* values) { return const_cast<float*>(values); }

void add(const float* values, int64_t count, float* sums) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) sums[i] += values[i];
}

// The sizes of a problem, in floats unless they say otherwise.
struct Sizes {
  explicit Sizes(const ConvolutionProblem& problem)
      : batch(problem.source[0]),
        channels(problem.filter[3]),
        filter(product(problem.filter)),
        input(product(problem.source) / batch),
        result(product(problem.destination) / batch),
        pixels(result / channels) {}

  int64_t batch;
  int64_t channels;
  int64_t filter;
  int64_t input;   // of one image
  int64_t result;  // of one image
  int64_t pixels;  // of one image's result
};

// Where one share's gradients of filter and bias go; null: not wanted.
struct Sums {
  float* filter;
  float* bias;
};

// Returns the gradient of the convolution's result for some images; spread into
// `block` where a pooling follows.
const float* spread(const Sizes& sizes, const GradientData& data, int64_t first,
                    int64_t images, float* block) {
  if (data.pooling == nullptr) return data.gradient + first * sizes.result;
  const int64_t pooled = data.pooling->destination_size();
  for (int64_t i = 0; i < images; ++i) {
    pool_gradient(*data.pooling, data.result + (first + i) * sizes.result,
                  data.gradient + (first + i) * pooled,
                  block + i * sizes.result);
  }
  return block;
}

// The step from `gradient` to that of the linear convolution, in `block`.
ReluGradient step_of(const Sizes& sizes, const GradientData& data,
                     int64_t first, const float* gradient, float* block,
                     float* sums) {
  ReluGradient step{.gradient = gradient, .sums = sums};
  if (data.relu) {
    step.result = data.result + first * sizes.result;
    step.masked = block;
  }
  return step;
}

// The gradients of some images, block by block, on one thread.
class Share {
 public:
  Share(const ConvolutionProblem& problem, const GradientData& data, Sums sums)
      : problem_(problem), data_(data), sizes_(problem), sums_(sums) {}

  void run(int64_t first, int64_t images) {
    if (sums_.bias != nullptr) std::fill_n(sums_.bias, sizes_.channels, 0.f);
    const int64_t together =
        std::max<int64_t>(1, kBlockBytes / (sizes_.result * kFloat));
    const Slices blocks(images, (images + together - 1) / together);
    for (int64_t block = 0; block < blocks.count; ++block) {
      run_block(first + blocks.first(block), blocks.size_of(block));
    }
    if (sum_ != nullptr && sum_ != sums_.filter) {
      summed_->unpack(sum_, sums_.filter);
      if (rest_ != nullptr) add(rest_, sizes_.filter, sums_.filter);
    }
  }

 private:
  std::shared_ptr<const Convolution> prepared(ConvolutionKind kind,
                                              int64_t images) const {
    ConvolutionProblem problem = problem_;
    problem.kind = kind;
    problem.source[0] = problem.destination[0] = images;
    problem.bias = problem.relu = false;
    problem.threads = 1;
    return cached_convolution(problem);
  }

  void run_block(int64_t first, int64_t images) {
    float* block = nullptr;
    if (data_.relu || data_.pooling != nullptr) {
      block = static_cast<float*>(
          scratch(ScratchSlot::masked, images * sizes_.result * kFloat));
    }
    const float* gradient = spread(sizes_, data_, first, images, block);
    relu_gradient(step_of(sizes_, data_, first, gradient, block, sums_.bias),
                  images * sizes_.pixels, sizes_.channels);
    if (data_.relu) gradient = block;
    if (sums_.filter != nullptr) add_filter_gradient(first, images, gradient);
    if (data_.input_gradient != nullptr) {
      write_input_gradient(first, images, gradient);
    }
  }

  void write_input_gradient(int64_t first, int64_t images,
                            const float* gradient) {
    auto convolution = prepared(ConvolutionKind::input_gradient, images);
    const size_t bytes = convolution->packed_bytes();
    void* filter = data_of(data_.filter);
    if (bytes != 0) {
      filter = scratch(ScratchSlot::slice_filter, bytes);
      if (packed_ == nullptr || !convolution->packs_like(*packed_)) {
        convolution->pack(data_.filter, filter);
        packed_ = convolution;
      }
    }
    convolution->run(data_.input_gradient + first * sizes_.input, filter,
                     nullptr, data_of(gradient));
  }

  // The sum stays packed as the first block has it until all are added. Only
  // the last block, where it is smaller, can be packed in another way.
  void add_filter_gradient(int64_t first, int64_t images,
                           const float* gradient) {
    auto convolution = prepared(ConvolutionKind::filter_gradient, images);
    const size_t bytes = convolution->packed_bytes();
    void* input = data_of(data_.input + first * sizes_.input);
    if (sum_ == nullptr) {
      summed_ = convolution;
      sum_ = bytes == 0
                 ? sums_.filter
                 : static_cast<float*>(scratch(ScratchSlot::filter_sum, bytes));
      convolution->run(input, sum_, nullptr, data_of(gradient));
      return;
    }
    const size_t plain = sizes_.filter * kFloat;
    auto* mine = static_cast<float*>(
        scratch(ScratchSlot::filter_gradient, bytes == 0 ? plain : bytes));
    convolution->run(input, mine, nullptr, data_of(gradient));
    if (convolution->packs_like(*summed_)) {
      add(mine, static_cast<int64_t>(bytes == 0 ? plain : bytes) / kFloat,
          sum_);
      return;
    }
    rest_ = mine;
    if (bytes != 0) {
      rest_ = static_cast<float*>(scratch(ScratchSlot::filter_rest, plain));
      convolution->unpack(mine, rest_);
    }
    if (sum_ == sums_.filter) add(rest_, sizes_.filter, sum_);
  }

  const ConvolutionProblem& problem_;
  const GradientData& data_;
  const Sizes sizes_;
  const Sums sums_;
  std::shared_ptr<const Convolution> packed_;  // the filter, as this packs it
  std::shared_ptr<const Convolution> summed_;
  float* sum_ = nullptr;   // of the filter gradients, as summed_ packs it
  float* rest_ = nullptr;  // another one, plain
};

// The batch in shares; the first writes the result, to which those of the
// others are added in order, so that the sum does not depend on who was first.
void run_shares(const ConvolutionProblem& problem, const Slices& shares,
                int threads, const GradientData& data) {
  const Sizes sizes(problem);
  const int64_t step = sizes.filter + sizes.channels;
  float* partials = nullptr;
  if (data.filter_gradient != nullptr || data.bias_gradient != nullptr) {
    partials = static_cast<float*>(scratch(ScratchSlot::slice_results,
                                           (shares.count - 1) * step * kFloat));
  }
  const auto sums_of = [&](int64_t share) -> Sums {
    if (share == 0) return {data.filter_gradient, data.bias_gradient};
    float* mine = partials + (share - 1) * step;
    return {data.filter_gradient == nullptr ? nullptr : mine,
            data.bias_gradient == nullptr ? nullptr : mine + sizes.filter};
  };
  parallel(shares.count, threads, [&](int64_t share) {
    ThreadScope scope(1);
    Share(problem, data, sums_of(share))
        .run(shares.first(share), shares.size_of(share));
  });
  for (int64_t share = 1; share < shares.count; ++share) {
    const Sums sums = sums_of(share);
    if (sums.filter != nullptr) {
      add(sums.filter, sizes.filter, data.filter_gradient);
    }
    if (sums.bias != nullptr) {
      add(sums.bias, sizes.channels, data.bias_gradient);
    }
  }
}

// The gradient of the linear convolution for all images at once.
const float* linear_gradient(const Sizes& sizes, int threads,
                             const GradientData& data) {
  float* all = nullptr;
  if (data.relu || data.pooling != nullptr) {
    all = static_cast<float*>(
        scratch(ScratchSlot::masked, sizes.batch * sizes.result * kFloat));
  }
  const float* gradient = data.gradient;
  if (data.pooling != nullptr) {
    gradient = all;
    parallel(sizes.batch, threads, [&](int64_t image) {
      spread(sizes, data, image, 1, all + image * sizes.result);
    });
  }
  float* bias = data.bias_gradient;
  const Slices parts(sizes.batch * sizes.pixels, threads);
  float* sums = nullptr;
  if (bias != nullptr) {
    sums = static_cast<float*>(scratch(ScratchSlot::slice_results,
                                       parts.count * sizes.channels * kFloat));
    std::fill_n(sums, parts.count * sizes.channels, 0.f);
    std::fill_n(bias, sizes.channels, 0.f);
  }
  parallel(parts.count, threads, [&](int64_t part) {
    const int64_t at = parts.first(part) * sizes.channels;
    relu_gradient(
        {.gradient = gradient + at,
         .result = data.relu ? data.result + at : nullptr,
         .masked = data.relu ? all + at : nullptr,
         .sums = bias == nullptr ? nullptr : sums + part * sizes.channels},
        parts.size_of(part), sizes.channels);
  });
  for (int64_t part = 0; bias != nullptr && part < parts.count; ++part) {
    add(sums + part * sizes.channels, sizes.channels, bias);
  }
  return data.relu ? all : gradient;
}

// All images at once, on the threads of oneDNN.
void run_whole(ConvolutionProblem problem, int threads,
               const GradientData& data) {
  const float* gradient = linear_gradient(Sizes(problem), threads, data);
  problem.bias = problem.relu = false;
  problem.threads = threads;
  ThreadScope scope(threads);
  if (data.input_gradient != nullptr) {
    problem.kind = ConvolutionKind::input_gradient;
    auto convolution = cached_convolution(problem);
    void* filter = data_of(data.filter);
    if (const size_t bytes = convolution->packed_bytes(); bytes != 0) {
      filter = scratch(ScratchSlot::slice_filter, bytes);
      convolution->pack(data.filter, filter);
    }
    convolution->run(data.input_gradient, filter, nullptr, data_of(gradient));
  }
  if (data.filter_gradient != nullptr) {
    problem.kind = ConvolutionKind::filter_gradient;
    auto convolution = cached_convolution(problem);
    const size_t bytes = convolution->packed_bytes();
    void* packed = bytes == 0 ? data.filter_gradient
                              : scratch(ScratchSlot::filter_sum, bytes);
    convolution->run(data_of(data.input), packed, nullptr, data_of(gradient));
    if (bytes != 0) convolution->unpack(packed, data.filter_gradient);
  }
}

}  // namespace

void convolve_gradient(const ConvolutionProblem& problem, int threads,
                       const GradientData& data) {
  const Sizes sizes(problem);
  const Slices shares(sizes.batch,
                      threads == 1 ? 1 : threads * kSharesPerThread);
  const bool many = data.filter_gradient != nullptr &&
                    (shares.count - 1) * sizes.filter * kFloat > kPartialBytes;
  if (sizes.batch < threads || many) {
    run_whole(problem, threads, data);
  } else {
    run_shares(problem, shares, threads, data);
  }
}

}  // namespace systolic::internal::kernels
