// The product of two matrices, or of batches of them. XLA:CPU is as fast as
// oneDNN save where the first one is transposed, as in the gradient of every
// dense layer's weights.
#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <cstring>

#include "systolic/kernels/attributes.h"
#include "systolic/kernels/kernels.h"
#include "systolic/kernels/slices.h"
#include "systolic/kernels/threads.h"

namespace systolic::internal::kernels {
namespace {

using pjrt::FfiBuffer;
using pjrt::FfiCall;
using pjrt::FfiError;
using pjrt::ffi_abi::ElementType;
using pjrt::ffi_abi::ErrorCode;

// A slice has at least this many products of two numbers (about 30 us), so
// that handing it to another thread is worth it.
constexpr int64_t kLeastProducts = 4'000'000;
// So that a thread that starts late or is interrupted holds up less.
constexpr int64_t kSlicesPerThread = 2;

// z[m, n] = x[m, k] y[k, n], `batch` times; x is stored as [k, m] and y as
// [n, k] where they are transposed.
struct Product {
  int64_t batch = 1;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  bool transpose_x = false;
  bool transpose_y = false;
};

int64_t leading(const FfiBuffer& buffer) {
  int64_t count = 1;
  for (int i = 0; i + 2 < buffer.rank(); ++i) count *= buffer.dimensions[i];
  return count;
}

Product product_of(const FfiCall& call, const FfiBuffer& x, const FfiBuffer& y,
                   const FfiBuffer& z) {
  Product p;
  p.transpose_x = flag(call, "transpose_x");
  p.transpose_y = flag(call, "transpose_y");
  const size_t last = z.dimensions.size() - 1;
  p.batch = leading(z);
  p.m = z.dimensions[last - 1];
  p.n = z.dimensions[last];
  p.k = x.dimensions[p.transpose_x ? last - 1 : last];
  const bool batches = std::equal(z.dimensions.begin(), z.dimensions.end() - 2,
                                  x.dimensions.begin()) &&
                       std::equal(z.dimensions.begin(), z.dimensions.end() - 2,
                                  y.dimensions.begin());
  if (!batches || x.dimensions[p.transpose_x ? last : last - 1] != p.m ||
      y.dimensions[p.transpose_y ? last : last - 1] != p.k ||
      y.dimensions[p.transpose_y ? last - 1 : last] != p.n) {
    throw FfiError(ErrorCode::invalid_argument,
                   "the sizes do not fit together: " + x.to_string() +
                       (p.transpose_x ? " transposed" : "") + " times " +
                       y.to_string() + (p.transpose_y ? " transposed" : "") +
                       " is not " + z.to_string());
  }
  return p;
}

// Rows [first, first + rows) of the result, on one thread. oneDNN's sgemm
// keeps nothing between calls, so calls at the same time share nothing.
void multiply(const Product& p, int64_t first, int64_t rows, const float* x,
              const float* y, float* z) {
  const auto status = dnnl_sgemm(
      p.transpose_x ? 'T' : 'N', p.transpose_y ? 'T' : 'N', rows, p.n, p.k, 1.f,
      x + (p.transpose_x ? first : first * p.k), p.transpose_x ? p.m : p.k, y,
      p.transpose_y ? p.k : p.n, 0.f, z + first * p.n, p.n);
  if (status != dnnl_success) {
    throw FfiError(ErrorCode::internal,
                   "oneDNN's sgemm failed with status " +
                       std::to_string(static_cast<int>(status)));
  }
}

void matmul(const FfiCall& call) {
  const FfiBuffer any = call.argument(0);
  const int rank = std::max(2, any.rank());
  const FfiBuffer x = call.argument(0, ElementType::float32, rank);
  const FfiBuffer y = call.argument(1, ElementType::float32, rank);
  const FfiBuffer z = call.result(0, ElementType::float32, rank);
  const Product p = product_of(call, x, y, z);
  if (z.elements() == 0) return;
  if (p.k == 0) {
    std::memset(z.data, 0, sizeof(float) * z.elements());
    return;
  }
  const int threads = threads_of(call);
  // The rows of each matrix are cut, or else only the batch.
  const int64_t wanted =
      std::clamp<int64_t>(p.batch * p.m * p.n * p.k / kLeastProducts, 1,
                          threads == 1 ? 1 : threads * kSlicesPerThread);
  const Slices rows(p.m, std::max<int64_t>(1, wanted / p.batch));
  const int64_t pieces = p.batch * rows.count;
  parallel(pieces, wanted == 1 ? 1 : threads, [&](int64_t piece) {
    ThreadScope scope(1);
    const int64_t matrix = piece / rows.count, slice = piece % rows.count;
    multiply(p, rows.first(slice), rows.size_of(slice),
             static_cast<const float*>(x.data) + matrix * p.m * p.k,
             static_cast<const float*>(y.data) + matrix * p.k * p.n,
             static_cast<float*>(z.data) + matrix * p.m * p.n);
  });
}

}  // namespace

pjrt::ffi_abi::Error* systolic_matmul(pjrt::ffi_abi::CallFrame* frame) {
  return pjrt::serve_ffi_call(frame, "systolic_matmul", &matmul);
}

}  // namespace systolic::internal::kernels
