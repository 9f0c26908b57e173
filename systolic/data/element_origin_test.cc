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

TEST(ElementOriginTest, IsSaidWithoutSecrets) {
  const auto path =
      std::make_shared<const std::string>("https://user:word@h/f?sig=key");
  EXPECT_EQ(origin_text(with_origin("bytes", {path, 3, 1024})),
            "https://...@h/f?sig=..., record 3 at byte 1024");
  EXPECT_EQ(
      origin_text(with_origin("bytes", {path, ElementOrigin::kWholeFile})),
      "\"https://...@h/f?sig=...\"");
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

TEST(ElementOriginTest, BatchesKnowTheirRows) {
  const auto path = std::make_shared<const std::string>("a.tfrec");
  const Array batch = with_origins(
      {"one", "two", "six"}, {{path, 0, 0}, {path, 1, 19}, {path, 2, 38}});
  EXPECT_EQ(batch.to_string(),
            Array::from_strings({"one", "two", "six"}).to_string());
  EXPECT_EQ(origin_text(batch, 2), "a.tfrec, record 2 at byte 38");
  EXPECT_EQ(origin_text(batch[1]), "a.tfrec, record 1 at byte 19");
  EXPECT_EQ(origin_text(batch[{Slice(2, 3)}]), "a.tfrec, record 2 at byte 38");
  EXPECT_EQ(origin_text(batch), "");
  EXPECT_EQ(origin_text(batch[{Slice(1, 3)}], 0),
            "a.tfrec, record 1 at byte 19");
  EXPECT_EQ(origin_text(batch, 3), "");
  EXPECT_EQ(origin_text(Array::from_strings({"one"}), 0), "");
}

}  // namespace
}  // namespace systolic::data::detail
