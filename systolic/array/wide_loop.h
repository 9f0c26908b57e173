// A loop over numbers with the widest vectors that this processor has, where
// the library itself is built for any.
//   internal::wide_loop([=] { for (...) to[i] = from[i] / divisor; });
// The results are those of the plain loop, bit for bit: AVX2 does the same
// operations on more numbers at once, and FMA, which rounds otherwise, stays
// off.
#pragma once

namespace systolic::internal {

#if defined(__x86_64__)
template <class Loop>
__attribute__((target("avx2"))) void loop_with_avx2(const Loop& loop) {
  loop();
}
#endif

// Runs the loop, which captures what it reads by value: the compiler then
// knows that its stores do not change it.
template <class Loop>
void wide_loop(const Loop& loop) {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2) return loop_with_avx2(loop);
#endif
  loop();
}

}  // namespace systolic::internal
