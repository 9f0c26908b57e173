#include "systolic/datasets/drawn_flowers.h"

#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/datasets/flowers.h"
#include "systolic/datasets/test_files.h"

namespace systolic::datasets::flowers {
namespace {

TEST(DrawnFlowers, DependOnClassAndSeedAlone) {
  const Array one = draw(2, 48, 7);
  EXPECT_EQ(one.spec().to_string(), "uint8[48, 48, 3]");
  EXPECT_TRUE(array_equal(one, draw(2, 48, 7)));
  EXPECT_FALSE(array_equal(one, draw(2, 48, 8)));
  EXPECT_FALSE(array_equal(one, draw(3, 48, 7)));
  EXPECT_THROW(draw(5, 48, 7), ValueError);
  EXPECT_THROW(draw(0, 7, 7), ValueError);
}

TEST(DrawnFlowers, AreReadAsTheRealOnes) {
  const testing::TemporaryFolder folder;
  const std::string root = folder.path().string();
  const auto paths =
      write_drawn(root + "/tfrecords-jpeg-192x192",
                  {.files = 3, .per_file = 10, .size = 192, .seed = 4});
  EXPECT_EQ(paths.size(), 3u);
  EXPECT_EQ(files({.size = 192, .split = "", .data_dir = root}), paths);
  std::vector<int> counts(5);
  for (auto [picture, label] :
       load_data({.size = 192, .split = "", .data_dir = root})
           .as<Array, int64_t>()) {
    EXPECT_EQ(picture.shape(), Shape({192, 192, 3}));
    ++counts[static_cast<size_t>(label)];
  }
  EXPECT_EQ(counts, (std::vector<int>{6, 6, 6, 6, 6}));
  EXPECT_THROW(write_drawn(root, {.files = 0}), ValueError);
}

}  // namespace
}  // namespace systolic::datasets::flowers
