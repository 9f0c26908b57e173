#include "systolic/datasets/directories.h"

#include <gtest/gtest.h>

#include <set>

#include "systolic/array/arrays.h"
#include "systolic/base/log.h"
#include "systolic/datasets/test_files.h"
#include "systolic/image/encode.h"
#include "systolic/image/resize.h"
#include "systolic/io/file_system.h"

namespace systolic::datasets {
namespace {

using detail::text_of;
using detail::write_text;

// A PNG of one colour.
std::string png(int64_t height, int64_t width, int value) {
  return image::encode_png(
      Array::full({height, width, 3}, value, DType::uint8));
}

class DirectoriesTest : public ::testing::Test {
 protected:
  DirectoriesTest() : before_(set_log_sink([](LogLevel, std::string_view) {})) {
    for (int i = 0; i < 6; ++i) {
      const std::string name = std::to_string(i);
      write_text(folder_.path() / "roses" / (name + ".png"), png(4, 6, i));
      write_text(folder_.path() / "tulips" / ("deep/" + name + ".PNG"),
                 png(4, 6, 100 + i));
      write_text(folder_.path() / "tulips" / (name + ".txt"), "text " + name);
    }
    write_text(folder_.path() / "roses" / "rose.txt", "a rose is a rose");
    write_text(folder_.path() / ".hidden" / "0.png", png(4, 6, 7));
    write_text(folder_.path() / "stray.png", png(4, 6, 9));
  }
  ~DirectoriesTest() override { set_log_sink(before_); }

  std::string path() const { return folder_.path().string(); }

  const testing::TemporaryFolder folder_;

