#include "systolic/datasets/load.h"

#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/datasets/test_files.h"
#include "systolic/testing/environment_guard.h"

namespace systolic::datasets {
namespace {

using detail::parse_split;
using detail::text_of;

const std::map<std::string, int64_t> kSizes{{"train", 200}, {"test", 30}};

std::string parts(const std::string& split) {
  std::string text;
  for (const detail::SplitPart& part : parse_split(split, kSizes)) {
    text += part.split + " " + std::to_string(part.begin) + " " +
            std::to_string(part.end) + ";";
  }
  return text;
}

TEST(Load, SplitsAreThoseOfTensorFlowDatasets) {
  EXPECT_EQ(parts("train"), "train 0 200;");
  EXPECT_EQ(parts("train[:80%]"), "train 0 160;");
  EXPECT_EQ(parts("train[80%:]"), "train 160 200;");
  EXPECT_EQ(parts("train[-10%:]"), "train 180 200;");
  EXPECT_EQ(parts("train[50:90]+test"), "train 50 90;test 0 30;");
  EXPECT_EQ(parts("test[:1000]"), "test 0 30;");
  EXPECT_EQ(text_of<ValueError>([] { parts("valid"); }),
            "datasets::load: expected split to be one of test, train, or a "
            "part such as \"train[:80%]\", got \"valid\"");
  for (const char* bad :
       {"train[", "train[5]", "train[a:b]", "", "train+", "train[:80%"}) {
    EXPECT_THROW(parts(bad), ValueError) << bad;
  }
}

TEST(Load, GivesImagesWithChannelsAndLabels) {
  const testing::TemporaryFolder folder;
  const testing::EnvironmentGuard cache("XDG_CACHE_HOME",
                                        folder.path().string());
  const testing::EnvironmentGuard data("SYSTOLIC_DATA_DIR");
  for (const auto& [prefix, count] :
       {std::pair("train", 20), std::pair("t10k", 5)}) {
    const auto at = folder.path() / "systolic/datasets/fashion_mnist";
    const std::string name(prefix);
    detail::write_text(at / (name + "-images-idx3-ubyte"),
                       detail::idx_text({count, 28, 28}, 256));
    detail::write_text(at / (name + "-labels-idx1-ubyte"),
                       detail::idx_text({count}, 10));
  }
  auto [dataset, info] = load(
      "fashion_mnist",
      {.split = "train[:25%]+test", .as_supervised = true, .with_info = true});
  EXPECT_EQ(dataset.cardinality(), 10);
  EXPECT_EQ(info.num_examples.at("test"), 5);
  EXPECT_EQ(info.num_classes(), 10);
  EXPECT_EQ(dataset.element_spec().to_string(), "(uint8[28, 28, 1], int64[])");
  const auto first = *load("fashion_mnist").dataset.begin();
  EXPECT_EQ(first["label"].array().item<int>(), 0);
  EXPECT_EQ(first["image"].array().shape(), Shape({28, 28, 1}));
}

TEST(Load, OtherNamesAreTold) {
  EXPECT_EQ(text_of<ValueError>([] { load("mnist1"); }),
            "datasets::load: expected the name of a data set: cifar10, "
            "cifar100, fashion_mnist, flowers, mnist, got \"mnist1\"");
}

}  // namespace
}  // namespace systolic::datasets
