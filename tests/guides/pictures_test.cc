// The code of docs/guides/pictures.md, and that it does what the page says.
#include <gtest/gtest.h>
#include <systolic/systolic.h>

#include <fstream>
#include <string>

#include "systolic/testing/golden.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic {
namespace {

// A folder flowers/ of drawn ones, and roses as single files.
class Pictures : public ::testing::Test {
 protected:
  Pictures() {
    datasets::flowers::write_drawn(folder_.path() / "tfrecords-jpeg-192x192",
                                   {.files = 2, .per_file = 10, .size = 192});
    for (const char* name : {"roses", "tulips"}) {
      std::filesystem::create_directories(folder_.path() / "photos" / name);
      for (int i = 0; i < 5; ++i) {
        std::ofstream(
            folder_.path() / "photos" / name / (std::to_string(i) + ".jpg"),
            std::ios::binary)
            << image::encode_jpeg(datasets::flowers::draw(2, 64, i));
      }
    }
  }

  const testing::TemporaryFolder folder_;
};

TEST_F(Pictures, FromRecords) {
  const std::string folder =
      (folder_.path() / "tfrecords-jpeg-192x192").string();
  // [records]
  const data::Features features{
      {"image", data::FixedLenFeature({}, DType::string)},
      {"class", data::FixedLenFeature({}, DType::int64)}};
  auto decode = [features](const Array& record) {
    const auto example = data::parse_single_example(record, features);
    Array picture = image::decode_jpeg(example["image"], {.channels = 3});
    picture = image::random_flip_left_right(picture);
    return std::pair(picture, example["class"].array());
  };
  auto train = data::TFRecordDataset(io::glob(folder + "/*.tfrec"),
                                     {.num_parallel_reads = data::AUTOTUNE})
                   .map(decode, {.num_parallel_calls = data::AUTOTUNE})
                   .shuffle(2048)
                   .batch(16, {.drop_remainder = true})
                   .prefetch(data::AUTOTUNE);
  // [records]
  const data::Element batch = *train.begin();
  EXPECT_EQ(batch[0].array().spec().to_string(), "uint8[16, 192, 192, 3]");
}

// [crop]
Array random_part(std::string_view jpeg) {
  const Array shape = image::extract_jpeg_shape(jpeg);
  const image::BoundingBox box = image::sample_distorted_bounding_box(
      {shape[0].item<int64_t>(), shape[1].item<int64_t>()},
      {.area_range = {0.25, 1}});
  const Array part =
      image::decode_and_crop_jpeg(jpeg,
                                  {box.offset_height, box.offset_width,
                                   box.target_height, box.target_width},
                                  {.channels = 3});
  return image::resize(part, {128, 128}, {.antialias = true});
}
// [crop]

TEST_F(Pictures, OnlyAPart) {
  const std::string jpeg =
      image::encode_jpeg(datasets::flowers::draw(0, 96, 1));
  EXPECT_EQ(random_part(jpeg).spec().to_string(), "float32[128, 128, 3]");
}

TEST_F(Pictures, FromFolders) {
  const std::string folder = (folder_.path() / "photos").string();
  // [folders]
  const datasets::ImageDirectoryOptions options{.label_mode = "categorical",
                                                .batch_size = 4,
                                                .image_size = {64, 64},
                                                .seed = 1,
                                                .validation_split = 0.2,
                                                .subset = "training"};
  auto train = datasets::image_dataset_from_directory(folder, options);
  auto varied =
      train.map([augment = image::RandAugment()](Array images, Array labels) {
        return std::pair(augment(images), labels);
      });
  auto mixed = varied.map(image::MixUp({.alpha = 0.2}));
  // [folders]
  EXPECT_EQ(train.class_names(), (std::vector<std::string>{"roses", "tulips"}));
  const data::Element batch = *mixed.begin();
  EXPECT_EQ(batch[0].array().shape(), Shape({4, 64, 64, 3}));
  EXPECT_EQ(batch[1].array().shape(), Shape({4, 2}));
}

// [device]
Tensor augmented(const Tensor& bytes, const Tensor& seed) {
  Tensor x = image::convert_image_dtype(bytes, DType::float32);
  x = image::stateless_random_flip_left_right(x, seed);
  x = image::stateless_random_brightness(x, 0.2, seed + 1);
  return image::stateless_random_crop(x, {bytes.shape()[0], 56, 56, 3},
                                      seed + 2);
}
// [device]

// The function of Tensors gives what those of Arrays give.
TEST_F(Pictures, OnTheDevice) {
  const Array batch = stack(
      {datasets::flowers::draw(0, 64, 1), datasets::flowers::draw(1, 64, 2)});
  const auto step = function(augmented);
  for (int64_t i = 0; i < 3; ++i) {
    Array x = image::convert_image_dtype(batch, DType::float32);
    x = image::stateless_random_flip_left_right(x, {7, i});
    x = image::stateless_random_brightness(x, 0.2, {8, i + 1});
    x = image::stateless_random_crop(x, {2, 56, 56, 3}, {9, i + 2});
    const Tensor seed = constant(Array::from({int64_t{7}, i}));
    EXPECT_EQ(golden::difference(step(constant(batch), seed).numpy(), x), "");
  }
}

TEST_F(Pictures, DamageIsAnError) {
  std::string jpeg = image::encode_jpeg(datasets::flowers::draw(0, 96, 1));
  jpeg.resize(jpeg.size() / 2);
  // [damage]
  try {
    image::decode_jpeg(jpeg);
  } catch (const DataError& e) {
    std::cout << e.what() << "\n";
  }
  // [damage]
  EXPECT_EQ(image::decode_jpeg(jpeg, {.try_recover_truncated = true}).shape(),
            Shape({96, 96, 3}));
}

}  // namespace
}  // namespace systolic
