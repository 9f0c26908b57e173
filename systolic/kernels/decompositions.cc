// Decompositions of matrices by LAPACK, one call a matrix of a batch. XLA's
// expansions of them are loops of passes over all of a matrix: ten to eighty
// times as slow from 128 rows on.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "systolic/kernels/kernels.h"
#include "systolic/kernels/lapack.h"
#include "systolic/kernels/threads.h"

namespace systolic::internal::kernels {
namespace {

using pjrt::FfiBuffer;
using pjrt::FfiCall;
using pjrt::FfiError;
using pjrt::ffi_abi::ElementType;
using pjrt::ffi_abi::ErrorCode;

// OpenBLAS has a limited number of buffers for threads that call it at once.
constexpr int kMostThreads = 32;

// A batch of row-major matrices. For LAPACK, which has columns first, each is
// its own transpose.
struct Matrices {
  int64_t batch = 1;
  int rows = 0;
  int columns = 0;

  int64_t size() const { return int64_t{rows} * columns; }
};

Matrices matrices_of(const FfiBuffer& x) {
  const auto& sizes = x.dimensions;
  if (sizes.size() < 2) {
    throw FfiError(ErrorCode::invalid_argument,
                   "expected matrices, got " + x.to_string());
  }
  Matrices result;
  for (size_t i = 0; i + 2 < sizes.size(); ++i) result.batch *= sizes[i];
  const int64_t longer = std::max(sizes[sizes.size() - 2], sizes.back());
  if (longer > std::numeric_limits<int>::max()) {
    throw FfiError(ErrorCode::invalid_argument,
                   "LAPACK counts in 32 bits, got " + x.to_string());
  }
  result.rows = static_cast<int>(sizes[sizes.size() - 2]);
  result.columns = static_cast<int>(sizes.back());
  return result;
}

Matrices squares_of(const FfiBuffer& x) {
  const Matrices result = matrices_of(x);
  if (result.rows != result.columns) {
    throw FfiError(ErrorCode::invalid_argument,
                   "expected square matrices, got " + x.to_string());
  }
  return result;
}

void require_elements(const FfiBuffer& buffer, int64_t count) {
  if (buffer.elements() == count) return;
  throw FfiError(ErrorCode::invalid_argument,
                 "expected " + std::to_string(count) + " elements, got " +
                     buffer.to_string());
}

// The data of result i, of `count` elements for each matrix.
template <class T>
T* result_of(const FfiCall& call, int i, const Matrices& m, int64_t count) {
  const FfiBuffer result = call.result(i);
  require_elements(result, m.batch * count);
  return static_cast<T*>(result.data);
}

// Calls body(i) for each matrix, on several threads.
template <class Body>
void for_each_matrix(const FfiCall& call, const Matrices& m, const Body& body) {
  parallel(m.batch, std::min(threads_of(call), kMostThreads), body);
}

template <class T>
void fill_nan(T* values, int64_t count) {
  std::fill_n(values, count, std::numeric_limits<T>::quiet_NaN());
}

// LAPACK prints and may not end where a number is none.
template <class T>
bool is_finite(const T* values, int64_t count) {
  return std::all_of(values, values + count,
                     [](T value) { return std::isfinite(value); });
}

// Whether all of a row-major lower triangle is, which alone is read.
template <class T>
bool is_lower_finite(const T* x, int n) {
  for (int row = 0; row < n; ++row) {
    if (!is_finite(x + int64_t{row} * n, row + 1)) return false;
  }
  return true;
}

template <class T>
void transpose(const T* from, int rows, int columns, T* to) {
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      to[int64_t{j} * rows + i] = from[int64_t{i} * columns + j];
    }
  }
}

// The row-major lower triangle is LAPACK's upper one.
template <class T>
void cholesky(const FfiCall& call) {
  const FfiBuffer x = call.argument(0);
  const Matrices m = squares_of(x);
  const int n = m.rows;
  T* const result = result_of<T>(call, 0, m, m.size());
  if (x.elements() == 0) return;
  for_each_matrix(call, m, [&](int64_t i) {
    T* const l = result + i * m.size();
    std::copy_n(static_cast<const T*>(x.data) + i * m.size(), m.size(), l);
    int info = 0;
    lapack<T>()->potrf("U", &n, l, &n, &info, 1);
    for (int row = 0; row < n; ++row) {
      T* const line = l + int64_t{row} * n;
      if (info != 0) fill_nan(line, row + 1);
      std::fill(line + row + 1, line + n, T{0});
    }
  });
}

