// What several layers' options are made of: sizes along two or three axes,
// padding and data format by name.
//
//   layers::Conv2D(32, {3, 5}, {.strides = 2, .padding = "same"});
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "systolic/base/choice.h"
#include "systolic/layers/layer_base.h"
#include "systolic/ops/nn.h"

namespace systolic {

namespace layers {

// Which axis of an image the channels are: (n, h, w, c) or (n, c, h, w).
using systolic::DataFormat;

// Two sizes, along height and width: one number for both, or {3, 5}.
// Default-made it is unset.
class Extent2D {
 public:
  constexpr Extent2D() = default;
  template <std::integral T>
  constexpr Extent2D(T both)
      : is_set_(true),
        sizes_{static_cast<int64_t>(both), static_cast<int64_t>(both)} {}
  template <std::integral T, std::integral U>
  constexpr Extent2D(T height, U width)
      : is_set_(true),
        sizes_{static_cast<int64_t>(height), static_cast<int64_t>(width)} {}

  constexpr bool is_set() const { return is_set_; }
  constexpr int64_t height() const { return sizes_[0]; }
  constexpr int64_t width() const { return sizes_[1]; }
  constexpr const std::array<int64_t, 2>& sizes() const { return sizes_; }
  constexpr bool operator==(const Extent2D&) const = default;

  // "(3, 5)".
  std::string to_string() const {
    return "(" + std::to_string(sizes_[0]) + ", " + std::to_string(sizes_[1]) +
           ")";
  }

 private:
  bool is_set_ = false;
  std::array<int64_t, 2> sizes_{};
};

// Three sizes, as Extent2D has two: one number for all, or {2, 3, 5}.
class Extent3D {
 public:
  constexpr Extent3D() = default;
  template <std::integral T>
  constexpr Extent3D(T all) : Extent3D(all, all, all) {}
  template <std::integral T, std::integral U, std::integral V>
  constexpr Extent3D(T first, U second, V third)
      : is_set_(true),
        sizes_{static_cast<int64_t>(first), static_cast<int64_t>(second),
               static_cast<int64_t>(third)} {}

  constexpr bool is_set() const { return is_set_; }
  constexpr const std::array<int64_t, 3>& sizes() const { return sizes_; }
  constexpr bool operator==(const Extent3D&) const = default;

  // "(2, 3, 5)".
  std::string to_string() const {
    return "(" + std::to_string(sizes_[0]) + ", " + std::to_string(sizes_[1]) +
           ", " + std::to_string(sizes_[2]) + ")";
  }

 private:
  bool is_set_ = false;
  std::array<int64_t, 3> sizes_{};
};

// The first field of an options struct whose fields must be named, where a
// layer also takes numbers in braces: MaxPooling2D({2, 3}) is a size.
class NamedOnly {
 public:
  constexpr NamedOnly() {}
  constexpr bool operator==(const NamedOnly&) const = default;
};

// The options that every layer has, taken from its own struct.
template <class Options>
LayerOptions layer_options(const Options& options) {
  LayerOptions out{.input_shape = options.input_shape,
                   .trainable = options.trainable,
                   .dtype = options.dtype,
                   .name = options.name};
  if constexpr (requires { options.activity_regularizer; }) {
    out.activity_regularizer = options.activity_regularizer;
  }
  return out;
}

}  // namespace layers

template <>
struct ChoiceNames<Padding> {
  static constexpr std::string_view what = "padding";
  static constexpr std::array<std::pair<std::string_view, Padding>, 2> names{
      {{"valid", Padding::valid}, {"same", Padding::same}}};
};

template <>
struct ChoiceNames<layers::DataFormat> {
  static constexpr std::string_view what = "data_format";
  static constexpr std::array<std::pair<std::string_view, layers::DataFormat>,
                              2>
      names{{{"channels_last", layers::DataFormat::channels_last},
             {"channels_first", layers::DataFormat::channels_first}}};
};

}  // namespace systolic
