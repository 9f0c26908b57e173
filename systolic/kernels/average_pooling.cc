// Average pooling: slices of the batch, each a pooling of oneDNN's on one
// thread. A single image is never shared by threads: oneDNN's own wait for each
// other longer than that takes.
#include <algorithm>
#include <string>

#include "systolic/kernels/attributes.h"
#include "systolic/kernels/kernels.h"
#include "systolic/kernels/onednn.h"
#include "systolic/kernels/pooling.h"
#include "systolic/kernels/prepared_cache.h"
#include "systolic/kernels/slices.h"
#include "systolic/kernels/threads.h"

namespace systolic::internal::kernels {
namespace {

using pjrt::FfiBuffer;
using pjrt::FfiCall;
using pjrt::FfiError;
using pjrt::ffi_abi::ElementType;
using pjrt::ffi_abi::ErrorCode;

// So that a thread that starts late or is interrupted does not hold up all.
constexpr int64_t kSlicesPerThread = 4;
constexpr size_t kCacheSize = 128;

// Never destroyed: calls may still run while the process exits.
PreparedCache<AveragePooling>& cache() {
  static auto* cache = new PreparedCache<AveragePooling>(kCacheSize);
  return *cache;
}

// The prepared pooling of `images` images on one thread.
std::shared_ptr<const AveragePooling> prepared(Pooling pooling, bool gradient,
                                               int64_t images) {
  pooling.source[0] = pooling.destination[0] = images;
  std::vector<int64_t> key{gradient};
  key.reserve(17);
  const auto append = [&](const auto& values) {
    key.insert(key.end(), values.begin(), values.end());
  };
  append(pooling.source);
  append(pooling.destination);
  append(pooling.window);
  append(pooling.strides);
  append(pooling.low);
  append(pooling.high);
  return cache().get(std::move(key),
                     [&] { return make_average_pooling(pooling, gradient); });
}

void run(const Pooling& p, bool gradient, int threads, const float* from,
         float* to) {
  ThreadScope scope(1);
  const PreparedSlices<AveragePooling> sliced(
      Slices(p.source[0], threads == 1 ? 1 : threads * kSlicesPerThread),
      [&](int64_t images) { return prepared(p, gradient, images); });
  const int64_t size = sliced.slices.size;
  const int64_t source = size * p.source_size();
  const int64_t destination = size * p.destination_size();
  parallel(sliced.slices.count, threads, [&](int64_t slice) {
    ThreadScope one(1);
    sliced.at(slice).run(from + slice * (gradient ? destination : source),
                         to + slice * (gradient ? source : destination));
  });
}

// The pooling of a call; each window must have a pixel to divide by.
Pooling average_of(const FfiCall& call, const FfiBuffer& x,
                   const FfiBuffer& y) {
  const Pooling p = pooling_of(call, "", x, y);
  for (int axis = 0; axis < 2; ++axis) {
    const int64_t padding = std::max(p.low[axis], p.high[axis]);
    if (padding >= p.window[axis]) {
      throw FfiError(ErrorCode::invalid_argument,
                     "expected less padding than the window is large, got "
                     "padding " +
                         std::to_string(padding) + " and window " +
                         std::to_string(p.window[axis]));
    }
  }
  return p;
}

void forward(const FfiCall& call) {
  FfiBuffer x = call.argument(0, ElementType::float32, 4);
  FfiBuffer y = call.result(0, ElementType::float32, 4);
  const Pooling p = average_of(call, x, y);
  if (y.elements() == 0) return;
  run(p, false, threads_of(call), static_cast<const float*>(x.data),
      static_cast<float*>(y.data));
}

void gradient(const FfiCall& call) {
  FfiBuffer dy = call.argument(0, ElementType::float32, 4);
  FfiBuffer dx = call.result(0, ElementType::float32, 4);
  const Pooling p = average_of(call, dx, dy);
  if (dx.elements() == 0) return;
  if (dy.elements() == 0) {
    std::fill_n(static_cast<float*>(dx.data), dx.elements(), 0.f);
    return;
  }
  run(p, true, threads_of(call), static_cast<const float*>(dy.data),
      static_cast<float*>(dx.data));
}

}  // namespace

pjrt::ffi_abi::Error* systolic_average_pool2d_forward(
    pjrt::ffi_abi::CallFrame* frame) {
  return pjrt::serve_ffi_call(frame, "systolic_average_pool2d_forward",
                              &forward);
}

pjrt::ffi_abi::Error* systolic_average_pool2d_gradient(
    pjrt::ffi_abi::CallFrame* frame) {
  return pjrt::serve_ffi_call(frame, "systolic_average_pool2d_gradient",
                              &gradient);
}

}  // namespace systolic::internal::kernels