 private:
  LogSink before_;
};

TEST_F(DirectoriesTest, SubfoldersAreTheClasses) {
  const DirectoryDataset dataset = image_dataset_from_directory(
      path(), {.batch_size = 5, .image_size = {8, 8}, .shuffle = false});
  EXPECT_EQ(dataset.class_names(),
            (std::vector<std::string>{"roses", "tulips"}));
  EXPECT_EQ(dataset.file_paths().size(), 12u);
  int64_t place = 0;
  for (auto [images, labels] : dataset.as<Array, Array>()) {
    EXPECT_EQ(images.dtype(), DType::float32);
    EXPECT_EQ(labels.dtype(), DType::int32);
    ASSERT_EQ(images.shape()[0], labels.shape()[0]);
    for (int64_t i = 0; i < labels.size(); ++i, ++place) {
      EXPECT_EQ(labels[i].item<int64_t>(), place / 6);
      EXPECT_TRUE(array_equal(
          images[i], Array::full({8, 8, 3}, static_cast<double>(
                                                place / 6 * 100 + place % 6))));
    }
  }
  EXPECT_EQ(place, 12);
}

TEST_F(DirectoriesTest, LabelsHaveTheirModes) {
  const auto first = [&](const std::optional<std::string>& mode) {
    return *image_dataset_from_directory(path(),
                                         {.label_mode = mode,
                                          .class_names = {"tulips", "roses"},
                                          .batch_size = 12,
                                          .image_size = {2, 2},
                                          .shuffle = false})
                .begin();
  };
  const Array one_hot = first("categorical")[1];
  EXPECT_TRUE(array_equal(one_hot[0], Array::from({1.f, 0.f})));
  EXPECT_TRUE(array_equal(one_hot[11], Array::from({0.f, 1.f})));
  const Array binary = first("binary")[1];
  EXPECT_EQ(binary.shape(), Shape({12, 1}));
  EXPECT_EQ((binary[{11, 0}].item<float>()), 1.f);
}

TEST_F(DirectoriesTest, WithoutLabelsFoldersAreOnlyFolders) {
  const DirectoryDataset dataset = image_dataset_from_directory(
      path(), {.label_mode = {}, .batch_size = {}, .image_size = {2, 3}});
  EXPECT_TRUE(dataset.class_names().empty());
  EXPECT_GE(dataset.file_paths().size(), 13u);
  EXPECT_EQ((*dataset.begin()).array().shape(), Shape({2, 3, 3}));
}

// The same seed gives parts that have no file in common, and all of them.
TEST_F(DirectoriesTest, PartsFitTogether) {
  std::set<std::string> all;
  size_t count = 0;
  std::string said;
  set_log_sink([&](LogLevel, std::string_view text) {
    said += std::string(text) + "\n";
  });
  for (const char* subset : {"training", "validation"}) {
    const DirectoryDataset part = image_dataset_from_directory(
        path(), {.seed = 3, .validation_split = 0.25, .subset = subset});
    count += part.file_paths().size();
    all.insert(part.file_paths().begin(), part.file_paths().end());
    EXPECT_EQ(part.file_paths().size(),
              subset == std::string("training") ? 9u : 3u);
  }
  EXPECT_EQ(count, 12u);
  EXPECT_EQ(all.size(), 12u);
  EXPECT_EQ(said,
            "Found 12 files belonging to 2 classes.\n"
            "Using 9 files for training.\n"
            "Found 12 files belonging to 2 classes.\n"
            "Using 3 files for validation.\n");
}

TEST_F(DirectoriesTest, BothPartsAreGivenAtOnce) {
  const ImageDirectoryOptions options{.seed = 3, .validation_split = 0.25};
  const auto [training, validation] =
      image_datasets_from_directory(path(), options);
  ImageDirectoryOptions one = options;
  one.subset = "training";
  EXPECT_EQ(training.file_paths(),
            image_dataset_from_directory(path(), one).file_paths());
  one.subset = "validation";
  EXPECT_EQ(validation.file_paths(),
            image_dataset_from_directory(path(), one).file_paths());
  EXPECT_THROW(image_datasets_from_directory(path(), one), ValueError);
  EXPECT_THROW(image_datasets_from_directory(path(), {.seed = 3}), ValueError);
  one.subset = "both";
  EXPECT_NE(text_of<ValueError>([&] {
              image_dataset_from_directory(path(), one);
            }).find("image_datasets_from_directory"),
            std::string::npos);
  EXPECT_THROW(text_datasets_from_directory(path(), {.seed = 3}), ValueError);
}

TEST_F(DirectoriesTest, ProportionsAreKeptOnRequest) {
  const auto image = [&](bool crop, bool pad) {
    const data::Element batch =
        *image_dataset_from_directory(path(), {.image_size = {6, 6},
                                               .shuffle = false,
                                               .crop_to_aspect_ratio = crop,
                                               .pad_to_aspect_ratio = pad})
             .begin();
    return batch[0].array()[5];  // of fives, four rows of six columns
  };
  EXPECT_TRUE(array_equal(image(true, false), Array::full({6, 6, 3}, 5)));
  Array padded = Array::zeros({6, 6, 3});
  for (size_t i = 18; i < 90; ++i) padded.mutable_span<float>()[i] = 5;
  EXPECT_TRUE(array_equal(image(false, true), padded));
  EXPECT_EQ(text_of<ValueError>([&] { image(true, true); }),
            "image_dataset_from_directory: expected one of "
            "crop_to_aspect_ratio and pad_to_aspect_ratio, got both");
}

// As Keras: the zeros come behind the resizing, and are not mixed in.
TEST_F(DirectoriesTest, PaddingKeepsTheEdgesOfPictures) {
  const data::Element batch =
      *image_dataset_from_directory(path(), {.image_size = {5, 3},
                                             .shuffle = false,
                                             .pad_to_aspect_ratio = true})
           .begin();
  EXPECT_TRUE(
      array_equal(batch[0].array()[5],
                  image::resize_with_pad(Array::full({4, 6, 3}, 5), {5, 3})));
}

TEST_F(DirectoriesTest, TextsAreStrings) {
  const DirectoryDataset dataset = text_dataset_from_directory(
      path(), {.batch_size = 7, .max_length = 6, .shuffle = false});
  const data::Element batch = *dataset.begin();
  EXPECT_EQ(batch[0].array().span<std::string>()[0], "a rose");
  EXPECT_EQ(batch[0].array().span<std::string>()[6], "text 5");
  EXPECT_TRUE(array_equal(batch[1], Array::from({0, 1, 1, 1, 1, 1, 1})));
}

TEST_F(DirectoriesTest, FilesAreThoseOfTheElementsWhereNothingIsShuffled) {
  const DirectoryDataset dataset = text_dataset_from_directory(
      path(), {.label_mode = {}, .batch_size = {}, .shuffle = false});
  size_t i = 0;
  for (std::string_view text : dataset.as<std::string_view>()) {
    EXPECT_EQ(text, io::read_file(dataset.file_paths().at(i++)));
  }
  EXPECT_EQ(i, dataset.file_paths().size());
}

TEST_F(DirectoriesTest, MistakesAreTold) {
  const std::string who = "image_dataset_from_directory: expected ";
  EXPECT_TRUE(
      text_of<ValueError>(
          [&] { image_dataset_from_directory(path(), {.color_mode = "cmyk"}); })
          .starts_with(who + "color_mode to be \"grayscale\", \"rgb\" or "
                             "\"rgba\", got \"cmyk\""));
  EXPECT_TRUE(text_of<ValueError>([&] {
                image_dataset_from_directory(
                    path(), {.class_names = {"roses", "daisies"}});
              })
                  .starts_with(who + "class_names to be folders of " + path() +
                               ": roses, tulips, got \"daisies\""));
  EXPECT_TRUE(text_of<ValueError>([&] {
                image_dataset_from_directory(
                    path(), {.validation_split = 0.5, .subset = "training"});
              })
                  .starts_with(who + "a seed, so that training and validation "
                                     "do not overlap, got validation_split and "
                                     "shuffle without a seed"));
  EXPECT_THROW(image_dataset_from_directory(path(), {.subset = "training"}),
               ValueError);
  EXPECT_THROW(image_dataset_from_directory(path(), {.label_mode = "text"}),
               ValueError);
  EXPECT_THROW(
      image_dataset_from_directory(path(), {.interpolation = "linear"}),
      ValueError);
  EXPECT_THROW(image_dataset_from_directory(
                   path(), {.labels = std::vector<int32_t>{1, 2}}),
               ValueError);
  EXPECT_THROW(image_dataset_from_directory(path() + "/none"), Error);
  std::filesystem::create_directories(folder_.path() / "empty/a");
  EXPECT_TRUE(
      text_of<NotFoundError>(
          [&] { text_dataset_from_directory(path() + "/empty"); })
          .starts_with("text_dataset_from_directory: expected files that "
                       "end in .txt, got none in "));
}

TEST_F(DirectoriesTest, ADamagedFileIsNamed) {
  write_text(folder_.path() / "roses" / "0.png", "no picture");
  const std::string text = text_of<DataError>([&] {
    image_dataset_from_directory(path(), {.shuffle = false}).begin();
  });
  EXPECT_NE(text.find("decode_image: expected a JPEG, PNG, GIF, BMP or WebP "
                      "picture, got another start"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("roses/0.png"), std::string::npos) << text;
}

TEST(Timeseries, SequencesAreKeras) {
  // Keras's own example: 0 ... 99, ten at a time, every second, stride three.
  std::vector<int64_t> numbers(100);
  for (size_t i = 0; i < 100; ++i) numbers[i] = static_cast<int64_t>(i);
  const Array series = Array::from(numbers);
  const data::Dataset dataset = timeseries_dataset_from_array(
      series, {}, 10,
      {.sequence_stride = 3, .sampling_rate = 2, .batch_size = {}});
  std::vector<Array> rows;
  for (const auto& row : dataset.as<Array>()) rows.push_back(row);
  ASSERT_EQ(rows.size(), 28u);
  EXPECT_TRUE(
      array_equal(rows[0], Array::from({0, 2, 4, 6, 8, 10, 12, 14, 16, 18})));
  EXPECT_TRUE(
      array_equal(rows[1], Array::from({3, 5, 7, 9, 11, 13, 15, 17, 19, 21})));
  EXPECT_TRUE(array_equal(
      rows[27], Array::from({81, 83, 85, 87, 89, 91, 93, 95, 97, 99})));
}

TEST(Timeseries, TargetsAreThoseOfTheStarts) {
  const Array x = Array::from({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {10, 1});
  const Array y = Array::from({10, 11, 12, 13, 14, 15, 16, 17, 18, 19});
  const data::Dataset dataset = timeseries_dataset_from_array(
      x, y, 3, {.batch_size = 4, .start_index = 2, .end_index = 8});
  const data::Element batch = *dataset.begin();
  EXPECT_EQ(batch[0].array().shape(), Shape({4, 3, 1}));
  EXPECT_TRUE(array_equal(batch[0].array()[1], Array::from({3, 4, 5}, {3, 1})));
  EXPECT_TRUE(array_equal(batch[1], Array::from({12, 13, 14, 15})));
  EXPECT_EQ(dataset.cardinality(), 1);
}

TEST(Timeseries, MistakesAreTold) {
  const Array x = Array::zeros({10});
  EXPECT_TRUE(text_of<ValueError>([&] {
                timeseries_dataset_from_array(x, {}, 3, {.sampling_rate = 10});
              })
                  .starts_with("timeseries_dataset_from_array: expected "
                               "sampling_rate to be at least 1 and below the "
                               "data's length, got 10"));
  EXPECT_THROW(timeseries_dataset_from_array(x, {}, 0), ValueError);
  EXPECT_THROW(timeseries_dataset_from_array(x, {}, 3, {.start_index = 10}),
               ValueError);
  EXPECT_THROW(timeseries_dataset_from_array(x, {}, 3, {.end_index = 11}),
               ValueError);
  EXPECT_THROW(timeseries_dataset_from_array(Array::scalar(1), {}, 3),
               ShapeError);
}

}  // namespace
}  // namespace systolic::datasets
