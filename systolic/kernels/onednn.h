// oneDNN as the kernels use it: a problem in, a prepared primitive out. What
// differs between oneDNN 2.x and 3.x is in onednn_version.h.
//   auto convolution = make_convolution(problem);   // slow: generates code
//   convolution->pack(filter, packed);
//   convolution->run(source, packed, bias, destination);
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "systolic/kernels/pooling.h"

namespace systolic::internal::kernels {

/// Which of the three products of a convolution is computed.
enum class ConvolutionKind { forward, input_gradient, filter_gradient };

/// Everything that a prepared convolution depends on; f32, NHWC and HWIO.
struct ConvolutionProblem {
  ConvolutionKind kind = ConvolutionKind::forward;
  std::array<int64_t, 4> source{};       ///< NHWC
  std::array<int64_t, 4> filter{};       ///< HWIO, I per group
  std::array<int64_t, 4> destination{};  ///< NHWC
  std::array<int64_t, 2> strides{1, 1};
  std::array<int64_t, 2> padding_low{0, 0};
  std::array<int64_t, 2> padding_high{0, 0};
  std::array<int64_t, 2> dilation{1, 1};  ///< 1 is dense
  int64_t groups = 1;
  bool bias = false;  ///< forward only
  bool relu = false;  ///< forward only
  int threads = 1;    ///< OpenMP threads inside oneDNN

  /// Returns the problem as numbers, equal only for equal problems.
  std::vector<int64_t> key() const;

  /// Returns the problem for an error message.
  std::string to_string() const;
};

/// A prepared convolution. Safe to run in several threads at once, each inside
/// a ThreadScope of `problem.threads`. It takes, or gives, the filter packed:
/// in a layout of its choice.
class Convolution {
 public:
  virtual ~Convolution() = default;

  /// Returns the size of the packed filter, 0 where it is plain HWIO.
  virtual size_t packed_bytes() const = 0;

  /// Returns whether two convolutions pack their filters in the same way.
  virtual bool packs_like(const Convolution& other) const = 0;

  /// Packs a filter, for a forward convolution or an input gradient.
  virtual void pack(const void* filter, void* packed) const = 0;

  /// Unpacks what a filter gradient computed.
  virtual void unpack(const void* packed, void* filter) const = 0;

  /// Computes the gradient or the result that the problem's kind names; the
  /// other buffers are read. `bias` is null where the problem has none.
  virtual void run(void* source, void* packed, void* bias,
                   void* destination) const = 0;
};

/// Prepares a convolution; must be called inside a ThreadScope of
/// `problem.threads`. Throws pjrt::FfiError where shapes do not fit together.
std::shared_ptr<const Convolution> make_convolution(
    const ConvolutionProblem& problem);

/// A prepared average pooling, or its gradient: averages are of the pixels
/// inside the image. Safe to run in several threads at once, each inside a
/// ThreadScope of the number that it was prepared for.
class AveragePooling {
 public:
  virtual ~AveragePooling() = default;

  /// Computes y from x or, for a gradient, dx from dy.
  virtual void run(const float* from, float* to) const = 0;
};

/// Prepares the average pooling of all images of `pooling`, or its gradient;
/// must be called inside a ThreadScope. Throws pjrt::FfiError for a window
/// that may lie in the padding altogether.
std::shared_ptr<const AveragePooling> make_average_pooling(
    const Pooling& pooling, bool gradient);

}  // namespace systolic::internal::kernels
