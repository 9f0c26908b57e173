// CPU kernels called from StableHLO programs through typed FFI handlers, where
// XLA:CPU is slow: oneDNN's, and our own. They live in a library of their own,
// `libsystolic_kernels_cpu.so`, whose entry is `systolic_kernels`; a
// platform row loads it and registers what it lists.
//   %y = stablehlo.custom_call @systolic_conv2d_forward(%x, %w, %b) {
//     api_version = 4 : i32, backend_config = {strides = array<i64: 2, 2>,
//     relu = true}} : (tensor<8x28x28x1xf32>, tensor<3x3x1x32xf32>,
//     tensor<32xf32>) -> tensor<8x13x13x32xf32>
//
// Buffers are dense, row-major and f32 but for random_bits'; the last five,
// which are LAPACK's and there only with it, take f64, too. Activations are
// NHWC, filters HWIO; ... are the axes of a batch of matrices.
// A convolution means stablehlo.convolution with [b,0,1,f]x[0,1,i,o]->[b,0,1,f]
// and feature_group_count = groups; H' and W' are its output sizes, N batch,
// C input channels, F output channels, KH x KW the filter.
//
// handler                      operands                results
// ---------------------------  ----------------------  ----------------------
// systolic_average_pool2d_...
//   forward                    x[N,H,W,C]              y[N,H',W',C]
//   gradient                   dy[N,H',W',C]           dx[N,H,W,C]
// systolic_conv2d_forward      x[N,H,W,C]              y[N,H',W',F]
//                              w[KH,KW,C/groups,F]
//                              bias[F] (optional)
// systolic_conv2d_gradient     dy[N,H',W',F]           dx[N,H,W,C] (input)
//                              y[N,H',W',F] (relu,     dw[KH,KW,C/groups,F]
//                                pool)
//                              x[N,H,W,C] (filter)       (filter)
//                              w[KH,KW,C/groups,F]     db[F] (bias)
//                                (input)
// systolic_matmul              x[...,M,K]              z[...,M,N]
//                              y[...,K,N]
// systolic_max_pool2d_forward  x[N,H,W,C]              y[N,H',W',C]
// systolic_max_pool2d_gradient x[N,H,W,C]              dx[N,H,W,C]
//                              dy[N,H',W',C]
// systolic_random_bits         state ui64[2 or 3]      bits ui32[...]
// systolic_cholesky            x[...,N,N]              l[...,N,N]
// systolic_lu                  x[...,N,N]              lu[...,N,N]
//                                                      pivots i32[...,N]
//                                                      permutation i32[...,N]
// systolic_solve               a[...,N,N], b[...,N,K]  x[...,N,K]
// systolic_eigh                x[...,N,N]              values[...,N]
//                                                      vectors[...,N,N]
// systolic_svd                 x[...,M,N]              u[...,M,K], s[...,K]
//                                                      vh[...,K,N]
//
// forward computes relu?(conv(x, w) + bias?). gradient computes what its flags
// name, and takes what that needs: dx, which is also the transposed
// convolution, dw, and db, which is dy summed over N, H' and W'. With `relu`,
// dy is taken where y > 0, else 0; with `pool_window`, dy is the gradient of
// y's max pooling, [N,H'',W'',F]. max_pool2d takes padding as -inf and a NaN
// for the maximum; where a window holds equal maxima, the first in row-major
// order gets the gradient. average_pool2d counts only the pixels of the image;
// its padding is less than the window. cholesky and eigh read the lower
// triangle. What has no decomposition, and what a singular matrix solves, is
// NaN.
//
// attribute      type           default   handlers
// -------------  -------------  --------  -------------------------------------
// strides        array<i64: 2>  1, 1      windows; {height, width}
// padding_low    array<i64: 2>  0, 0      windows; {top, left}, not negative
// padding_high   array<i64: 2>  0, 0      windows; {bottom, right}, likewise
// dilation       array<i64: 2>  1, 1      conv2d: StableHLO's rhs_dilation
// groups         i64            1         conv2d: feature_group_count
// relu           i1             false     conv2d
// input, filter  i1             false     conv2d_gradient; one at least
// bias           i1             false     conv2d_gradient
// pool_...       as max_pool2d            conv2d_gradient: pool_window etc.
// transpose_x/y  i1             false     matmul; x is [...,K,M], y [...,N,K]
// window         array<i64: 2>  required  pooling; {height, width}
// replicas       i64            1         all; how many calls run side by side
// threads        i64            0         all; threads of this call; 0 means
//                                         max(1, cores / replicas)
//
// The result depends on the number of threads only in conv2d_gradient's dw and
// db, and in matmul (order of summation); for equal `threads` calls are
// bit-identical.
#pragma once

#include "systolic/pjrt/ffi_abi.h"

namespace systolic::internal::kernels {

/// Convolution with optional bias and relu.
extern "C" pjrt::ffi_abi::Error* systolic_conv2d_forward(
    pjrt::ffi_abi::CallFrame* frame);

/// Gradients of a convolution, with its relu, with respect to its input, its
/// filter and its bias.
extern "C" pjrt::ffi_abi::Error* systolic_conv2d_gradient(
    pjrt::ffi_abi::CallFrame* frame);

/// Product of matrices, or of batches of them.
extern "C" pjrt::ffi_abi::Error* systolic_matmul(
    pjrt::ffi_abi::CallFrame* frame);

/// Mean over sliding windows.
extern "C" pjrt::ffi_abi::Error* systolic_average_pool2d_forward(
    pjrt::ffi_abi::CallFrame* frame);

/// Gradient of systolic_average_pool2d_forward.
extern "C" pjrt::ffi_abi::Error* systolic_average_pool2d_gradient(
    pjrt::ffi_abi::CallFrame* frame);

/// Maximum over sliding windows.
extern "C" pjrt::ffi_abi::Error* systolic_max_pool2d_forward(
    pjrt::ffi_abi::CallFrame* frame);

/// Gradient of systolic_max_pool2d_forward with respect to its input.
extern "C" pjrt::ffi_abi::Error* systolic_max_pool2d_gradient(
    pjrt::ffi_abi::CallFrame* frame);

/// Cholesky's lower triangles.
extern "C" pjrt::ffi_abi::Error* systolic_cholesky(
    pjrt::ffi_abi::CallFrame* frame);

/// Gauss's elimination with row exchanges.
extern "C" pjrt::ffi_abi::Error* systolic_lu(pjrt::ffi_abi::CallFrame* frame);

/// Systems of linear equations.
extern "C" pjrt::ffi_abi::Error* systolic_solve(
    pjrt::ffi_abi::CallFrame* frame);

/// Eigenvalues, rising, and eigenvectors of symmetric matrices.
extern "C" pjrt::ffi_abi::Error* systolic_eigh(pjrt::ffi_abi::CallFrame* frame);

/// Singular values, falling, and singular vectors.
extern "C" pjrt::ffi_abi::Error* systolic_svd(pjrt::ffi_abi::CallFrame* frame);

/// Random bits of a state.
extern "C" pjrt::ffi_abi::Error* systolic_random_bits(
    pjrt::ffi_abi::CallFrame* frame);

}  // namespace systolic::internal::kernels
