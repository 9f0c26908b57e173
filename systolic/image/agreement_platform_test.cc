// The same function on the host and on a device.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "systolic/graph/tensor.h"
#include "systolic/image/image.h"
#include "systolic/image/test_pictures.h"
#include "systolic/ops/image.h"
#include "systolic/ops/ops.h"

namespace systolic::image {
namespace {

// Colours from 0 to 1, gray and black ones among them.
Array colors() {
  Array x = Array::uninitialized({DType::float32, {2, 9, 7, 3}});
  const auto values = x.mutable_span<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i * 37 % 101) / 101;
  }
  for (size_t i = 0; i < 3; ++i) values[i] = 0.5f;
  for (size_t i = 3; i < 6; ++i) values[i] = 0;
  return x;
}

struct Twins {
  std::function<Array(const Array&)> host;
  std::function<Tensor(const Tensor&)> device;
};

// One name of image:: for both; the compiler picks by the argument.
template <class F>
Twins twins(F f) {
  return {[f](const Array& x) { return f(x); },
          [f](const Tensor& x) { return f(x); }};
}

TEST(Agreement, HostAndDeviceGiveTheSame) {
  std::map<std::string, Twins> list{
      {"crop", twins([](const auto& x) {
         return crop_to_bounding_box(x, {1, 2, 5, 4});
       })},
      {"pad", twins([](const auto& x) {
         return pad_to_bounding_box(x, {1, 2, 12, 10});
       })},
      {"central", twins([](const auto& x) { return central_crop(x, 0.6); })},
      {"crop or pad", twins([](const auto& x) {
         return resize_with_crop_or_pad(x, {6, 11});
       })},
      {"with pad", twins([](const auto& x) {
         return resize_with_pad(x, {6, 11}, {.antialias = true});
       })},
      {"aspect", twins([](const auto& x) {
         return resize(x, {6, 6}, {.preserve_aspect_ratio = true});
       })},
      {"left", twins([](const auto& x) { return flip_left_right(x); })},
      {"up", twins([](const auto& x) { return flip_up_down(x); })},
      {"rot90", twins([](const auto& x) { return image::rot90(x, 1); })},
      {"transpose", twins([](const auto& x) { return image::transpose(x); })},
      {"gray", twins([](const auto& x) { return rgb_to_grayscale(x); })},
      {"rgb", twins([](const auto& x) {
         return grayscale_to_rgb(rgb_to_grayscale(x));
       })},
      {"hsv", twins([](const auto& x) { return rgb_to_hsv(x); })},
      {"from hsv", twins([](const auto& x) { return hsv_to_rgb(x); })},
      {"brightness",
       twins([](const auto& x) { return adjust_brightness(x, 0.25); })},
      {"contrast",
       twins([](const auto& x) { return adjust_contrast(x, 1.75); })},
      {"gamma", twins([](const auto& x) { return adjust_gamma(x, 2, 0.5); })},
      {"saturation",
       twins([](const auto& x) { return adjust_saturation(x, 1.5); })},
      {"hue", twins([](const auto& x) { return adjust_hue(x, -0.3); })},
      {"standardization",
       twins([](const auto& x) { return per_image_standardization(x); })}};
  for (const char* method :
       {"nearest", "bilinear", "bicubic", "area", "lanczos3", "lanczos5",
        "gaussian", "mitchellcubic"}) {
    for (const bool antialias : {false, true}) {
      list.emplace(std::string("resize ") + method + (antialias ? " a" : ""),
                   twins([=](const auto& x) {
                     return resize(x, {4, 12},
                                   {.method = method, .antialias = antialias});
                   }));
    }
  }
  const Array x = colors();
  const Tensor on_device = constant(x);
  for (const auto& [name, twin] : list) {
    EXPECT_EQ(golden::difference(twin.host(x), twin.device(on_device).numpy(),
                                 {.relative = 1e-5, .absolute = 2e-6}),
              "")
        << name;
  }
}

