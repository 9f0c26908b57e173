#include "systolic/kernels/kernels.h"

namespace kernels = systolic::internal::kernels;

namespace {

template <class Handler>
void* address(Handler* handler) {
  return reinterpret_cast<void*>(handler);
}

const SystolicKernel kKernels[] = {
    {"systolic_conv2d_forward", address(&kernels::systolic_conv2d_forward)},
    {"systolic_conv2d_gradient", address(&kernels::systolic_conv2d_gradient)},
    {"systolic_matmul", address(&kernels::systolic_matmul)},
    {"systolic_max_pool2d_forward",
     address(&kernels::systolic_max_pool2d_forward)},
    {"systolic_max_pool2d_gradient",
     address(&kernels::systolic_max_pool2d_gradient)},
    {"systolic_random_bits", address(&kernels::systolic_random_bits)},
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const SystolicKernel*
systolic_kernels(size_t* count) {
  *count = sizeof(kKernels) / sizeof(kKernels[0]);
  return kKernels;
}
