// The calls of the golden cases image_ops, image_random and image_gradients:
// of functions of Arrays and of Tensors, which the compiler picks by X.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "systolic/array/arrays.h"
#include "systolic/image/image.h"
#include "systolic/ops/image.h"
#include "systolic/ops/image_random.h"
#include "systolic/testing/golden.h"

namespace systolic::image {

inline BoundingBox box_of(const golden::Value& o) {
  return {o["offset_height"].integer(), o["offset_width"].integer(),
          o["target_height"].integer(), o["target_width"].integer()};
}

inline Size target_of(const golden::Value& o) {
  return {o["target_height"].integer(), o["target_width"].integer()};
}

inline Size size_of(const golden::Value& list) {
  return {list.integers()[0], list.integers()[1]};
}

inline Shape shape_of(const golden::Value& list) {
  const auto sizes = list.integers();
  return Shape(std::span<const int64_t>(sizes));
}

inline Range range_of(const golden::Value& o) {
  return {o["lower"].number(), o["upper"].number()};
}

template <class X>
using Call = std::function<X(const golden::Case&, const X&)>;
template <class X>
using Calls = std::map<std::string, Call<X>>;

// Functions of pictures and boxes.
template <class X>
Calls<X> calls_of_places() {
  using golden::Case;
  return {
      {"resize",
       [](const Case& c, const X& x) {
         const golden::Value& o = c.options();
         return resize(
             x, size_of(o["size"]),
             {.method = o.get("method", "bilinear"),
              .preserve_aspect_ratio = o.get("preserve_aspect_ratio", false),
              .antialias = o.get("antialias", false)});
       }},
      {"resize_with_pad",
       [](const Case& c, const X& x) {
         return resize_with_pad(
             x, target_of(c.options()),
             {.method = c.options().get("method", "bilinear"),
              .antialias = c.options().get("antialias", false)});
       }},
      {"resize_with_crop_or_pad",
       [](const Case& c, const X& x) {
         return resize_with_crop_or_pad(x, target_of(c.options()));
       }},
      {"crop_and_resize",
       [](const Case& c, const X& x) {
         const golden::Value& o = c.options();
         return crop_and_resize(
             x, c.array("boxes"), c.array("box_indices"),
             size_of(o["crop_size"]),
             {.method = o.get("method", "bilinear"),
              .extrapolation_value = o.get("extrapolation_value", 0.0)});
       }},
      {"central_crop",
       [](const Case& c, const X& x) {
         return central_crop(x, c.options()["central_fraction"].number());
       }},
      {"crop_to_bounding_box",
       [](const Case& c, const X& x) {
         return crop_to_bounding_box(x, box_of(c.options()));
       }},
      {"pad_to_bounding_box",
       [](const Case& c, const X& x) {
         return pad_to_bounding_box(x, box_of(c.options()));
       }},
      {"flip_left_right",
       [](const Case&, const X& x) { return flip_left_right(x); }},
      {"flip_up_down", [](const Case&, const X& x) { return flip_up_down(x); }},
      {"rot90",
       [](const Case& c, const X& x) {
         return image::rot90(x, static_cast<int>(c.options()["k"].integer()));
       }},
      {"transpose",
       [](const Case&, const X& x) { return image::transpose(x); }}};
}

// Functions of colours.
template <class X>
Calls<X> calls_of_colors() {
  using golden::Case;
  return {
      {"rgb_to_grayscale",
       [](const Case&, const X& x) { return rgb_to_grayscale(x); }},
      {"grayscale_to_rgb",
       [](const Case&, const X& x) { return grayscale_to_rgb(x); }},
      {"rgb_to_hsv", [](const Case&, const X& x) { return rgb_to_hsv(x); }},
      {"hsv_to_rgb", [](const Case&, const X& x) { return hsv_to_rgb(x); }},
      {"adjust_brightness",
       [](const Case& c, const X& x) {
         return adjust_brightness(x, c.options()["delta"].number());
       }},
      {"adjust_contrast",
       [](const Case& c, const X& x) {
         return adjust_contrast(x, c.options()["contrast_factor"].number());
       }},
      {"adjust_gamma",
       [](const Case& c, const X& x) {
         return adjust_gamma(x, c.options()["gamma"].number(),
                             c.options().get("gain", 1.0));
       }},
      {"adjust_saturation",
       [](const Case& c, const X& x) {
         return adjust_saturation(x, c.options()["saturation_factor"].number());
       }},
      {"adjust_hue",
       [](const Case& c, const X& x) {
         return adjust_hue(x, c.options()["delta"].number());
       }},
      {"per_image_standardization",
       [](const Case&, const X& x) { return per_image_standardization(x); }},
      {"convert_image_dtype", [](const Case& c, const X& x) {
         return convert_image_dtype(
             x, dtype_from_name(c.options()["dtype"].text()),
             {.saturate = c.options().get("saturate", false)});
       }}};
}

template <class X, class Seed>
using RandomCall =
    std::function<X(const X&, const golden::Value&, const Seed&)>;
template <class X, class Seed>
using RandomCalls = std::map<std::string, RandomCall<X, Seed>>;

// Functions of a seed.
template <class X, class Seed>
RandomCalls<X, Seed> random_calls() {
  using golden::Value;
  return {{"stateless_random_flip_left_right",
           [](const X& x, const Value&, const Seed& seed) {
             return stateless_random_flip_left_right(x, seed);
           }},
          {"stateless_random_flip_up_down",
           [](const X& x, const Value&, const Seed& seed) {
             return stateless_random_flip_up_down(x, seed);
           }},
          {"stateless_random_brightness",
           [](const X& x, const Value& o, const Seed& seed) {
             return stateless_random_brightness(x, o["max_delta"].number(),
                                                seed);
           }},
          {"stateless_random_contrast",
           [](const X& x, const Value& o, const Seed& seed) {
             return stateless_random_contrast(x, range_of(o), seed);
           }},
          {"stateless_random_hue",
           [](const X& x, const Value& o, const Seed& seed) {
             return stateless_random_hue(x, o["max_delta"].number(), seed);
           }},
          {"stateless_random_saturation",
           [](const X& x, const Value& o, const Seed& seed) {
             return stateless_random_saturation(x, range_of(o), seed);
           }},
          {"stateless_random_crop",
           [](const X& x, const Value& o, const Seed& seed) {
             return stateless_random_crop(x, shape_of(o["size"]), seed);
           }}};
}

// Colours that come out between two whole numbers may be cut off to either.
inline golden::Tolerance tolerance_of(const Array& wanted) {
  if (is_integer(wanted.dtype()) && systolic::size_of(wanted.dtype()) == 1) {
    return {.relative = 0, .absolute = 1};
  }
  if (wanted.dtype() == DType::float32) {
    const double most =
        wanted.size() == 0 ? 0 : max(abs(wanted)).item<double>();
    return {.relative = 1e-5, .absolute = 2e-6 * std::max(most, 1.0)};
  }
  return {};
}

}  // namespace systolic::image
