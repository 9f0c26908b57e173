#include "systolic/kernels/kernels.h"

#include "systolic/kernels/lapack.h"

namespace kernels = systolic::internal::kernels;

namespace {

template <class Handler>
void* address(Handler* handler) {
  return reinterpret_cast<void*>(handler);
}

const SystolicKernel kKernels[] = {
    {"systolic_average_pool2d_forward",
     address(&kernels::systolic_average_pool2d_forward)},
    {"systolic_average_pool2d_gradient",
     address(&kernels::systolic_average_pool2d_gradient)},
    {"systolic_conv2d_forward", address(&kernels::systolic_conv2d_forward)},
    {"systolic_conv2d_gradient", address(&kernels::systolic_conv2d_gradient)},
    {"systolic_matmul", address(&kernels::systolic_matmul)},
    {"systolic_max_pool2d_forward",
     address(&kernels::systolic_max_pool2d_forward)},
    {"systolic_max_pool2d_gradient",
     address(&kernels::systolic_max_pool2d_gradient)},
    {"systolic_random_bits", address(&kernels::systolic_random_bits)},
    // The rest are LAPACK's.
    {"systolic_cholesky", address(&kernels::systolic_cholesky)},
    {"systolic_eigh", address(&kernels::systolic_eigh)},
    {"systolic_lu", address(&kernels::systolic_lu)},
    {"systolic_solve", address(&kernels::systolic_solve)},
    {"systolic_svd", address(&kernels::systolic_svd)},
};
constexpr size_t kLapackKernels = 5;

}  // namespace

extern "C" __attribute__((visibility("default"))) const SystolicKernel*
systolic_kernels(size_t* count) {
  *count = sizeof(kKernels) / sizeof(kKernels[0]);
  // Without it nobody is told of what needs it, and XLA's own code runs.
  if (kernels::lapack<float>() == nullptr) *count -= kLapackKernels;
  return kKernels;
}
