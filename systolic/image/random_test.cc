#include "systolic/image/random.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "systolic/base/seed.h"
#include "systolic/image/decode.h"
#include "systolic/image/encode.h"
#include "systolic/image/geometry.h"
#include "systolic/image/test_calls.h"
#include "systolic/image/test_pictures.h"

namespace systolic::image {
namespace {

using golden::Value;

Range range_of(const Value& options, const std::string& key,
               const Range& absent) {
  if (!options.has(key)) return absent;
  const auto& ends = options[key].list();
  return {ends[0].number(), ends[1].number()};
}

// The box's numbers.
Array distorted_box(const Array& x, const Value& o, const StatelessSeed& seed) {
  const DistortedBoxOptions usual;
  const BoundingBox box = stateless_sample_distorted_bounding_box(
      {x[0].item<int64_t>(), x[1].item<int64_t>()}, seed,
      {.aspect_ratio_range =
           range_of(o, "aspect_ratio_range", usual.aspect_ratio_range),
       .area_range = range_of(o, "area_range", usual.area_range),
       .max_attempts = static_cast<int>(o.get("max_attempts", 100))});
  return cast<int32_t>(Array::from({box.offset_height, box.offset_width,
                                    box.target_height, box.target_width}));
}

RandomCalls<Array, StatelessSeed> calls() {
  RandomCalls<Array, StatelessSeed> all = random_calls<Array, StatelessSeed>();
  all["stateless_random_jpeg_quality"] = [](const Array& x, const Value& o,
                                            const StatelessSeed& seed) {
    return stateless_random_jpeg_quality(
        x, {o["min_jpeg_quality"].number(), o["max_jpeg_quality"].number()},
        seed);
  };
  all["stateless_sample_distorted_bounding_box"] = distorted_box;
  return all;
}

// JPEG's coder rounds otherwise in another version.
golden::Tolerance tolerance_for(const std::string& function,
                                const Array& wanted) {
  if (function.ends_with("jpeg_quality")) return {.relative = 0, .absolute = 2};
  return tolerance_of(wanted);
}

TEST(Random, StatelessFunctionsGiveTensorFlowsPictures) {
  const auto all = calls();
  std::map<std::string, int> found;
  for (const golden::Case& c : golden::load("image_random")) {
    SCOPED_TRACE(c.name());
    const std::string function = c.options()["function"].text();
    ASSERT_TRUE(all.contains(function)) << function;
    ++found[function];
    const auto seed = c.options()["seed"].integers();
    const Array& wanted = c.array("output");
    EXPECT_EQ(golden::difference(all.at(function)(c.array("input"), c.options(),
                                                  {seed[0], seed[1]}),
                                 wanted, tolerance_for(function, wanted)),
              "");
  }
  EXPECT_EQ(found.size(), all.size());
}

// Equal seeds give equal pictures, others some of both.
TEST(Random, DrawsFromTheProgramsSeed) {
  const Array picture = scene(4, 5);
  const auto flips = [&] {
    std::string result;
    for (int i = 0; i < 40; ++i) {
      const bool flipped =
          !array_equal(random_flip_left_right(picture), picture);
      result += flipped ? "1" : "0";
    }
    return result;
  };
  set_random_seed(1);
  const std::string first = flips();
  EXPECT_NE(first.find('0'), std::string::npos);
  EXPECT_NE(first.find('1'), std::string::npos);
  EXPECT_NE(flips(), first);
  set_random_seed(1);
  EXPECT_EQ(flips(), first);
}

TEST(Random, EachFunctionStaysInItsRange) {
  set_random_seed(3);
  const Array gray = Array::full({2, 2, 3}, 0.5);
  for (int i = 0; i < 20; ++i) {
    const Array bright = random_brightness(gray, 0.25);
    EXPECT_GE(min(bright).item<float>(), 0.25f);
    EXPECT_LE(max(bright).item<float>(), 0.75f);
    EXPECT_EQ(random_crop(scene(6, 7), {2, 3, 3}).shape(), Shape({2, 3, 3}));
    EXPECT_EQ(random_flip_up_down(scene(3, 2)).shape(), Shape({3, 2, 3}));
    EXPECT_EQ(random_contrast(gray, {0.5, 1.5}).shape(), gray.shape());
    EXPECT_EQ(random_hue(gray, 0.2).shape(), gray.shape());
    EXPECT_EQ(random_saturation(gray, {0.5, 1.5}).shape(), gray.shape());
  }
  const Array picture = scene(16, 16);
  EXPECT_TRUE(array_equal(random_jpeg_quality(picture, {50, 51}),
                          decode_jpeg(encode_jpeg(picture, {.quality = 50}))));
}

TEST(Random, BoxesHaveTheirAreaAndProportions) {
  const DistortedBoxOptions options{.aspect_ratio_range = {0.5, 2},
                                    .area_range = {0.25, 0.5}};
  double smallest = 1, largest = 0;
  for (int64_t seed = 0; seed < 200; ++seed) {
    const BoundingBox box =
        stateless_sample_distorted_bounding_box({80, 120}, {seed, 7}, options);
    crop_to_bounding_box(Array::zeros({80, 120, 1}), box);  // fits
    const auto height = static_cast<double>(box.target_height);
    const auto width = static_cast<double>(box.target_width);
    const double area = height * width / (80 * 120);
    smallest = std::min(smallest, area);
    largest = std::max(largest, area);
    EXPECT_GT(width / height, 0.47);
    EXPECT_LT(width / height, 2.1);
  }
  EXPECT_GT(smallest, 0.24);
  EXPECT_LT(smallest, 0.3);
  EXPECT_LT(largest, 0.52);
  EXPECT_GT(largest, 0.45);
  // Nothing so wide fits into a tall image.
  EXPECT_EQ(stateless_sample_distorted_bounding_box(
                {100, 2}, {1, 1},
                {.aspect_ratio_range = {8, 9}, .area_range = {0.5, 1}}),
            (BoundingBox{0, 0, 100, 2}));
}

TEST(Random, WrongCallsAreTold) {
  const Array x = scene(3, 3);
  EXPECT_TRUE(text_of<ValueError>([&] {
                random_contrast(x, {1.5, 0.5});
              })
                  .starts_with("random_contrast: expected 0 <= lower < upper, "
                               "got {1.5, 0.5}"));
  EXPECT_TRUE(
      text_of<ValueError>([&] { random_hue(x, 0.75); })
          .starts_with("random_hue: expected max_delta to be 0 ... 0.5, "
                       "got 0.75"));
  EXPECT_TRUE(
      text_of<ValueError>([&] {
        random_crop(x, {4, 3, 3});
      })
          .starts_with("random_crop: expected a size within the value's "
                       "(3, 3, 3), got (4, 3, 3)"));
  const StatelessSeed seed = {1, 2};
  const std::pair<std::string, std::function<void()>> calls[] = {
      {"flip_up_down",
       [&] {
         stateless_random_flip_up_down(Array::zeros({2, 2}), seed);
       }},
      {"flip_left_right",
       [&] {
         stateless_random_flip_left_right(Array::zeros({2, 2}), seed);
       }},
      {"brightness", [&] { stateless_random_brightness(x, -1, seed); }},
      {"contrast",
       [&] {
         stateless_random_contrast(x, {1.5, 0.5}, seed);
       }},
      {"hue", [&] { stateless_random_hue(x, 0.75, seed); }},
      {"saturation",
       [&] {
         stateless_random_saturation(x, {-1, 1}, seed);
       }},
      {"jpeg_quality",
       [&] {
         stateless_random_jpeg_quality(x, {9, 101}, seed);
       }},
      {"crop", [&] {
         stateless_random_crop(x, {4, 3, 3}, seed);
       }}};
  for (const auto& [name, call] : calls) {
    const std::string text = text_of<Error>(call);
    EXPECT_TRUE(text.starts_with("stateless_random_" + name + ": ")) << text;
  }
  EXPECT_TRUE(text_of<ValueError>([&] {
                stateless_sample_distorted_bounding_box({0, 3}, seed);
              }).starts_with("stateless_sample_distorted_bounding_box: "));
  EXPECT_THROW(random_brightness(x, -1), ValueError);
  EXPECT_THROW(random_saturation(x, {-1, 1}), ValueError);
  EXPECT_THROW(random_jpeg_quality(x, {50, 101}), ValueError);
  EXPECT_THROW(sample_distorted_bounding_box({0, 3}), ValueError);
  EXPECT_THROW(random_flip_up_down(Array::zeros({2, 2})), ShapeError);
}

}  // namespace
}  // namespace systolic::image
