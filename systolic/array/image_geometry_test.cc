#include "systolic/array/image_geometry.h"

#include <gtest/gtest.h>

#include "systolic/testing/error_text.h"

namespace systolic::image::detail {
namespace {

using internal::text_of;

const TensorSpec kTall{DType::uint8, {10, 4, 3}};
SourceLocation here() { return SourceLocation::current(); }

TEST(ImageGeometry, MiddleParts) {
  EXPECT_EQ(central_box(kTall, 0.5, here()), (BoundingBox{2, 1, 6, 2}));
  EXPECT_EQ(central_box(kTall, 1, here()), (BoundingBox{0, 0, 10, 4}));
  const CropAndPad both = crop_or_pad_boxes(kTall, {5, 7});
  EXPECT_EQ(both.crop, (BoundingBox{2, 0, 5, 4}));
  EXPECT_EQ(both.pad, (BoundingBox{0, 1, 5, 7}));
}

TEST(ImageGeometry, SizesThatKeepProportions) {
  EXPECT_EQ(resized_size(kTall, {5, 5}, false, here()), (Size{5, 5}));
  EXPECT_EQ(resized_size(kTall, {5, 5}, true, here()), (Size{5, 2}));
  EXPECT_EQ(resized_size(kTall, {1, 1}, true, here()), (Size{1, 1}));
  const ResizeAndPad padded = resize_and_pad(kTall, {5, 6}, here());
  EXPECT_EQ(padded.resized, (Size{5, 2}));
  EXPECT_EQ(padded.pad, (BoundingBox{0, 2, 5, 6}));
}

TEST(ImageGeometry, WrongCallsAreTold) {
  EXPECT_TRUE(
      text_of<ShapeError>([] {
        require_images("flip", {DType::uint8, {2, 2}}, here());
      })
          .starts_with("flip: expected images (h, w, c) or (n, h, w, c), got "
                       "uint8[2, 2]"));
  EXPECT_TRUE(text_of<ValueError>([] {
                require_crop("crop", kTall, {0, 1, 10, 4}, here());
              })
                  .starts_with("crop: expected a box of at least one pixel, "
                               "inside, got offsets 0 and 1, size 10 x 4"));
  EXPECT_THROW(require_crop("crop", kTall, {0, 0, 0, 4}, here()), ValueError);
  EXPECT_THROW(require_pad("pad", kTall, {1, 0, 10, 4}, here()), ValueError);
  EXPECT_THROW(central_box(kTall, 0, here()), ValueError);
  EXPECT_THROW(resized_size(kTall, {0, 4}, false, here()), ValueError);
}

}  // namespace
}  // namespace systolic::image::detail
