#include <gtest/gtest.h>

#include <functional>
#include <string_view>

#include "systolic/array/arrays.h"
#include "systolic/graph/function.h"
#include "systolic/graph/tape.h"
#include "systolic/image/image.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/image.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/random.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/test_ops.h"
#include "systolic/testing/op_contract.h"

namespace systolic {
namespace {

using contracts::OpSample;
using contracts::Tensors;
using internal::ops::begins;
using internal::ops::Calls;
using internal::ops::Comparisons;
using internal::ops::message_of;

TEST(Image, SizesAreTensorFlows) {
  const auto call = [](image::Size size, const char* interpolation,
                       bool antialias = false) {
    return [=](const Tensors& in) {
      return Tensors{image::resize(
          in[0], size, {.method = interpolation, .antialias = antialias})};
    };
  };
  internal::ops::compare_with_goldens(
      "ops_image", "resize",
      Calls{{"nearest up", call({7, 11}, "nearest")},
            {"nearest down", call({3, 4}, "nearest")},
            {"bilinear up", call({8, 9}, "bilinear")},
            {"bilinear down", call({2, 4}, "bilinear")},
            {"bilinear antialias", call({2, 4}, "bilinear", true)},
            {"bilinear bytes", call({4, 7}, "bilinear")},
            {"bicubic up", call({7, 9}, "bicubic", true)},
            {"bicubic antialias", call({3, 2}, "bicubic", true)},
            {"lanczos3", call({8, 5}, "lanczos3")},
            {"lanczos3 antialias", call({3, 3}, "lanczos3", true)},
            {"lanczos5", call({8, 5}, "lanczos5")},
            {"gaussian", call({3, 8}, "gaussian", true)},
            {"mitchellcubic", call({3, 8}, "mitchellcubic")},
            {"one image", call({3, 3}, "bilinear")}});
}

TEST(Image, PartsAndColoursAreTensorFlows) {
  const auto one = [](Tensor (*make)(const Tensor&)) {
    return [make](const Tensors& in) { return Tensors{make(in[0])}; };
  };
  internal::ops::compare_with_goldens(
      "ops_image", "image",
      Calls{
          {"crop", one([](const Tensor& x) {
             return image::crop_to_bounding_box(x, {1, 2, 3, 4});
           })},
          {"pad", one([](const Tensor& x) {
             return image::pad_to_bounding_box(x, {1, 2, 7, 9});
           })},
          {"central_crop",
           one([](const Tensor& x) { return image::central_crop(x, 0.5); })},
          {"crop or pad", one([](const Tensor& x) {
             return image::resize_with_crop_or_pad(x, {4, 9});
           })},
          {"left right",
           one([](const Tensor& x) { return image::flip_left_right(x); })},
          {"up down",
           one([](const Tensor& x) { return image::flip_up_down(x); })},
          {"rot90", one([](const Tensor& x) { return image::rot90(x, 3); })},
          {"grayscale",
           one([](const Tensor& x) { return image::rgb_to_grayscale(x); })},
          {"rgb",
           one([](const Tensor& x) { return image::grayscale_to_rgb(x); })},
          {"hsv", one([](const Tensor& x) { return image::rgb_to_hsv(x); })},
          {"from hsv",
           one([](const Tensor& x) { return image::hsv_to_rgb(x); })},
          {"brightness", one([](const Tensor& x) {
             return image::adjust_brightness(x, 0.25);
           })},
          {"contrast",
           one([](const Tensor& x) { return image::adjust_contrast(x, 1.5); })},
          {"gamma",
           one([](const Tensor& x) { return image::adjust_gamma(x, 2, 0.5); })},
          {"saturation", one([](const Tensor& x) {
             return image::adjust_saturation(x, 1.5);
           })},
          {"hue",
           one([](const Tensor& x) { return image::adjust_hue(x, -0.2); })},
          {"standardization", one([](const Tensor& x) {
             return image::per_image_standardization(x);
           })}});
}

// The gradients of what is made of several ops are the finite differences',
// also at a grey pixel, where the hue has none.
TEST(Image, GradientsAndDtypes) {
  const Array x = Array::from(
      {0.25, 0.5, 0.75, 0.875, 0.125, 0.375, 0.625, 1., 0.0625, 0.5, 0.25, 0.},
      {2, 2, 3});
  const std::vector<OpSample> samples{
      {.op = "matmul",
       .name = "in resize",
       .call =
           [](const Tensors& in) {
             return Tensors{
                 image::resize(in[0], {3, 5}),
                 image::resize(in[0], {1, 3},
                               {.method = "bicubic", .antialias = true})};
           },
       .inputs = {x},
       .error = 3},
      {.op = "multiply",
       .name = "in colours",
       .call =
           [](const Tensors& in) {
             return Tensors{image::adjust_saturation(in[0], 0.5),
                            image::adjust_hue(in[0], 0.03125),
                            image::adjust_contrast(in[0], 1.5),
                            image::adjust_gamma(in[0] + 0.5, 1.5),
                            image::rgb_to_grayscale(in[0])};
           },
       .inputs = {x},
       .dtypes = {DType::float32, DType::float64},
       .second_gradient = false,
       .error = 3}};
  contracts::check_ops(samples, {}, internal::ops::catalog());
}

// f(x) with one element of x moved by `step`.
double moved(const std::function<double(const Array&)>& f, const Array& x,
             size_t i, float step) {
  Array y = x;
  y.mutable_span<float>()[i] += step;
  return f(y);
}

// The sum is bilinear in the images and in the boxes, but for kinks, so
// differences are the derivative.
void compare_with_differences(const Array& gradient, const Array& x,
                              const std::function<double(const Array&)>& f) {
  constexpr float kStep = 1.f / 64;
  ASSERT_EQ(gradient.shape(), x.shape());
  for (size_t i = 0; i < static_cast<size_t>(x.size()); ++i) {
    const double slope =
        (moved(f, x, i, kStep) - moved(f, x, i, -kStep)) / (2 * kStep);
    EXPECT_NEAR(gradient.span<float>()[i], slope, 2e-3) << i;
  }
}

TEST(Image, GradientsOfCropsAreTheDifferences) {
  const Array x = random::uniform({2, 4, 5, 2}, 0, 1, {.seed = 1}).numpy();
  // Samples stay on their sides of pixels; one box is upside down, one sticks
  // out.
  const Array boxes =
      Array::from(std::vector<float>{0.07f, 0.12f, 0.58f, 0.71f, 0.92f, 0.11f,
                                     0.21f, 0.93f, 0.4f, 0.55f, 1.43f, 1.57f},
                  {3, 4});
  const Array indices = Array::from({1, 0, 1});
  for (const image::Size size : {image::Size{2, 2}, image::Size{1, 2}}) {
    for (const char* method : {"bilinear", "nearest"}) {
      const image::CropAndResizeOptions options{.method = method};
      const Array weights =
          random::uniform({3, size[0], size[1], 2}, -1, 1, {.seed = 2}).numpy();
      const auto value = [&](const Array& images, const Array& places) {
        return sum(image::crop_and_resize(images, places, indices, size,
                                          options) *
                   weights)
            .item<double>();
      };
      const Tensor images = constant(x), places = constant(boxes);
      GradientTape tape;
      tape.watch(images);
      tape.watch(places);
      const Tensor crops =
          image::crop_and_resize(images, places, indices, size, options);
      const std::vector<Tensor> gradients =
          tape.gradient(sum(crops * weights), {images, places});
      compare_with_differences(gradients[0].numpy(), x,
                               [&](const Array& y) { return value(y, boxes); });
      if (std::string_view(method) == "nearest") {
        EXPECT_FALSE(gradients[1].is_defined());
        continue;
      }
      compare_with_differences(gradients[1].numpy(), boxes,
                               [&](const Array& y) { return value(x, y); });
    }
  }
}

// What a program computes may be a factor, and gets a gradient.
TEST(Image, FactorsMayBeTensors) {
  const Array x =
      Array::from({0.25f, 0.5f, 0.75f, 0.1f, 0.9f, 0.3f}, {1, 2, 3});
  const Tensor half = constant(Array::from({0.5f}));
  Comparisons list;
  list.add("brightness", image::adjust_brightness(x, half),
           image::adjust_brightness(x, 0.5));
  list.add("contrast", image::adjust_contrast(x, half),
           image::adjust_contrast(x, 0.5));
  list.add("saturation", image::adjust_saturation(x, half),
           image::adjust_saturation(x, 0.5));
  list.add("hue", image::adjust_hue(x, half), image::adjust_hue(x, 0.5));
  list.check();
  const Tensor narrow = cast(constant(x), DType::bfloat16);
  EXPECT_EQ(image::adjust_brightness(narrow, half).dtype(), DType::bfloat16);
  GradientTape tape;
  tape.watch(half);
  const Tensor bright = sum(image::adjust_brightness(x, half));
  EXPECT_EQ(tape.gradient(bright, half).item<float>(), 6);
  EXPECT_TRUE(begins(message_of<ShapeError>([&] {
                       image::adjust_hue(x, constant(Array::from({1.f, 2.f})));
                     }),
                     "adjust_hue: expected one number as factor or delta, got "
                     "float32[2]"));
}

TEST(Image, HalfPrecisionIsKept) {
  const Tensor x = zeros({4, 4, 1}, DType::bfloat16);
  EXPECT_EQ(image::resize(x, {2, 2}).dtype(), DType::bfloat16);
  const Tensor gray = constant(Array::full({1, 1, 3}, 0.5, DType::float32));
  Comparisons list;
  list.add("a grey pixel", image::rgb_to_hsv(gray),
           Array::from({0.f, 0.f, 0.5f}, {1, 1, 3}));
}

TEST(Image, WrongCallsAreTold) {
  const Tensor x = zeros({4, 4, 3});
  EXPECT_TRUE(
      begins(message_of<ShapeError>([] {
               image::resize(zeros({4, 4}), {2, 2});
             }),
             "resize: expected images (h, w, c) or (n, h, w, c), got "));
  EXPECT_TRUE(begins(
      message_of<ValueError>([&] {
        image::resize(x, {2, 2}, {.method = "linear"});
      }),
      "resize: expected \"nearest\", \"bilinear\", \"bicubic\", \"area\", "
      "\"lanczos3\", \"lanczos5\", \"gaussian\" or \"mitchellcubic\", got "
      "\"linear\""));
  EXPECT_TRUE(begins(
      message_of<ValueError>([&] {
        image::crop_to_bounding_box(x, {1, 0, 4, 4});
      }),
      "crop_to_bounding_box: expected a box of at least one pixel, inside, got "
      "offsets 1 and 0, size 4 x 4\n"));
  EXPECT_TRUE(begins(message_of<ShapeError>([] {
                       image::rgb_to_hsv(zeros({4, 4, 4}));
                     }),
                     "rgb_to_hsv: expected a last axis of 3 channels, got (4, "
                     "4, 4)"));
  EXPECT_TRUE(begins(message_of<TypeError>([] {
                       image::rgb_to_hsv(zeros({2, 2, 3}, DType::uint8));
                     }),
                     "rgb_to_hsv: expected floating-point colours, got uint8"));
  EXPECT_TRUE(begins(
      message_of<TypeError>([] {
        image::adjust_brightness(zeros({2, 2, 3}, DType::boolean), 0.5);
      }),
      "adjust_brightness: expected colours: whole or floating-point numbers, "
      "got bool[2, 2, 3]"));
  EXPECT_TRUE(begins(message_of<TypeError>([&] {
                       image::convert_image_dtype(x, DType::boolean);
                     }),
                     "convert_image_dtype: expected a dtype of whole or "
                     "floating-point numbers, got bool"));
}

// A program can not report them.
TEST(Image, BoxesOfNoImageAreOfTheNearest) {
  const auto crop = function([](const Tensor& indices) {
    const Tensor numbers = reshape(arange(3, DType::float32), {3, 1, 1, 1});
    const Tensor whole = broadcast_to(constant({0.f, 0.f, 1.f, 1.f}), {5, 4});
    return image::crop_and_resize(broadcast_to(numbers, {3, 2, 2, 1}), whole,
                                  indices, {1, 1});
  });
  const auto images = [&](const Array& indices) {
    return reshape(crop(constant(indices)), {-1}).numpy().to_string();
  };
  EXPECT_EQ(images(Array::from({-1, -7, 1, 3, 2147483647})),
            "[0. 0. 1. 2. 2.]");
  EXPECT_EQ(images(Array::from(std::vector<uint32_t>{0, 1, 2, 3, 4000000000})),
            "[0. 1. 2. 2. 2.]");
}

TEST(Image, WrongBoxesAreTold) {
  const Tensor x = zeros({2, 4, 4, 3});
  const Tensor boxes = zeros({1, 4});
  const auto call = [&](const Tensor& indices, image::Size size,
                        const char* method = "bilinear") {
    image::crop_and_resize(x, boxes, indices, size, {.method = method});
  };
  EXPECT_TRUE(begins(
      message_of<OutOfRangeError>([&] {
        call(constant(Array::from({2})), {2, 2});
      }),
      "crop_and_resize: expected box_indices in 0 ... 1, got 2 at (0,)"));
  EXPECT_THROW(call(constant(Array::from({-1})), {2, 2}), OutOfRangeError);
  EXPECT_TRUE(begins(message_of<TypeError>([&] {
                       call(constant(Array::from({0.7f})), {2, 2});
                     }),
                     "crop_and_resize: expected box_indices of whole numbers, "
                     "got float32[1]"));
  EXPECT_TRUE(begins(message_of<ShapeError>([&] {
                       call(constant(Array::from({0, 1})), {2, 2});
                     }),
                     "crop_and_resize: expected images (n, h, w, c), boxes "
                     "(count, 4) and box_indices (count,), got "
                     "float32[2, 4, 4, 3], float32[1, 4] and int32[2]"));
  const Tensor first = constant(Array::from({0}));
  EXPECT_TRUE(begins(message_of<ValueError>([&] {
                       call(first, {2, 2}, "bicubic");
                     }),
                     "crop_and_resize: expected method to be \"bilinear\" or "
                     "\"nearest\", got \"bicubic\""));
  EXPECT_TRUE(begins(message_of<ValueError>([&] {
                       call(first, {0, 2});
                     }),
                     "crop_and_resize: expected images and a crop_size of at "
                     "least one pixel, got (2, 4, 4, 3) and 0 x 2"));
}

}  // namespace
}  // namespace systolic
