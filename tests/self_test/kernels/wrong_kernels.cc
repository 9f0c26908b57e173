// A kernel library whose convolution writes nothing, or ends the process where
// WRONG_KERNELS is "crash": what the self-test has to find.
#include <cstdlib>
#include <string_view>

#include "systolic/pjrt/ffi.h"

namespace {

namespace pjrt = systolic::internal::pjrt;

void do_wrong(const pjrt::FfiCall&) {
  const char* how = std::getenv("WRONG_KERNELS");
  if (how != nullptr && std::string_view(how) == "crash") std::abort();
}

pjrt::ffi_abi::Error* wrong(pjrt::ffi_abi::CallFrame* frame) {
  return pjrt::serve_ffi_call(frame, "systolic_conv2d_forward", &do_wrong);
}

const SystolicKernel kKernels[] = {
    {"systolic_conv2d_forward", reinterpret_cast<void*>(&wrong)}};

}  // namespace

extern "C" __attribute__((visibility("default"))) const SystolicKernel*
systolic_kernels(size_t* count) {
  *count = 1;
  return kKernels;
}