// From the rows that LAPACK exchanged one after another, counted from 1: the
// same counted from 0, and the order that they lead to.
void write_order(const std::vector<int>& exchanged, int32_t* pivots,
                 int32_t* permutation) {
  const auto n = static_cast<int32_t>(exchanged.size());
  for (int32_t i = 0; i < n; ++i) permutation[i] = i;
  for (int32_t i = 0; i < n; ++i) {
    pivots[i] = exchanged[static_cast<size_t>(i)] - 1;
    std::swap(permutation[i], permutation[pivots[i]]);
  }
}

template <class T>
void lu(const FfiCall& call) {
  const FfiBuffer x = call.argument(0);
  const Matrices m = squares_of(x);
  const int n = m.rows;
  T* const result = result_of<T>(call, 0, m, m.size());
  auto* const pivots = result_of<int32_t>(call, 1, m, n);
  auto* const permutation = result_of<int32_t>(call, 2, m, n);
  if (x.elements() == 0) return;
  for_each_matrix(call, m, [&](int64_t i) {
    std::vector<T> columns(static_cast<size_t>(m.size()));
    std::vector<int> exchanged(static_cast<size_t>(n));
    transpose(static_cast<const T*>(x.data) + i * m.size(), n, n,
              columns.data());
    // A pivot of zero is no failure here: a determinant is zero.
    int info = 0;
    lapack<T>()->getrf(&n, &n, columns.data(), &n, exchanged.data(), &info);
    transpose(columns.data(), n, n, result + i * m.size());
    write_order(exchanged, pivots + i * n, permutation + i * n);
  });
}

// LAPACK takes the transpose of a for a, and solves with it transposed.
template <class T>
void solve(const FfiCall& call) {
  const FfiBuffer a = call.argument(0), b = call.argument(1);
  const Matrices m = squares_of(a), right = matrices_of(b);
  if (right.batch != m.batch || right.rows != m.rows) {
    throw FfiError(
        ErrorCode::invalid_argument,
        b.to_string() + " is no right-hand side of " + a.to_string());
  }
  const int n = m.rows, k = right.columns;
  T* const result = result_of<T>(call, 0, right, right.size());
  if (b.elements() == 0) return;
  for_each_matrix(call, m, [&](int64_t i) {
    const T* const from = static_cast<const T*>(a.data) + i * m.size();
    std::vector<T> factors(from, from + m.size());
    std::vector<T> columns(static_cast<size_t>(right.size()));
    std::vector<int> exchanged(static_cast<size_t>(n));
    transpose(static_cast<const T*>(b.data) + i * right.size(), n, k,
              columns.data());
    int info = 0;
    lapack<T>()->getrf(&n, &n, factors.data(), &n, exchanged.data(), &info);
    if (info == 0) {
      lapack<T>()->getrs("T", &n, &k, factors.data(), &n, exchanged.data(),
                         columns.data(), &n, &info, 1);
    } else {
      fill_nan(columns.data(), right.size());
    }
    transpose(columns.data(), k, n, result + i * right.size());
  });
}

// The eigenvectors of a, one after the other, in its place.
template <class T>
void eigh_of(int n, T* a, T* values) {
  T wanted = 0;
  int wanted_integers = 0, info = 0;
  const int ask = -1;
  lapack<T>()->syevd("V", "U", &n, a, &n, values, &wanted, &ask,
                     &wanted_integers, &ask, &info, 1, 1);
  std::vector<T> numbers(static_cast<size_t>(wanted) + 1);
  std::vector<int> integers(static_cast<size_t>(wanted_integers) + 1);
  const auto size = static_cast<int>(numbers.size());
  const auto integers_size = static_cast<int>(integers.size());
  info = 1;
  if (is_lower_finite(a, n)) {
    lapack<T>()->syevd("V", "U", &n, a, &n, values, numbers.data(), &size,
                       integers.data(), &integers_size, &info, 1, 1);
  }
  if (info == 0) return;
  fill_nan(a, int64_t{n} * n);
  fill_nan(values, n);
}

template <class T>
void eigh(const FfiCall& call) {
  const FfiBuffer x = call.argument(0);
  const Matrices m = squares_of(x);
  const int n = m.rows;
  T* const values = result_of<T>(call, 0, m, n);
  T* const vectors = result_of<T>(call, 1, m, m.size());
  if (x.elements() == 0) return;
  for_each_matrix(call, m, [&](int64_t i) {
    const T* const from = static_cast<const T*>(x.data) + i * m.size();
    std::vector<T> columns(from, from + m.size());
    eigh_of(n, columns.data(), values + i * n);
    transpose(columns.data(), n, n, vectors + i * m.size());
  });
}

