// So is each size that a layer takes by its place.
// first: here: no matching function for call to 'systolic::layers::Conv2D::Conv2D\(
#include "systolic/layers/layers.h"

using namespace systolic;

void layers_of(double scale) {
#ifdef SYSTOLIC_FIXED
  const auto filters = static_cast<int64_t>(64 * scale);
  layers::Conv2D(filters, 3);
#else
  layers::Conv2D(64 * scale, 3);  // here
#endif
  static_assert(!std::is_constructible_v<layers::Conv1D, int, double>);
  static_assert(!std::is_constructible_v<layers::Conv2D, int, double>);
  static_assert(!std::is_constructible_v<layers::DepthwiseConv2D, double>);
  static_assert(!std::is_constructible_v<layers::MaxPooling2D, double>);
  static_assert(!std::is_constructible_v<layers::SeparableConv2D, double, int>);
  static_assert(!std::is_constructible_v<layers::MaxPooling1D, double>);
  static_assert(!std::is_constructible_v<layers::Embedding, int, double>);
  static_assert(!std::is_constructible_v<layers::RepeatVector, double>);
  static_assert(!std::is_constructible_v<layers::UpSampling1D, double>);
  static_assert(
      !std::is_constructible_v<layers::MultiHeadAttention, int, double>);
}
