#include "systolic/datasets/cifar.h"

#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/datasets/sources.h"
#include "systolic/datasets/test_files.h"

namespace systolic::datasets::detail {
namespace {

// `count` records, whose pixels are their place and channel.
std::string records(int count, int labels, int classes) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    for (int l = 0; l < labels; ++l) {
      text += static_cast<char>((i * 7 + l) % (l + 1 < labels ? 20 : classes));
    }
    for (int c = 0; c < 3; ++c) {
      for (int p = 0; p < 1024; ++p) {
        text += static_cast<char>((i + p + c * 50) % 256);
      }
    }
  }
  return text;
}

class CifarTest : public ::testing::Test {
 protected:
  void add(const std::string& name, const std::string& text) {
    const std::string file = "cifar-" + name + "-binary.tar";
    write_text(folder_.path() / "cifar" / file, text);
    SourceFile source = source_of(file, text);
    source.dataset = "cifar";
    sources_ = {source};
  }
  void add_ten(int count) {
    std::string text;
    for (int i = 1; i <= 5; ++i) {
      text += tar_text(
          "cifar-10-batches-bin/data_batch_" + std::to_string(i) + ".bin",
          records(count, 1, 10));
    }
    text += tar_text("cifar-10-batches-bin/test_batch.bin", records(2, 1, 10));
    add("10", text + std::string(1024, '\0'));
  }

  const TemporaryFolder folder_;
  const Places places_{.cache = folder_.path(), .data_dir = {}};
  std::vector<SourceFile> sources_;
};

TEST_F(CifarTest, GivesImagesAndLabelsAsKerasDoes) {
  add_ten(3);
  auto [train, test] = load_cifar10(sources_, places_);
  EXPECT_EQ(train.first.spec().to_string(), "uint8[15, 32, 32, 3]");
  EXPECT_EQ(train.second.spec().to_string(), "uint8[15, 1]");
  EXPECT_EQ(test.first.spec().to_string(), "uint8[2, 32, 32, 3]");
  EXPECT_EQ((train.second[{4, 0}].item<int>()), 7);
  // Record 1, row 2, column 3: the channels are fifty apart.
  EXPECT_TRUE(array_equal(train.first[{1, 2, 3}], Array::from({68, 118, 168})));
}

TEST_F(CifarTest, AHundredClassesHaveTwoLabels) {
  add("100", tar_text("cifar-100-binary/train.bin", records(4, 2, 100)) +
                 tar_text("cifar-100-binary/test.bin", records(2, 2, 100)) +
                 std::string(1024, '\0'));
  const auto fine = load_cifar100(sources_, places_, {});
  EXPECT_EQ((fine.first.second[{3, 0}].item<int>()), 22);
  EXPECT_EQ(fine.second.first.shape(), Shape({2, 32, 32, 3}));
  const auto coarse =
      load_cifar100(sources_, places_, {.label_mode = "coarse"});
  EXPECT_EQ((coarse.first.second[{3, 0}].item<int>()), 1);
  EXPECT_EQ(text_of<ValueError>([&] {
              load_cifar100(sources_, places_, {.label_mode = "finest"});
            }),
            "datasets::cifar100: expected label_mode to be \"fine\" or "
            "\"coarse\", got \"finest\"");
}

TEST_F(CifarTest, DamageIsToldWithItsPlace) {
  std::string bad = records(2, 1, 10);
  bad[3073] = 11;
  add("10", tar_text("data_batch_1.bin", bad) + std::string(1024, '\0'));
  // The checksum is of the damaged file here; the labels are checked as well.
  const std::string text =
      text_of<DataError>([&] { load_cifar10(sources_, places_); });
  EXPECT_TRUE(
      text.starts_with("datasets: expected a label below 10, got 11\n  file: "))
      << text;
  EXPECT_NE(text.find("cifar-10-binary.tar, data_batch_1.bin\n  check: labels\n"
                      "  offset: 3073"),
            std::string::npos)
      << text;
  add("10", tar_text("data_batch_1.bin", "short") + std::string(1024, '\0'));
  EXPECT_TRUE(
      text_of<DataError>([&] { load_cifar10(sources_, places_); })
          .starts_with("datasets: expected records of 3073 bytes, got 5 "
                       "bytes\n"));
}

}  // namespace
}  // namespace systolic::datasets::detail
