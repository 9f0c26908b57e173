#include "systolic/data/element_origin.h"

#include <gtest/gtest.h>

namespace systolic::data::detail {
namespace {

TEST(ElementOriginTest, IsKeptByCopiesAndViews) {
  const auto path = std::make_shared<const std::string>("a.tfrec");
  const Array array = with_origin("bytes", {path, 3, 1024});
  EXPECT_EQ(array.item<std::string>(), "bytes");
  EXPECT_EQ(array.rank(), 0);
  const Array copy = array;
  EXPECT_EQ(origin_text(copy), "a.tfrec, record 3 at byte 1024");
  EXPECT_EQ(origin_of(copy.reshaped({1}))->record, 3);
}

TEST(ElementOriginTest, OtherArraysHaveNone) {
  EXPECT_FALSE(origin_of(Array::scalar("text")));
  EXPECT_FALSE(origin_of(Array::scalar(3)));
  EXPECT_FALSE(origin_of(Array()));
  EXPECT_EQ(origin_text(Array::scalar("text")), "");
}

TEST(ElementOriginTest, AChangedCopyHasNone) {
  const auto path = std::make_shared<const std::string>("a");
  const Array array = with_origin("bytes", {path, 0, 0});
  Array changed = array;
  changed.mutable_span<std::string>()[0] = "other";
  EXPECT_FALSE(origin_of(changed));
  EXPECT_EQ(array.item<std::string>(), "bytes");
}

}  // namespace
}  // namespace systolic::data::detail
