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
