#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>
#include <type_traits>
#include <vector>

#include "systolic/kernels/kernels.h"
#include "systolic/kernels/lapack.h"
#include "systolic/kernels/test_cases.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/ffi_frame.h"

namespace systolic::internal::kernels {
namespace {

using pjrt::ffi_abi::ElementType;
using systolic::testing::EnvironmentGuard;
using testing::FfiFrame;

TEST(LapackTest, TheVariableNamesTheOnlyCandidate) {
  {
    const EnvironmentGuard chosen("SYSTOLIC_LAPACK", "/x/liblapack.so");
    EXPECT_EQ(lapack_candidates(),
              (std::vector<std::string>{"/x/liblapack.so"}));
  }
  {
    const EnvironmentGuard off("SYSTOLIC_LAPACK", "off");
    EXPECT_TRUE(lapack_candidates().empty());
  }
  const EnvironmentGuard unset("SYSTOLIC_LAPACK", "");
  EXPECT_EQ(lapack_candidates().back(), "libopenblas.so.0");
}

// Batches of matrices of numbers of one type.
template <class T>
class DecompositionsTest : public ::testing::Test {
 protected:
  using Numbers = std::vector<T>;
  static constexpr ElementType kType =
      std::is_same_v<T, float> ? ElementType::float32 : ElementType::float64;
  static constexpr T kError = std::is_same_v<T, float> ? T(2e-4) : T(1e-11);
  static constexpr int64_t kBatch = 3;

  void SetUp() override {
    if (lapack<T>() == nullptr) GTEST_SKIP() << "no LAPACK is installed";
  }

  static Numbers numbers(int64_t rows, int64_t columns, int seed) {
    const auto values = random_values({kBatch, rows, columns}, seed);
    return Numbers(values.begin(), values.end());
  }

  // x y, or x times y transposed, of each matrix.
  static Numbers product(const Numbers& x, const Numbers& y, int64_t m,
                         int64_t k, int64_t n, bool turned = false) {
    Numbers z(static_cast<size_t>(kBatch * m * n));
    for (int64_t b = 0; b < kBatch; ++b) {
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          T sum = 0;
          for (int64_t at = 0; at < k; ++at) {
            sum += x[(b * m + i) * k + at] *
                   y[turned ? (b * n + j) * k + at : (b * k + at) * n + j];
          }
          z[(b * m + i) * n + j] = sum;
        }
      }
    }
    return z;
  }

  static Numbers positive(int64_t n, int seed) {
    const Numbers x = numbers(n, n, seed);
    Numbers a = product(x, x, n, n, n, true);
    for (int64_t i = 0; i < kBatch * n; ++i) a[i * n + i % n] += T(n);
    return a;
  }

  static void expect_near(const Numbers& got, const Numbers& wanted) {
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_NEAR(got[i], wanted[i], kError * (1 + std::abs(wanted[i]))) << i;
    }
  }

  static Numbers cholesky(const Numbers& a, int64_t n) {
    Numbers l(a.size(), T(7));
    FfiFrame frame;
    frame.argument(kType, {kBatch, n, n}, a.data());
    frame.result(kType, {kBatch, n, n}, l.data());
    EXPECT_EQ(frame.call(&systolic_cholesky), "");
    return l;
  }

  struct Eigen {
    Numbers values, vectors;
  };
  static Eigen eigh(const Numbers& a, int64_t n) {
    Eigen result{Numbers(kBatch * n), Numbers(a.size())};
    FfiFrame frame;
    frame.argument(kType, {kBatch, n, n}, a.data());
    frame.result(kType, {kBatch, n}, result.values.data());
    frame.result(kType, {kBatch, n, n}, result.vectors.data());
    EXPECT_EQ(frame.call(&systolic_eigh), "");
    return result;
  }

  struct Svd {
    Numbers u, s, vh;
  };
  static Svd svd(const Numbers& x, int64_t m, int64_t n) {
    const int64_t k = std::min(m, n);
    Svd result{Numbers(kBatch * m * k), Numbers(kBatch * k),
               Numbers(kBatch * k * n)};
    FfiFrame frame;
    frame.argument(kType, {kBatch, m, n}, x.data());
    frame.result(kType, {kBatch, m, k}, result.u.data());
    frame.result(kType, {kBatch, k}, result.s.data());
    frame.result(kType, {kBatch, k, n}, result.vh.data());
    EXPECT_EQ(frame.call(&systolic_svd), "");
    return result;
  }

  // The columns of each matrix (rows, n) times numbers.
  static Numbers scaled(Numbers x, const Numbers& by, int64_t rows, int64_t n) {
    for (size_t i = 0; i < x.size(); ++i) {
      const int64_t at = static_cast<int64_t>(i);
      x[i] *= by[at / (rows * n) * n + at % n];
    }
    return x;
  }
};

