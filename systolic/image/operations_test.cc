#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "systolic/image/colors.h"
#include "systolic/image/decode.h"
#include "systolic/image/encode.h"
#include "systolic/image/geometry.h"
#include "systolic/image/resize.h"
#include "systolic/image/test_pictures.h"

namespace systolic::image {
namespace {

using golden::Value;
using Call = std::function<Array(const golden::Case&, const Array&)>;

BoundingBox box_of(const Value& o) {
  return {o["offset_height"].integer(), o["offset_width"].integer(),
          o["target_height"].integer(), o["target_width"].integer()};
}

Size target_of(const Value& o) {
  return {o["target_height"].integer(), o["target_width"].integer()};
}

Size size_of(const Value& list) {
  return {list.integers()[0], list.integers()[1]};
}

// A function of one number.
Call one(Array (*f)(const Array&, double), const char* name) {
  return [=](const golden::Case& c, const Array& x) {
    return f(x, c.options()[name].number());
  };
}

Call none(Array (*f)(const Array&)) {
  return [f](const golden::Case&, const Array& x) { return f(x); };
}

Array resized(const golden::Case& c, const Array& x) {
  const Value& o = c.options();
  return resize(x, size_of(o["size"]),
                {.method = o.get("method", "bilinear"),
                 .preserve_aspect_ratio = o.get("preserve_aspect_ratio", false),
                 .antialias = o.get("antialias", false)});
}

Array cropped_and_resized(const golden::Case& c, const Array& x) {
  const Value& o = c.options();
  return crop_and_resize(
      x, c.array("boxes"), c.array("box_indices"), size_of(o["crop_size"]),
      {.method = o.get("method", "bilinear"),
       .extrapolation_value = o.get("extrapolation_value", 0.0)});
}

const std::map<std::string, Call>& calls() {
  static const std::map<std::string, Call> calls{
      {"resize", resized},
      {"resize_with_pad",
       [](const golden::Case& c, const Array& x) {
         return resize_with_pad(
             x, target_of(c.options()),
             {.method = c.options().get("method", "bilinear"),
              .antialias = c.options().get("antialias", false)});
       }},
      {"resize_with_crop_or_pad",
       [](const golden::Case& c, const Array& x) {
         return resize_with_crop_or_pad(x, target_of(c.options()));
       }},
      {"crop_and_resize", cropped_and_resized},
      {"central_crop", one(central_crop, "central_fraction")},
      {"crop_to_bounding_box",
       [](const golden::Case& c, const Array& x) {
         return crop_to_bounding_box(x, box_of(c.options()));
       }},
      {"pad_to_bounding_box",
       [](const golden::Case& c, const Array& x) {
         return pad_to_bounding_box(x, box_of(c.options()));
       }},
      {"flip_left_right", none(flip_left_right)},
      {"flip_up_down", none(flip_up_down)},
      {"rot90",
       [](const golden::Case& c, const Array& x) {
         return rot90(x, static_cast<int>(c.options()["k"].integer()));
       }},
      {"transpose", none(transpose)},
      {"rgb_to_grayscale", none(rgb_to_grayscale)},
      {"grayscale_to_rgb", none(grayscale_to_rgb)},
      {"rgb_to_hsv", none(rgb_to_hsv)},
      {"hsv_to_rgb", none(hsv_to_rgb)},
      {"adjust_brightness", one(adjust_brightness, "delta")},
      {"adjust_contrast", one(adjust_contrast, "contrast_factor")},
      {"adjust_gamma",
       [](const golden::Case& c, const Array& x) {
         return adjust_gamma(x, c.options()["gamma"].number(),
                             c.options().get("gain", 1.0));
       }},
      {"adjust_saturation", one(adjust_saturation, "saturation_factor")},
      {"adjust_hue", one(adjust_hue, "delta")},
      {"adjust_jpeg_quality",
       [](const golden::Case& c, const Array& x) {
         return adjust_jpeg_quality(
             x, static_cast<int>(c.options()["jpeg_quality"].integer()));
       }},
      {"per_image_standardization", none(per_image_standardization)},
      {"convert_image_dtype", [](const golden::Case& c, const Array& x) {
         return convert_image_dtype(
             x, dtype_from_name(c.options()["dtype"].text()),
             {.saturate = c.options().get("saturate", false)});
       }}};
  return calls;
}

// Colours that come out between two whole numbers may be cut off to either.
golden::Tolerance tolerance_of(const Array& wanted) {
  if (is_integer(wanted.dtype()) && systolic::size_of(wanted.dtype()) == 1) {
    return {.relative = 0, .absolute = 1};
  }
  if (wanted.dtype() == DType::float32) {
    const double most = max(abs(wanted)).item<double>();
    return {.relative = 1e-5, .absolute = 2e-6 * std::max(most, 1.0)};
  }
  return {};
}

TEST(Operations, GiveTensorFlowsNumbers) {
  std::map<std::string, int> found;
  for (const golden::Case& c : golden::load("image_ops")) {
    SCOPED_TRACE(c.name());
    const std::string function = c.options()["function"].text();
    ASSERT_TRUE(calls().contains(function)) << function;
    ++found[function];
    const Array& wanted = c.array("output");
    EXPECT_EQ(golden::difference(calls().at(function)(c, c.array("input")),
                                 wanted, tolerance_of(wanted)),
              "");
  }
  EXPECT_EQ(found.size(), calls().size());
}

// Each dtype of pixel has its own way through the rows.
// TensorFlow's numbers: it divides down.
TEST(Operations, NegativeIntegersAreConvertedDown) {
  const Array x = Array::from(
      std::vector<int16_t>{-1, -2, -256, -257, -255, 255, 256, -32768, 32767});
  EXPECT_EQ(convert_image_dtype(x, DType::int8).to_string(),
            "[  -1   -1   -1   -2   -1    0    1 -128  127]");
  EXPECT_EQ(convert_image_dtype(x, DType::uint8).to_string(),
            "[255 255 254 253 254   1   2   0 255]");
}

TEST(Operations, TurnsAreTheSameForEveryDtype) {
  const Array picture = scene(5, 7);
  for (const DType dtype : {DType::uint8, DType::float32, DType::float64,
                            DType::float16, DType::int32}) {
    for (const int64_t channels : {1, 2, 3, 4}) {
      const Array bytes = scene(5, 7, channels);
      const Array x = cast(bytes, dtype);
      EXPECT_TRUE(array_equal(flip_left_right(x), flip_left_right(bytes)));
      EXPECT_TRUE(
          array_equal(flip_left_right(x), x[{all, Slice({}, {}, -1), all}]));
      EXPECT_TRUE(array_equal(flip_up_down(x), x[Slice({}, {}, -1)]));
      EXPECT_TRUE(
          array_equal(image::transpose(x), systolic::transpose(x, {1, 0, 2})));
      EXPECT_TRUE(array_equal(rot90(rot90(x)), rot90(x, 2)));
      EXPECT_TRUE(array_equal(rot90(rot90(x, 3)), x));
      EXPECT_EQ(rot90(x).dtype(), dtype);
    }
  }
}

// Rows are turned several pixels at a time, with a rest.
TEST(Operations, RowsOfEveryWidthAreTurned) {
  for (int64_t width = 1; width < 40; ++width) {
    const Array x = scene(2, width);
    const Array batch = stack(std::vector<Array>{x, flip_up_down(x)});
    for (const DType dtype : {DType::uint8, DType::float32}) {
      EXPECT_TRUE(array_equal(flip_left_right(cast(batch, dtype)),
                              batch[{all, all, Slice({}, {}, -1), all}]))
          << width;
    }
  }
}

TEST(Operations, ResizeKeepsFloatsAndShares) {
  const Array picture = scene(6, 8);
  EXPECT_EQ(resize(cast(picture, DType::bfloat16), {3, 4}).dtype(),
            DType::bfloat16);
  EXPECT_EQ(resize(cast(picture, DType::float64), {3, 4}).dtype(),
            DType::float64);
  EXPECT_EQ(resize(picture, {3, 4}).dtype(), DType::float32);
  EXPECT_EQ(resize(picture, {6, 8}).dtype(), DType::float32);
  EXPECT_EQ(crop_to_bounding_box(picture, {0, 0, 6, 8}).data(), picture.data());
}

TEST(Operations, JpegQualityIsThatOfAFile) {
  const Array picture = scene(17, 13);
  EXPECT_TRUE(array_equal(adjust_jpeg_quality(picture, 60),
                          decode_jpeg(encode_jpeg(picture, {.quality = 60}))));
  EXPECT_EQ(adjust_jpeg_quality(cast<float>(picture) / 255.f, 60).dtype(),
            DType::float32);
}

TEST(Operations, WrongCallsAreTold) {
  EXPECT_TRUE(text_of<ShapeError>([] {
                flip_left_right(Array::zeros({2, 2}));
              })
                  .starts_with("flip_left_right: expected images (h, w, c) or "
                               "(n, h, w, c), got float32[2, 2]"));
  EXPECT_TRUE(text_of<ValueError>([] {
                crop_to_bounding_box(scene(4, 4), {1, 0, 4, 4});
              })
                  .starts_with("crop_to_bounding_box: expected a box of at "
                               "least one pixel, inside, got offsets 1 and 0, "
                               "size 4 x 4\n  images: uint8[4, 4, 3]"));
  EXPECT_TRUE(text_of<TypeError>([] { rgb_to_hsv(scene(4, 4)); })
                  .starts_with("rgb_to_hsv: expected floating-point colours, "
                               "got uint8"));
  EXPECT_TRUE(
      text_of<ShapeError>([] { adjust_hue(scene(4, 4, 4), 0.5); })
          .starts_with("adjust_hue: expected a last axis of 3 channels, "
                       "got (4, 4, 4)"));
  EXPECT_THROW(adjust_gamma(scene(2, 2), -1), ValueError);
  EXPECT_THROW(adjust_brightness(Array::zeros({2, 2, 3}, DType::boolean), 1),
               TypeError);
  EXPECT_THROW(convert_image_dtype(scene(2, 2), DType::boolean), TypeError);
  EXPECT_THROW(resize(scene(2, 2), {0, 2}), ValueError);
  EXPECT_THROW(resize(scene(2, 2), {3, 2}, {.method = "linear"}), ValueError);
  const Array batch = Array::zeros({1, 4, 4, 3});
  const Array boxes = Array::from({0.f, 0.f, 1.f, 1.f}, {1, 4});
  EXPECT_TRUE(text_of<OutOfRangeError>([&] {
                crop_and_resize(batch, boxes, Array::from({1}), {2, 2});
              })
                  .starts_with("crop_and_resize: expected box_indices to be 0 "
                               "... 0, got 1"));
  EXPECT_THROW(crop_and_resize(batch, boxes, Array::from({0, 0}), {2, 2}),
               ShapeError);
}

}  // namespace
}  // namespace systolic::image
