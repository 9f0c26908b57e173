// What the tests and the benchmark of this room share: convolution and pooling
// problems, random values, and their naming.
//   for (const ConvolutionCase& c : convolution_cases()) { c.output(); }
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <random>
#include <string>
#include <vector>

namespace systolic::internal::kernels {

/// Dimensions of an array.
using Dimensions = std::vector<int64_t>;

/// A convolution that is tested against something else.
struct ConvolutionCase {
  std::string name;
  Dimensions input;   ///< NHWC
  Dimensions filter;  ///< HWIO
  std::array<int64_t, 2> strides{1, 1};
  std::array<int64_t, 2> low{0, 0};
  std::array<int64_t, 2> high{0, 0};
  std::array<int64_t, 2> dilation{1, 1};
  int64_t groups = 1;

  /// Returns the extent of a filter axis with its dilation.
  int64_t extent(int axis) const {
    return (filter[axis] - 1) * dilation[axis] + 1;
  }
  /// Returns the output's dimensions, NHWC.
  Dimensions output() const {
    Dimensions sizes{input[0], 0, 0, filter[3]};
    for (int axis = 0; axis < 2; ++axis) {
      int64_t room = input[axis + 1] + low[axis] + high[axis];
      sizes[axis + 1] = (room - extent(axis)) / strides[axis] + 1;
    }
    return sizes;
  }
};

/// A max pooling that is tested against something else.
struct PoolingCase {
  std::string name;
  Dimensions input;  ///< NHWC
  std::array<int64_t, 2> window{2, 2};
  std::array<int64_t, 2> strides{2, 2};
  std::array<int64_t, 2> low{0, 0};
  std::array<int64_t, 2> high{0, 0};

  /// Returns the output's dimensions, NHWC.
  Dimensions output() const {
    Dimensions sizes = input;
    for (int axis = 0; axis < 2; ++axis) {
      int64_t room = input[axis + 1] + low[axis] + high[axis];
      sizes[axis + 1] = (room - window[axis]) / strides[axis] + 1;
    }
    return sizes;
  }
};

inline std::ostream& operator<<(std::ostream& out, const ConvolutionCase& c) {
  return out << c.name;
}

inline std::ostream& operator<<(std::ostream& out, const PoolingCase& c) {
  return out << c.name;
}

/// Returns the convolutions under test: every attribute, alone and combined,
/// odd sizes, and channel counts that do and do not fill a vector.
inline std::vector<ConvolutionCase> convolution_cases() {
  return {
      {.name = "mnist1", .input = {4, 28, 28, 1}, .filter = {3, 3, 1, 32}},
      {.name = "mnist2", .input = {4, 13, 13, 32}, .filter = {3, 3, 32, 64}},
      {.name = "pointwise", .input = {2, 5, 7, 16}, .filter = {1, 1, 16, 8}},
      {.name = "odd", .input = {3, 9, 6, 3}, .filter = {2, 5, 3, 7}},
      {.name = "same",
       .input = {2, 8, 9, 4},
       .filter = {3, 3, 4, 5},
       .low = {1, 1},
       .high = {1, 1}},
      {.name = "same_even",
       .input = {2, 8, 9, 4},
       .filter = {4, 2, 4, 6},
       .low = {1, 0},
       .high = {2, 1}},
      {.name = "strided",
       .input = {2, 11, 12, 3},
       .filter = {3, 3, 3, 8},
       .strides = {2, 3}},
      {.name = "resnet_stem",
       .input = {1, 33, 33, 3},
       .filter = {7, 7, 3, 16},
       .strides = {2, 2},
       .low = {3, 3},
       .high = {3, 3}},
      {.name = "strided_same",
       .input = {2, 10, 10, 16},
       .filter = {3, 3, 16, 16},
       .strides = {2, 2},
       .high = {1, 1}},
      {.name = "strided_gaps",
       .input = {2, 10, 11, 4},
       .filter = {1, 1, 4, 8},
       .strides = {3, 2}},
      {.name = "dilated",
       .input = {2, 12, 13, 4},
       .filter = {3, 3, 4, 6},
       .low = {2, 1},
       .high = {2, 3},
       .dilation = {2, 3}},
      {.name = "groups",
       .input = {2, 7, 8, 6},
       .filter = {3, 3, 2, 12},
       .low = {1, 1},
       .high = {1, 1},
       .groups = 3},
      {.name = "groups_wide",
       .input = {2, 7, 8, 32},
       .filter = {3, 3, 16, 32},
       .strides = {2, 1},
       .groups = 2},
      {.name = "depthwise",
       .input = {2, 9, 9, 32},
       .filter = {3, 3, 1, 32},
       .low = {1, 1},
       .high = {1, 1},
       .groups = 32},
      {.name = "depthwise_multiplier",
       .input = {2, 9, 9, 5},
       .filter = {3, 3, 1, 10},
       .strides = {2, 2},
       .low = {0, 1},
       .high = {1, 0},
       .groups = 5},
      {.name = "everything",
       .input = {3, 13, 11, 8},
       .filter = {3, 2, 4, 6},
       .strides = {2, 1},
       .low = {2, 0},
       .high = {1, 3},
       .dilation = {2, 3},
       .groups = 2},
  };
}

/// Returns the poolings under test: windows that touch, overlap, leave gaps,
/// and reach into padding.
inline std::vector<PoolingCase> pooling_cases() {
  return {
      {.name = "mnist", .input = {4, 26, 26, 32}},
      {.name = "odd", .input = {3, 11, 11, 64}},
      {.name = "narrow", .input = {2, 7, 9, 3}, .window = {3, 2}},
      {.name = "overlapping",
       .input = {2, 9, 10, 70},
       .window = {3, 3},
       .strides = {2, 1}},
      {.name = "gaps",
       .input = {2, 9, 10, 4},
       .window = {1, 2},
       .strides = {3, 4}},
      {.name = "padded",
       .input = {2, 8, 8, 16},
       .window = {3, 3},
       .strides = {2, 2},
       .low = {1, 1},
       .high = {1, 0}},
      {.name = "padded_same",
       .input = {1, 5, 6, 2},
       .window = {3, 4},
       .strides = {1, 1},
       .low = {1, 1},
       .high = {1, 2}},
  };
}

/// Returns the number of elements.
inline int64_t elements(const Dimensions& sizes) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  return count;
}

/// Returns normally distributed values, the same for the same seed.
inline std::vector<float> random_values(const Dimensions& sizes, int seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(elements(sizes));
  for (float& value : values) value = normal(engine);
  return values;
}

}  // namespace systolic::internal::kernels
