#include "systolic/datasets/flowers.h"

#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/datasets/test_files.h"
#include "systolic/image/encode.h"
#include "systolic/records/example_builder.h"
#include "systolic/records/record_writer.h"
#include "systolic/testing/environment_guard.h"

namespace systolic::datasets {
namespace {

using detail::text_of;

class FlowersTest : public ::testing::Test {
 protected:
  // `count` files of two pictures, whose labels count up.
  void write(const std::string& folder, int count, bool labelled = true) {
    int64_t label = 0;
    for (int i = 0; i < count; ++i) {
      data::TFRecordWriter writer(
          (folder_.path() / folder / ("f" + std::to_string(i) + ".tfrec"))
              .string());
      for (int j = 0; j < 2; ++j, ++label) {
        const Array picture =
            Array::full({8, 8, 3}, static_cast<double>(label), DType::uint8);
        data::ExampleBuilder example;
        example.add("image", image::encode_jpeg(picture));
        if (labelled) {
          example.add("class", label % 5);
        } else {
          example.add("id", "no. " + std::to_string(label));
        }
        writer.write(example.serialize());
      }
      writer.close();
    }
  }
  std::string root() const { return (folder_.path() / "flowers").string(); }

  const testing::TemporaryFolder folder_;
};

TEST_F(FlowersTest, FiveClassesAreSplitByFiles) {
  write("flowers/tfrecords-jpeg-192x192", 8);
  const testing::EnvironmentGuard guard("SYSTOLIC_DATA_DIR",
                                        folder_.path().string());
  EXPECT_EQ(flowers::files({.size = 192}).size(), 7u);
  EXPECT_EQ(flowers::files({.size = 192, .split = "validation"}).size(), 1u);
  EXPECT_EQ(flowers::files({.size = 192, .split = ""}).size(), 8u);
  int64_t count = 0;
  for (auto [picture, label] :
       flowers::load_data({.size = 192}).as<Array, int64_t>()) {
    EXPECT_EQ(picture.spec().to_string(), "uint8[8, 8, 3]");
    EXPECT_GE(label, 0);
    EXPECT_LT(label, 5);
    ++count;
  }
  EXPECT_EQ(count, 14);
  EXPECT_EQ(flowers::class_names().size(), 5u);
}

TEST_F(FlowersTest, FewFilesHaveNoPartForValidation) {
  write("flowers/tfrecords-jpeg-192x192", 4);
  EXPECT_EQ(flowers::files({.size = 192, .split = "train", .data_dir = root()})
                .size(),
            4u);
  EXPECT_TRUE(
      text_of<ValueError>([&] {
        flowers::load_data(
            {.size = 192, .split = "validation", .data_dir = root()});
      })
          .starts_with("datasets::flowers: expected at least 6 files, of which "
                       "a part is for validation, got 4\n"));
}

TEST_F(FlowersTest, OfManyClassesTheFoldersAreTheSplits) {
  write("flowers/tfrecords-jpeg-512x512/val", 2);
  write("flowers/tfrecords-jpeg-512x512/test", 1, false);
  const flowers::Options options{
      .size = 512, .classes = 104, .split = "val", .data_dir = root()};
  EXPECT_EQ(flowers::files(options).size(), 2u);
  flowers::Options test = options;
  test.split = "test";
  std::vector<std::string> ids;
  for (auto [picture, id] : flowers::load_data(test).as<Array, std::string>()) {
    ids.push_back(id);
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"no. 0", "no. 1"}));
}

// Names that do not end in the number of pictures: the files are read.
TEST_F(FlowersTest, PicturesAreCounted) {
  write("flowers/tfrecords-jpeg-192x192", 8);
  flowers::Options options{.size = 192, .data_dir = root()};
  EXPECT_EQ(flowers::count(options), 14);
  EXPECT_EQ(flowers::class_names(104).size(), 104u);
  EXPECT_THROW(flowers::class_names(7), ValueError);
}

TEST_F(FlowersTest, MistakesAreTold) {
  const testing::EnvironmentGuard guard("SYSTOLIC_DATA_DIR",
                                        folder_.path().string());
  EXPECT_TRUE(text_of<ValueError>([] { flowers::files({.size = 100}); })
                  .starts_with("datasets::flowers: expected size to be 192, "
                               "224, 331 or 512, got 100"));
  EXPECT_THROW(flowers::files({.classes = 6}), ValueError);
  EXPECT_THROW(flowers::files({.split = "val"}), ValueError);
  EXPECT_THROW(flowers::files({.classes = 104, .split = ""}), ValueError);
  EXPECT_TRUE(
      text_of<NotFoundError>([] { flowers::files({.classes = 104}); })
          .starts_with("datasets::flowers: expected the folder with the files "
                       "of 104 classes, got none"));
  EXPECT_TRUE(
      text_of<NotFoundError>([&] { flowers::files({.data_dir = root()}); })
          .starts_with("datasets::flowers: expected record files, got "
                       "none that match " +
                       root()));
}

}  // namespace
}  // namespace systolic::datasets