// x = u s vh: of the transposed matrix that LAPACK sees, its u is our vh and
// its vh our u, both as they lie in memory.
template <class T>
void svd_of(const Matrices& m, T* x, T* u, T* s, T* vh) {
  const int rows = m.columns, columns = m.rows, k = std::min(rows, columns);
  std::vector<int> integers(static_cast<size_t>(8) * static_cast<size_t>(k));
  int info = 0;
  T wanted = 0;
  const int ask = -1;
  lapack<T>()->gesdd("S", &rows, &columns, x, &rows, s, vh, &rows, u, &k,
                     &wanted, &ask, integers.data(), &info, 1);
  std::vector<T> numbers(static_cast<size_t>(wanted) + 1);
  const auto size = static_cast<int>(numbers.size());
  info = 1;
  if (is_finite(x, m.size())) {
    lapack<T>()->gesdd("S", &rows, &columns, x, &rows, s, vh, &rows, u, &k,
                       numbers.data(), &size, integers.data(), &info, 1);
  }
  if (info == 0) return;
  fill_nan(u, int64_t{columns} * k);
  fill_nan(s, k);
  fill_nan(vh, int64_t{rows} * k);
}

template <class T>
void svd(const FfiCall& call) {
  const FfiBuffer x = call.argument(0);
  const Matrices m = matrices_of(x);
  const int64_t k = std::min(m.rows, m.columns);
  T* const u = result_of<T>(call, 0, m, m.rows * k);
  T* const s = result_of<T>(call, 1, m, k);
  T* const vh = result_of<T>(call, 2, m, m.columns * k);
  if (x.elements() == 0) return;
  for_each_matrix(call, m, [&](int64_t i) {
    const T* const from = static_cast<const T*>(x.data) + i * m.size();
    std::vector<T> copy(from, from + m.size());
    svd_of(m, copy.data(), u + i * m.rows * k, s + i * k,
           vh + i * m.columns * k);
  });
}

// Which of the two the program asks for, by the first argument.
void serve(const FfiCall& call, void (*single)(const FfiCall&),
           void (*twice)(const FfiCall&)) {
  const FfiBuffer x = call.argument(0);
  if (lapack<float>() == nullptr) {
    throw FfiError(ErrorCode::unimplemented, "there is no LAPACK");
  }
  for (int i = 0; i < call.argument_count(); ++i) {
    if (call.argument(i).element_type == x.element_type) continue;
    throw FfiError(ErrorCode::invalid_argument,
                   "expected one element type, got " + x.to_string() + " and " +
                       call.argument(i).to_string());
  }
  if (x.element_type == ElementType::float32) return single(call);
  if (x.element_type == ElementType::float64) return twice(call);
  throw FfiError(ErrorCode::invalid_argument,
                 "expected f32 or f64, got " + x.to_string());
}

}  // namespace

pjrt::ffi_abi::Error* systolic_cholesky(pjrt::ffi_abi::CallFrame* frame) {
  return pjrt::serve_ffi_call(frame, "systolic_cholesky", [](const FfiCall& c) {
    serve(c, cholesky<float>, cholesky<double>);
  });
}

pjrt::ffi_abi::Error* systolic_lu(pjrt::ffi_abi::CallFrame* frame) {
  return pjrt::serve_ffi_call(frame, "systolic_lu", [](const FfiCall& c) {
    serve(c, lu<float>, lu<double>);
  });
}

pjrt::ffi_abi::Error* systolic_solve(pjrt::ffi_abi::CallFrame* frame) {
  return pjrt::serve_ffi_call(frame, "systolic_solve", [](const FfiCall& c) {
    serve(c, solve<float>, solve<double>);
  });
}

pjrt::ffi_abi::Error* systolic_eigh(pjrt::ffi_abi::CallFrame* frame) {
  return pjrt::serve_ffi_call(frame, "systolic_eigh", [](const FfiCall& c) {
    serve(c, eigh<float>, eigh<double>);
  });
}

pjrt::ffi_abi::Error* systolic_svd(pjrt::ffi_abi::CallFrame* frame) {
  return pjrt::serve_ffi_call(frame, "systolic_svd", [](const FfiCall& c) {
    serve(c, svd<float>, svd<double>);
  });
}

}  // namespace systolic::internal::kernels
