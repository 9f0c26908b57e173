#include <gtest/gtest.h>

#include <cmath>

#include "systolic/kernels/kernels.h"
#include "systolic/kernels/test_cases.h"
#include "systolic/testing/ffi_frame.h"

namespace systolic::internal::kernels {
namespace {

using pjrt::ffi_abi::ElementType;
using testing::FfiFrame;

constexpr auto kFloat = ElementType::float32;
using Floats = std::vector<float>;

// A batch of products, of which none is stored transposed.
struct Sizes {
  int64_t batch, m, k, n;
};

// Whole numbers, whose sums are exact in any order.
Floats whole_numbers(const Dimensions& sizes, int seed) {
  Floats values = random_values(sizes, seed);
  for (float& value : values) value = std::round(2 * value);
  return values;
}

// The transpose of each matrix [rows, columns] of a batch.
Floats transposed(const Floats& x, int64_t rows, int64_t columns) {
  Floats result(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const int64_t size = rows * columns, at = static_cast<int64_t>(i);
    const int64_t row = at % size / columns, column = at % columns;
    result[at / size * size + column * rows + row] = x[i];
  }
  return result;
}

Floats product(const Sizes& s, const Floats& x, const Floats& y) {
  Floats z(s.batch * s.m * s.n);
  for (int64_t b = 0; b < s.batch; ++b) {
    for (int64_t i = 0; i < s.m; ++i) {
      for (int64_t k = 0; k < s.k; ++k) {
        const float factor = x[(b * s.m + i) * s.k + k];
        for (int64_t j = 0; j < s.n; ++j) {
          z[(b * s.m + i) * s.n + j] += factor * y[(b * s.k + k) * s.n + j];
        }
      }
    }
  }
  return z;
}

// Products of a row, of a column, in one slice, in several with a smaller last
// one, and of batches of each; on one thread and on several.
TEST(MatmulTest, IsItsFormula) {
  for (const Sizes& s :
       {Sizes{1, 1, 5, 7}, Sizes{1, 7, 1, 1}, Sizes{1, 33, 17, 10},
        Sizes{1, 787, 200, 129}, Sizes{1, 3, 4001, 2048}, Sizes{3, 5, 6, 7},
        Sizes{2, 301, 130, 257}, Sizes{40, 64, 64, 65}}) {
    const Floats x = whole_numbers({s.batch, s.m, s.k}, 1);
    const Floats y = whole_numbers({s.batch, s.k, s.n}, 2);
    const Floats expected = product(s, x, y);
    for (int flags = 0; flags < 8; ++flags) {
      const bool tx = flags & 1, ty = flags & 2;
      Floats a = tx ? transposed(x, s.m, s.k) : x;
      Floats b = ty ? transposed(y, s.k, s.n) : y;
      Floats z(expected.size(), 7.f);
      Dimensions x_sizes = tx ? Dimensions{s.k, s.m} : Dimensions{s.m, s.k};
      Dimensions y_sizes = ty ? Dimensions{s.n, s.k} : Dimensions{s.k, s.n};
      Dimensions z_sizes{s.m, s.n};
      for (Dimensions* sizes : {&x_sizes, &y_sizes, &z_sizes}) {
        if (s.batch > 1) sizes->insert(sizes->begin(), s.batch);
      }
      FfiFrame frame;
      frame.argument(kFloat, x_sizes, a.data());
      frame.argument(kFloat, y_sizes, b.data());
      frame.result(kFloat, z_sizes, z.data());
      frame.attribute("transpose_x", tx).attribute("transpose_y", ty);
      frame.attribute("threads", int64_t{flags & 4 ? 3 : 1});
      EXPECT_EQ(frame.call(&systolic_matmul), "");
      EXPECT_TRUE(z == expected) << s.batch << " " << s.m << " " << s.k << " "
                                 << s.n << ", flags " << flags;
    }
  }
}

TEST(MatmulTest, NoTermsMakeZero) {
  Floats none, z(6, 7.f);
  FfiFrame frame;
  frame.argument(kFloat, {2, 0}, none.data());
  frame.argument(kFloat, {0, 3}, none.data());
  frame.result(kFloat, {2, 3}, z.data());
  EXPECT_EQ(frame.call(&systolic_matmul), "");
  EXPECT_EQ(z, Floats(6, 0.f));
}

TEST(MatmulTest, SaysWhatDoesNotFit) {
  Floats data(64);
  FfiFrame frame;
  frame.argument(kFloat, {2, 3}, data.data());
  frame.argument(kFloat, {2, 4}, data.data());
  frame.result(kFloat, {2, 4}, data.data());
  EXPECT_EQ(frame.call(&systolic_matmul),
            "systolic_matmul: the sizes do not fit together: tensor<2x3xf32> "
            "times tensor<2x4xf32> is not tensor<2x4xf32>");
  frame.attribute("transpose_x", true);
  EXPECT_EQ(frame.call(&systolic_matmul),
            "systolic_matmul: the sizes do not fit together: tensor<2x3xf32> "
            "transposed times tensor<2x4xf32> is not tensor<2x4xf32>");
}

}  // namespace
}  // namespace systolic::internal::kernels
