// The code of docs/guides/records.md, and that it does what the page says.
#include <gtest/gtest.h>
#include <systolic/systolic.h>

#include <sstream>

#include "systolic/testing/temporary_folder.h"

namespace systolic {
namespace {

using data::Dataset;

class RecordsGuide : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  // Examples with a picture's bytes, a class and some words.
  std::vector<std::string> write(int files) const {
    const std::string jpeg = "\xff\xd8\xff";
    const std::string prefix = path("train");
    const int64_t num_shards = files;
    // [write]
    data::ShardedTFRecordWriter writer(prefix, {.num_shards = num_shards});
    for (int64_t i = 0; i < 100; ++i) {
      writer.write(data::ExampleBuilder()
                       .add("image", jpeg)
                       .add("class", i % 5)
                       .add("words", std::vector<int64_t>(i % 3, i))
                       .serialize());
    }
    writer.close();  // now the files are there, whole
    // [write]
    return writer.paths();
  }

 private:
  const testing::TemporaryFolder folder_;
};

TEST_F(RecordsGuide, WrittenAndRead) {
  const std::vector<std::string> files = write(4);
  // [read]
  const data::Features features{
      {"image", data::FixedLenFeature({}, DType::string)},
      {"class", data::FixedLenFeature({}, DType::int64)}};
  auto dataset =
      data::TFRecordDataset(files, {.num_parallel_reads = data::AUTOTUNE})
          .map(
              [features](std::string_view record) {
                auto example = data::parse_single_example(record, features);
                return std::pair(example["image"], example["class"]);
              },
              {.num_parallel_calls = data::AUTOTUNE})
          .batch(32)
          .prefetch(data::AUTOTUNE);
  // [read]
  int64_t seen = 0;
  for (auto& [image, label] : dataset.as<Array, Array>()) seen += label.size();
  EXPECT_EQ(seen, 100);
  // [batches]
  const data::Features words{{"words", data::RaggedFeature(DType::int64)}};
  auto batches = data::TFRecordDataset(files).batch(32).map(
      [words](Array records) { return data::parse_example(records, words); });
  // [batches]
  const data::Element first = batches.iterator().next();
  EXPECT_EQ(first["words"].to<data::RaggedArray>().nrows(), 32);
}

TEST_F(RecordsGuide, DamageIsNamed) {
  const std::string file = write(1)[0];
  std::string bytes = io::read_file(file);
  bytes[1000] ^= 1;
  io::write_file(file, bytes);
  std::ostringstream out;
  const OutputGuard guard(out);
  // [verify]
  for (const auto& problem : data::verify_records(file).problems) {
    output() << "record " << problem.record << " at byte " << problem.offset
             << ": " << name(problem.check) << "\n";
  }
  // [verify]
  EXPECT_TRUE(out.str().starts_with("record ")) << out.str();
  EXPECT_TRUE(out.str().ends_with("checksum of the data\n")) << out.str();
}

TEST_F(RecordsGuide, OtherFiles) {
  const std::string folder = path("");
  io::write_file(folder + "a.csv", "height,name\n1.5,daisy\n,rose\n");
  io::write_file(folder + "images.bin", std::string(16 + 3 * 784, 'x'));
  // [others]
  auto rows = data::CsvDataset(folder + "a.csv", {0.f, DType::string},
                               {.header = true});
  auto lines = data::TextLineDataset(
      Dataset::list_files(folder + "*.csv", {.shuffle = false}));
  auto images = data::FixedLengthRecordDataset(folder + "images.bin", 28 * 28,
                                               {.header_bytes = 16})
                    .map([](std::string_view bytes) {
                      const Array pixels =
                          data::decode_raw(bytes, DType::uint8);
                      return reshape(pixels, {28, 28});
                    });
  // [others]
  const auto count = [](const Dataset& dataset) {
    int64_t elements = 0;
    data::Iterator iterator = dataset.iterator();
    for (data::Element element; iterator.get_next(&element);) ++elements;
    return elements;
  };
  EXPECT_EQ(count(rows), 2);
  EXPECT_EQ(count(lines), 3);
  EXPECT_EQ(count(images), 3);
}

}  // namespace
}  // namespace systolic
