// Tested by: systolic/image/operations_test.cc
#include "systolic/image/mirror_row.h"

#include <cstring>

#if defined(__x86_64__)
#include <tmmintrin.h>
#endif

namespace systolic::image::detail {
namespace {

// Mirrors the pixels of the result from `first` on, with the bytes of one
// known to the compiler, which then copies in one instruction.
template <size_t kBytes>
void mirror_from(int64_t first, const std::byte* from, std::byte* to,
                 int64_t width) {
  constexpr auto kStep = static_cast<int64_t>(kBytes);
  const std::byte* pixel = from + (width - 1 - first) * kStep;
  to += first * kStep;
  for (int64_t x = first; x < width; ++x, pixel -= kStep, to += kBytes) {
    std::memcpy(to, pixel, kBytes);
  }
}

#if defined(__x86_64__)
// Mirrors pixels of three bytes, five at a time as far as whole vectors lie
// inside of both rows; returns how many.
__attribute__((target("ssse3"))) int64_t mirror_fives(const std::byte* from,
                                                      std::byte* to,
                                                      int64_t width) {
  // Byte 0 is of the pixel to the left; the last one is written over next.
  const __m128i order =
      _mm_setr_epi8(13, 14, 15, 10, 11, 12, 7, 8, 9, 4, 5, 6, 1, 2, 3, 0);
  int64_t x = 0;
  for (; x + 6 <= width; x += 5) {
    const std::byte* pixels = from + (width - 5 - x) * 3 - 1;
    const __m128i five =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(pixels));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + x * 3),
                     _mm_shuffle_epi8(five, order));
  }
  return x;
}
#endif

void mirror_three(const std::byte* from, std::byte* to, int64_t width) {
  int64_t first = 0;
#if defined(__x86_64__)
  static const bool has_shuffle = __builtin_cpu_supports("ssse3") != 0;
  if (has_shuffle) first = mirror_fives(from, to, width);
#endif
  mirror_from<3>(first, from, to, width);
}

#if defined(__x86_64__)
// Mirrors pixels of three floats, four at a time; returns how many.
int64_t mirror_fours(const std::byte* from, std::byte* to, int64_t width) {
  const auto* in = reinterpret_cast<const float*>(from);
  auto* out = reinterpret_cast<float*>(to);
  int64_t x = 0;
  for (; x + 4 <= width; x += 4, out += 12) {
    // Pixels a b c d as (a a a b) (b b c c) (c d d d) become (d d d c)
    // (c c b b) (b a a a).
    const float* pixels = in + (width - 4 - x) * 3;
    const __m128 aaab = _mm_loadu_ps(pixels);
    const __m128 bbcc = _mm_loadu_ps(pixels + 4);
    const __m128 cddd = _mm_loadu_ps(pixels + 8);
    const __m128 dc = _mm_shuffle_ps(cddd, bbcc, _MM_SHUFFLE(2, 2, 3, 3));
    const __m128 cc = _mm_shuffle_ps(bbcc, cddd, _MM_SHUFFLE(0, 0, 3, 3));
    const __m128 bb = _mm_shuffle_ps(aaab, bbcc, _MM_SHUFFLE(0, 0, 3, 3));
    const __m128 ba = _mm_shuffle_ps(bbcc, aaab, _MM_SHUFFLE(0, 0, 1, 1));
    _mm_storeu_ps(out, _mm_shuffle_ps(cddd, dc, _MM_SHUFFLE(2, 0, 2, 1)));
    _mm_storeu_ps(out + 4, _mm_shuffle_ps(cc, bb, _MM_SHUFFLE(2, 0, 2, 0)));
    _mm_storeu_ps(out + 8, _mm_shuffle_ps(ba, aaab, _MM_SHUFFLE(2, 1, 2, 0)));
  }
  return x;
}
#endif

void mirror_twelve(const std::byte* from, std::byte* to, int64_t width) {
  int64_t first = 0;
#if defined(__x86_64__)
  first = mirror_fours(from, to, width);
#endif
  mirror_from<12>(first, from, to, width);
}

void mirror_any(const std::byte* from, std::byte* to, int64_t width,
                size_t bytes) {
  const auto step = static_cast<int64_t>(bytes);
  for (int64_t x = 0; x < width; ++x) {
    std::memcpy(to + x * step, from + (width - 1 - x) * step, bytes);
  }
}

}  // namespace

void mirror_row(const std::byte* from, std::byte* to, int64_t width,
                size_t pixel_bytes) {
  switch (pixel_bytes) {
    case 1:
      return mirror_from<1>(0, from, to, width);
    case 3:
      return mirror_three(from, to, width);
    case 4:
      return mirror_from<4>(0, from, to, width);
    case 12:
      return mirror_twelve(from, to, width);
    default:
      return mirror_any(from, to, width, pixel_bytes);
  }
}

}  // namespace systolic::image::detail
