// LAPACK's functions for one element type, from a library that is looked for
// when it is first needed: who builds or installs the kernels needs none.
//   if (const auto* l = lapack<float>()) l->potrf("U", &n, a, &n, &info, 1);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace systolic::internal::kernels {

/// Fortran's functions: all arguments by address, columns before rows, and the
/// lengths of the texts at the end.
template <class T>
struct Lapack {
  void (*potrf)(const char* triangle, const int* n, T* a, const int* lda,
                int* info, size_t);
  void (*getrf)(const int* m, const int* n, T* a, const int* lda, int* pivots,
                int* info);
  void (*getrs)(const char* transposed, const int* n, const int* columns,
                const T* a, const int* lda, const int* pivots, T* b,
                const int* ldb, int* info, size_t);
  void (*syevd)(const char* vectors, const char* triangle, const int* n, T* a,
                const int* lda, T* values, T* work, const int* work_size,
                int* integers, const int* integers_size, int* info, size_t,
                size_t);
  void (*gesdd)(const char* vectors, const int* m, const int* n, T* a,
                const int* lda, T* values, T* u, const int* ldu, T* vt,
                const int* ldvt, T* work, const int* work_size, int* integers,
                int* info, size_t);
};

/// Returns the functions for float or double; null where the machine has no
/// LAPACK, or SYSTOLIC_LAPACK is "off". Looks once.
template <class T>
const Lapack<T>* lapack();

/// Returns the files that are tried, the first that loads and has all functions
/// and may be called by several threads wins: SYSTOLIC_LAPACK, else OpenBLAS.
std::vector<std::string> lapack_candidates();

}  // namespace systolic::internal::kernels