using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(DecompositionsTest, Types);

TYPED_TEST(DecompositionsTest, CholeskyReadsTheLowerTriangleAndClearsTheUpper) {
  constexpr int64_t n = 5;
  const auto a = this->positive(n, 1);
  auto lower = a;
  for (int64_t i = 0; i < this->kBatch * n; ++i) {
    for (int64_t j = i % n + 1; j < n; ++j) lower[i * n + j] = TypeParam(99);
  }
  const auto l = this->cholesky(lower, n);
  for (int64_t i = 0; i < this->kBatch * n; ++i) {
    for (int64_t j = i % n + 1; j < n; ++j) EXPECT_EQ(l[i * n + j], 0);
  }
  this->expect_near(this->product(l, l, n, n, n, true), a);
}

TYPED_TEST(DecompositionsTest, CholeskyOfOneThatIsNotPositiveIsNan) {
  constexpr int64_t n = 3;
  auto a = this->positive(n, 1);
  a[n * n] = TypeParam(-1);  // of the second one
  const auto l = this->cholesky(a, n);
  for (int64_t i = 0; i < n * n; ++i) {
    EXPECT_TRUE(std::isfinite(l[i])) << i;
    const bool is_lower = i % n <= i / n;
    EXPECT_EQ(std::isnan(l[n * n + i]), is_lower) << i;
  }
}

TYPED_TEST(DecompositionsTest, LuIsTheMatrixInAnotherOrder) {
  using T = TypeParam;
  constexpr int64_t n = 4;
  const auto x = this->numbers(n, n, 2);
  std::vector<T> both(x.size()), lower(x.size()), upper(x.size());
  std::vector<int32_t> pivots(this->kBatch * n), order(this->kBatch * n);
  FfiFrame frame;
  frame.argument(this->kType, {this->kBatch, n, n}, x.data());
  frame.result(this->kType, {this->kBatch, n, n}, both.data());
  frame.result(ElementType::int32, {this->kBatch, n}, pivots.data());
  frame.result(ElementType::int32, {this->kBatch, n}, order.data());
  ASSERT_EQ(frame.call(&systolic_lu), "");
  std::vector<T> ordered(x.size());
  for (int64_t i = 0; i < this->kBatch * n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const int64_t row = i % n, from = i - row + order[i];
      ordered[i * n + j] = x[from * n + j];
      lower[i * n + j] = j < row ? both[i * n + j] : T(j == row);
      upper[i * n + j] = j < row ? T(0) : both[i * n + j];
    }
    EXPECT_GE(pivots[i], i % n);
    EXPECT_LT(pivots[i], n);
  }
  this->expect_near(this->product(lower, upper, n, n, n), ordered);
}

