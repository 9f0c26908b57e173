// TensorFlow's stateless random numbers: Philox 4x32-10, keyed by a seed.
//   StatelessNumbers numbers({1, 2});
//   float f = numbers.uniform();
#pragma once

#include <array>
#include <cstdint>

namespace systolic::image::detail {

// The numbers of one call of a stateless function, in their order.
class StatelessNumbers {
 public:
  explicit StatelessNumbers(const std::array<int64_t, 2>& seed);

  // The next 32 random bits.
  uint32_t bits();
  // The next number from 0 (which occurs) to 1, with 23 random bits.
  float uniform();
  // The next number of a range.
  float uniform(double lower, double upper);
  // The next whole number from `lower` on, below `upper`.
  int64_t integer(int64_t lower, int64_t upper);
  // The next one below n, at least 1, each exactly as likely: what TensorFlow's
  // kernels draw by themselves.
  uint32_t below(uint32_t n);

 private:
  uint64_t key_ = 0;
  std::array<uint32_t, 4> counter_{};
  std::array<uint32_t, 4> block_{};
  int used_ = 4;
};

// A seed of the program's sequence, or of the element of a data set.
std::array<int64_t, 2> fresh_seed();

}  // namespace systolic::image::detail
