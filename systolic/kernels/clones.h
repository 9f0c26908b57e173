// Versions of one function for several instruction sets; the best of them is
// chosen when the library is loaded.
//   SYSTOLIC_KERNEL_CLONES void add(const float* x, float* y) { ... }
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define SYSTOLIC_KERNEL_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define SYSTOLIC_KERNEL_CLONES
#endif