// Bytes and wider whole numbers, as pictures come out of a decoder.
TEST(Agreement, WholeNumbersToo) {
  const std::map<std::string, Twins> list{
      {"gray", twins([](const auto& x) { return rgb_to_grayscale(x); })},
      {"brightness",
       twins([](const auto& x) { return adjust_brightness(x, -0.25); })},
      {"contrast",
       twins([](const auto& x) { return adjust_contrast(x, 1.75); })},
      {"gamma", twins([](const auto& x) { return adjust_gamma(x, 2, 0.5); })},
      {"saturation",
       twins([](const auto& x) { return adjust_saturation(x, 1.5); })},
      {"hue", twins([](const auto& x) { return adjust_hue(x, -0.3); })}};
  for (const DType dtype :
       {DType::uint8, DType::int8, DType::uint16, DType::int32}) {
    const Array x = convert_image_dtype(colors(), dtype, {.saturate = true});
    // A step of the dtype, or of float32 where that is coarser.
    const double step = dtype == DType::int32 ? 512 : 1;
    for (const auto& [name, twin] : list) {
      EXPECT_EQ(
          golden::difference(twin.host(x), twin.device(constant(x)).numpy(),
                             {.relative = 0, .absolute = step}),
          "")
          << name << " " << systolic::name(dtype);
    }
  }
}

TEST(Agreement, DtypesOfColoursAreConvertedAlike) {
  const Array unit = colors() * 2.f - 0.5f;
  const std::vector<DType> all{DType::uint8,   DType::int8,   DType::uint16,
                               DType::int16,   DType::uint32, DType::int32,
                               DType::uint64,  DType::int64,  DType::float32,
                               DType::float64, DType::float16};
  for (const DType from : all) {
    const Array x = convert_image_dtype(unit, from, {.saturate = true});
    const Tensor on_device = constant(x);
    for (const DType to : all) {
      for (const bool saturate : {true, false}) {
        // What does not fit into 32 bits and more is nobody's.
        const bool wide = is_integer(to) && systolic::size_of(to) > 2;
        if (wide && !saturate && is_floating(from)) continue;
        const Array wanted = convert_image_dtype(x, to, {.saturate = saturate});
        const Tensor got =
            convert_image_dtype(on_device, to, {.saturate = saturate});
        const bool exact = is_integer(from) && is_integer(to);
        EXPECT_EQ(got.dtype(), to);
        EXPECT_EQ(
            golden::difference(cast<double>(wanted), cast<double>(got.numpy()),
                               {.relative = exact                  ? 0
                                            : to == DType::float16 ? 1e-3
                                                                   : 3e-7,
                                .absolute = 0}),
            "")
            << name(from) << " to " << name(to) << (saturate ? ", cut" : "");
      }
    }
  }
}

// The last bit decides whether the last pixel is inside: sizes where a
// reciprocal, or a product that is not rounded before it is added, would put it
// outside or back.
TEST(Agreement, EdgesOfBoxesAreRoundedAlike) {
  const Array boxes = Array::from(
      std::vector<float>{0,     0,    1, 1,    1,    1,      0, 0,
                         0.1f,  0.3f, 1, 1,    0.7f, 1,      0, 0.35f,
                         -0.4f, 0,    1, 1.3f, 0,    0.123f, 1, 1},
      {6, 4});
  const Array indices = Array::zeros({6}, DType::int32);
  for (const auto& [from, to] :
       std::vector<std::pair<int64_t, int64_t>>{{4, 8},
                                                {4, 22},
                                                {7, 8},
                                                {8, 14},
                                                {8, 16},
                                                {10, 12},
                                                {12, 22},
                                                {13, 27},
                                                {14, 6},
                                                {14, 11},
                                                {15, 1},
                                                {224, 75}}) {
    const Array x = Array::full({1, from, from, 1}, 1, DType::float32);
    const CropAndResizeOptions outside{.extrapolation_value = -8};
    EXPECT_EQ(golden::difference(
                  crop_and_resize(constant(x), constant(boxes),
                                  constant(indices), {to, to}, outside)
                      .numpy(),
                  crop_and_resize(x, boxes, indices, {to, to}, outside)),
              "")
        << from << " to " << to;
  }
}

TEST(Agreement, FunctionsOfTensorsKnowTensorFlowsMethods) {
  for (const golden::Case& c : golden::load("image_ops")) {
    if (c.options()["function"].text() != "resize") continue;
    const auto size = c.options()["size"].integers();
    const Tensor got =
        resize(constant(c.array("input")), {size[0], size[1]},
               {.method = c.options().get("method", "bilinear"),
                .preserve_aspect_ratio =
                    c.options().get("preserve_aspect_ratio", false),
                .antialias = c.options().get("antialias", false)});
    EXPECT_EQ(golden::difference(got.numpy(), c.array("output"),
                                 {.relative = 1e-5, .absolute = 5e-4}),
              "")
        << c.name();
  }
}

}  // namespace
}  // namespace systolic::image
