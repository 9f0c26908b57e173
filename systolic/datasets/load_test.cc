#include "systolic/datasets/load.h"

#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/datasets/cifar.h"
#include "systolic/datasets/drawn_flowers.h"
#include "systolic/datasets/flowers.h"
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

// The two parts of a set of small pictures, in `folder`.
void write_mnist(const std::filesystem::path& folder, int train, int test) {
  for (const auto& [prefix, count] :
       {std::pair("train", train), std::pair("t10k", test)}) {
    const std::string name(prefix);
    detail::write_text(folder / (name + "-images-idx3-ubyte"),
                       detail::idx_text({count, 28, 28}, 256));
    detail::write_text(folder / (name + "-labels-idx1-ubyte"),
                       detail::idx_text({count}, 10));
  }
}

TEST(Load, GivesImagesWithChannelsAndLabels) {
  const testing::TemporaryFolder folder;
  const testing::EnvironmentGuard cache("XDG_CACHE_HOME",
                                        folder.path().string());
  const testing::EnvironmentGuard data("SYSTOLIC_DATA_DIR");
  write_mnist(folder.path() / "systolic/datasets/fashion_mnist", 20, 5);
  auto [dataset, info] = load(
      "fashion_mnist",
      {.split = "train[:25%]+test", .as_supervised = true, .with_info = true});
  EXPECT_EQ(dataset.cardinality(), 10);
  EXPECT_EQ(info.num_examples.at("test"), 5);
  EXPECT_EQ(info.num_classes(), 10);
  EXPECT_EQ(dataset.element_spec().to_string(), "(uint8[28, 28, 1], int64[])");
  // What is true of it may be said.
  EXPECT_EQ(load("fashion_mnist", {.size = 28, .classes = 10}).info.name,
            "fashion_mnist");
  const auto first = *load("fashion_mnist").dataset.begin();
  EXPECT_EQ(first["label"].array().item<int>(), 0);
  EXPECT_EQ(first["image"].array().shape(), Shape({28, 28, 1}));
}

TEST(Load, FilesAreThoseOfDataDir) {
  const testing::TemporaryFolder folder;
  const testing::EnvironmentGuard cache("XDG_CACHE_HOME",
                                        (folder.path() / "cache").string());
  const testing::EnvironmentGuard data("SYSTOLIC_DATA_DIR");
  write_mnist(folder.path() / "cache/systolic/datasets/fashion_mnist", 3, 1);
  write_mnist(folder.path() / "mine/fashion_mnist", 7, 2);
  const std::string mine = (folder.path() / "mine").string();
  EXPECT_EQ(load("fashion_mnist").dataset.cardinality(), 3);
  EXPECT_EQ(load("fashion_mnist", {.data_dir = mine}).dataset.cardinality(), 7);
  EXPECT_EQ(load("fashion_mnist", {.data_dir = mine, .try_gcs = true})
                .info.num_examples.at("test"),
            2);
}

TEST(Load, OptionsThatTheDataSetDoesNotHaveAreTold) {
  EXPECT_EQ(
      text_of<ValueError>([] { load("cifar10", {.try_gcs = true}); }),
      "datasets::load: expected try_gcs of \"cifar10\" to be false: it has no "
      "copy in Google's storage, got true\n"
      "  hint: leave it out: it is fetched from its authors' address");
  EXPECT_THROW(load("flowers", {.classes = 104, .try_gcs = true}), ValueError);
  EXPECT_EQ(text_of<ValueError>([] { load("mnist", {.size = 32}); }),
            "datasets::load: expected size of \"mnist\" to be 28, got 32\n"
            "  hint: leave it out: it is an option of flowers");
  EXPECT_EQ(text_of<ValueError>([] { load("cifar100", {.classes = 20}); }),
            "datasets::load: expected classes of \"cifar100\" to be 100, got "
            "20\n  hint: leave it out: it is an option of flowers");
  EXPECT_EQ(text_of<ValueError>(
                [] { load("mnist", {.data_dir = "gs://bucket/mnist"}); }),
            "datasets::load: expected data_dir of \"mnist\" to be a folder of "
            "this machine, got \"gs://bucket/mnist\"\n"
            "  hint: leave it out: what is fetched is kept in the cache");
}

TEST(Load, FlowersHaveSizesClassesAndParts) {
  const testing::TemporaryFolder folder;
  const auto at = [&](const char* name) {
    return (folder.path() / name).string();
  };
  flowers::write_drawn(at("tfrecords-jpeg-192x192"),
                       {.files = 8, .per_file = 5, .size = 16});
  const auto load_part = [&](const std::string& split) {
    return load("flowers", {.split = split,
                            .size = 192,
                            .data_dir = folder.path().string(),
                            .as_supervised = true});
  };
  const auto labels = [](const data::Dataset& dataset) {
    std::vector<int64_t> all;
    for (auto [picture, label] : dataset.as<Array, int64_t>()) {
      EXPECT_EQ(picture.spec().to_string(), "uint8[16, 16, 3]");
      all.push_back(label);
    }
    return all;
  };
  const std::vector<int64_t> train = labels(load_part("train").dataset);
  ASSERT_EQ(train.size(), 35u);
  auto [part, info] = load_part("train[:80%]");
  EXPECT_EQ(labels(part),
            std::vector<int64_t>(train.begin(), train.begin() + 28));
  EXPECT_EQ(info.num_examples.at("train"), 35);
  EXPECT_EQ(info.num_classes(), 5);
  EXPECT_EQ(labels(load_part("train[-2:]+validation").dataset).size(), 7u);
  EXPECT_EQ(labels(load_part("").dataset).size(), 40u);
  EXPECT_THROW(load_part("val"), ValueError);
  EXPECT_THROW(load("flowers", {.size = 193}), ValueError);

  flowers::write_drawn(at("tfrecords-jpeg-512x512/val"),
                       {.files = 1, .per_file = 6, .size = 16});
  const LoadedDataset many =
      load("flowers", {.split = "val[2:]",
                       .size = 512,
                       .classes = 104,
                       .data_dir = folder.path().string(),
                       .as_supervised = true});
  EXPECT_EQ(labels(many.dataset).size(), 4u);
  EXPECT_EQ(many.info.num_classes(), 104);
  EXPECT_EQ(many.info.class_names[103], "wild rose");
}

TEST(Load, ClassesOfCifarHaveNames) {
  const auto fine = cifar100::class_names();
  const auto coarse = cifar100::class_names({.label_mode = "coarse"});
  EXPECT_EQ(fine.size(), 100u);
  EXPECT_EQ(fine[99], "worm");
  EXPECT_EQ(coarse.size(), 20u);
  EXPECT_EQ(coarse[0], "aquatic_mammals");
  EXPECT_THROW(cifar100::class_names({.label_mode = "all"}), ValueError);
}

TEST(Load, OtherNamesAreTold) {
  EXPECT_EQ(text_of<ValueError>([] { load("mnist1"); }),
            "datasets::load: expected the name of a data set: cifar10, "
            "cifar100, fashion_mnist, flowers, mnist, got \"mnist1\"");
}

}  // namespace
}  // namespace systolic::datasets
