#include "systolic/kernels/convolution_cache.h"

#include <gtest/gtest.h>

#include <thread>

#include "systolic/kernels/threads.h"
#include "systolic/pjrt/ffi.h"

namespace systolic::internal::kernels {
namespace {

// A 1x1 convolution of a `size` x `size` image.
ConvolutionProblem problem(int64_t size) {
  ConvolutionProblem p;
  p.source = {1, size, size, 1};
  p.filter = {1, 1, 1, 1};
  p.destination = {1, size, size, 1};
  return p;
}

std::shared_ptr<const Convolution> cached(const ConvolutionProblem& p) {
  ThreadScope scope(p.threads);
  return cached_convolution(p);
}

TEST(ConvolutionCacheTest, KeepsWhatIsEqual) {
  auto first = cached(problem(4));
  EXPECT_EQ(cached(problem(4)), first);
  EXPECT_NE(cached(problem(5)), first);
}

TEST(ConvolutionCacheTest, EveryFieldCounts) {
  ConvolutionProblem base = problem(6);
  base.source = base.destination = {2, 6, 6, 4};
  base.filter = {1, 1, 4, 4};
  std::vector<ConvolutionProblem> variants(11, base);
  variants[1].kind = ConvolutionKind::input_gradient;
  variants[2].kind = ConvolutionKind::filter_gradient;
  variants[3].bias = true;
  variants[4].relu = true;
  variants[5].threads = 2;
  variants[6].dilation = {2, 2};
  variants[7].groups = 2;
  variants[7].filter[2] = 2;
  variants[8].strides = {2, 2};
  variants[8].destination = {2, 3, 3, 4};
  variants[9].padding_low = {1, 0};
  variants[9].destination[1] = 7;
  variants[10].padding_high = {1, 0};
  variants[10].destination[1] = 7;
  std::vector<std::shared_ptr<const Convolution>> made;
  for (const auto& variant : variants) made.push_back(cached(variant));
  for (size_t i = 0; i < made.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_NE(made[i], made[j]) << i << " " << j;
  }
}

TEST(ConvolutionCacheTest, ForgetsTheLeastRecentlyUsed) {
  auto oldest = cached(problem(10));
  auto used = cached(problem(11));
  for (size_t i = 0; i < kConvolutionCacheSize; ++i) {
    cached(problem(12 + static_cast<int64_t>(i)));
    EXPECT_EQ(cached(problem(11)), used);
  }
  EXPECT_EQ(cached_convolutions(), kConvolutionCacheSize);
  EXPECT_NE(cached(problem(10)), oldest);
}

TEST(ConvolutionCacheTest, ThreadsGetTheSame) {
  std::vector<std::shared_ptr<const Convolution>> got(8);
  std::vector<std::thread> threads;
  for (auto& slot : got) {
    threads.emplace_back([&slot] { slot = cached(problem(9)); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& slot : got) EXPECT_EQ(slot, got[0]);
}

TEST(ConvolutionCacheTest, AFailureIsNotKept) {
  ConvolutionProblem wrong = problem(4);
  wrong.destination[1] = 5;
  const size_t before = cached_convolutions();
  EXPECT_THROW(cached(wrong), pjrt::FfiError);
  EXPECT_EQ(cached_convolutions(), before);
}

}  // namespace
}  // namespace systolic::internal::kernels