TYPED_TEST(DecompositionsTest, SolvesSeveralRightHandSides) {
  using T = TypeParam;
  constexpr int64_t n = 4, k = 3;
  auto a = this->numbers(n, n, 3);
  const auto x = this->numbers(n, k, 4);
  auto b = this->product(a, x, n, n, k);
  std::fill_n(a.begin() + n * n, n, T(0));  // the second one is singular
  std::vector<T> got(x.size());
  FfiFrame frame;
  frame.argument(this->kType, {this->kBatch, n, n}, a.data());
  frame.argument(this->kType, {this->kBatch, n, k}, b.data());
  frame.result(this->kType, {this->kBatch, n, k}, got.data());
  ASSERT_EQ(frame.call(&systolic_solve), "");
  for (size_t i = 0; i < got.size(); ++i) {
    if (i / (n * k) == 1) {
      EXPECT_TRUE(std::isnan(got[i])) << i;
    } else {
      EXPECT_NEAR(got[i], x[i], 10 * this->kError) << i;
    }
  }
}

TYPED_TEST(DecompositionsTest, EigenvaluesRiseAndGiveTheMatrix) {
  constexpr int64_t n = 6;
  const auto a = this->positive(n, 5);
  const auto [values, vectors] = this->eigh(a, n);
  for (int64_t i = 0; i < this->kBatch * n; ++i) {
    if (i % n > 0) {
      EXPECT_LE(values[i - 1], values[i]);
    }
  }
  this->expect_near(this->product(this->scaled(vectors, values, n, n), vectors,
                                  n, n, n, true),
                    a);
}

TYPED_TEST(DecompositionsTest, SingularValuesFallAndGiveTheMatrix) {
  for (const auto& [m, n] :
       {std::pair<int64_t, int64_t>{6, 4}, {3, 5}, {4, 4}, {1, 1}, {5, 1}}) {
    const int64_t k = std::min(m, n);
    const auto x = this->numbers(m, n, 6);
    const auto [u, s, vh] = this->svd(x, m, n);
    for (int64_t i = 1; i < k; ++i) EXPECT_GE(s[i - 1], s[i]);
    EXPECT_GE(s[k - 1], 0);
    this->expect_near(this->product(this->scaled(u, s, m, k), vh, m, k, n), x);
  }
}

// LAPACK itself would print a line, and may not end.
TYPED_TEST(DecompositionsTest, WhatIsNoNumberGivesNone) {
  constexpr int64_t n = 3;
  for (const TypeParam value : {std::numeric_limits<TypeParam>::quiet_NaN(),
                                std::numeric_limits<TypeParam>::infinity()}) {
    auto a = this->positive(n, 7);
    a[n * n + 3] = value;  // in the lower triangle of the second one
    const auto eigen = this->eigh(a, n);
    const auto parts = this->svd(a, n, n);
    for (int64_t i = 0; i < this->kBatch * n; ++i) {
      EXPECT_EQ(std::isnan(eigen.values[i]), i / n == 1) << i;
      EXPECT_EQ(std::isnan(parts.s[i]), i / n == 1) << i;
    }
  }
}

TYPED_TEST(DecompositionsTest, ThreadsAtOnceGiveTheSameBits) {
  constexpr int64_t n = 40;
  const auto a = this->positive(n, 8);
  const auto alone = this->eigh(a, n);
  const auto l = this->cholesky(a, n);
  const auto parts = this->svd(a, n, n);
  std::vector<std::thread> threads;
  std::vector<int> equal(8, 0);
  for (size_t t = 0; t < equal.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i) {
        const auto again = this->eigh(a, n);
        const auto again_parts = this->svd(a, n, n);
        equal[t] += again.vectors == alone.vectors &&
                    again_parts.u == parts.u && this->cholesky(a, n) == l;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : equal) EXPECT_EQ(count, 10);
}

TYPED_TEST(DecompositionsTest, SaysWhatDoesNotFit) {
  std::vector<TypeParam> x(12), y(12);
  FfiFrame frame;
  frame.argument(this->kType, {3, 4}, x.data());
  frame.result(this->kType, {3, 4}, y.data());
  const std::string error = frame.call(&systolic_cholesky);
  EXPECT_NE(error.find("expected square matrices, got tensor<3x4x"),
            std::string::npos)
      << error;
}

}  // namespace
}  // namespace systolic::internal::kernels
