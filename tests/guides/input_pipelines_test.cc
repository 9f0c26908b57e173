// The code of docs/guides/input-pipelines.md, and that it does what the page
// says.
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <thread>

#include "systolic/array/arrays.h"
#include "systolic/base/base.h"
#include "systolic/data/data.h"
#include "systolic/records/records.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic {
namespace {

Array decode(const std::string& record) {
  return Array::full({4, 4, 3}, static_cast<double>(record.size()),
                     DType::uint8);
}

std::string write_records() {
  static const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "train-0.tfrec").string();
  data::TFRecordWriter writer(path);
  for (int i = 0; i < 300; ++i) writer.write(std::string(i % 50, 'x'));
  writer.close();
  return (folder.path() / "*.tfrec").string();
}

TEST(InputPipelinesGuide, TheWholePipeline) {
  const std::string pattern = write_records();
  const int64_t batch_size = 32;
  // [pipeline]
  auto files = data::Dataset::list_files(pattern, {.seed = 1});
  auto train =
      data::TFRecordDataset(files, {.num_parallel_reads = data::AUTOTUNE})
          .shuffle(2048, {.seed = 2})  // records: small, not yet pictures
          .map(
              [](std::string record) {
                // uint8: the device makes floats of it, of a quarter of the
                // bytes.
                return std::pair(decode(record), record.size() % 5);
              },
              {.num_parallel_calls = data::AUTOTUNE, .name = "decode"})
          .batch(batch_size, {.drop_remainder = true})
          .prefetch(data::AUTOTUNE);
  // [pipeline]
  int64_t batches = 0;
  for (auto& batch : train) batches += batch.size() == 2;
  EXPECT_EQ(batches, 300 / batch_size);
}

TEST(InputPipelinesGuide, TheReport) {
  const data::Dataset train =
      data::Dataset::range(64)
          .map(
              [](int64_t x) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                return x;
              },
              {.num_parallel_calls = 2, .name = "decode"})
          .prefetch(data::AUTOTUNE);
  std::ostringstream out;
  const OutputGuard guard(out);
  // [report]
  data::Iterator it = train.iterator();
  data::Element batch;
  while (it.get_next(&batch)) {
  }
  output() << it.report() << "\n";
  output() << it.report().slowest_text() << "\n";
  // [report]
  EXPECT_NE(out.str().find("map \"decode\": busy "), std::string::npos)
      << out.str();
  EXPECT_NE(out.str().find("map \"decode\" is the slowest stage"),
            std::string::npos)
      << out.str();
}

TEST(InputPipelinesGuide, RandomNumbersOfTheElement) {
  const data::Dataset images =
      data::Dataset::from_tensor_slices(Array::zeros({40, 2}));
  // [random]
  auto noisy = images.map(
      [](Array image) {
        const uint64_t seed = data::random_seed();
        return image + static_cast<float>(seed % 256);
      },
      {.num_parallel_calls = 4});
  // [random]
  std::vector<data::Element> first;
  for (auto& element : noisy) first.push_back(element);
  EXPECT_FALSE(data::element_equal(first[0], first[1]));
  EXPECT_FALSE(data::element_equal(noisy.iterator().next(), first[0]))
      << "another pass";
}

TEST(InputPipelinesGuide, AStateIsSavedAndRestored) {
  // [state]
  const auto build = [] {
    return data::Dataset::range(1000)
        .shuffle(100, {.seed = 7})
        .repeat()
        .batch(32);
  };
  data::Iterator it = build().iterator();
  for (int step = 0; step < 50; ++step) it.next();
  const std::string state = it.save();  // goes with the checkpoint

  // In another run: the same pipeline goes on with the 51st batch.
  data::Iterator resumed = build().iterator(state);
  // [state]
  for (int step = 0; step < 50; ++step) {
    EXPECT_TRUE(data::element_equal(resumed.next(), it.next()));
  }
}

TEST(InputPipelinesGuide, OptionsHoldForTheWholePipeline) {
  const data::Dataset dataset = data::Dataset::range(10);
  // [options]
  auto bounded = dataset.with_options({
      .deterministic = false,                        // as they are done
      .threading = {.private_threadpool_size = 8},   // of each transform
      .autotune = {.ram_budget = int64_t{2} << 30},  // bytes
  });
  // [options]
  EXPECT_EQ(bounded.options().deterministic, false);
  // [shards]
  const int64_t hosts = 4, host = 1;
  auto mine = dataset.auto_shard(hosts, host).shuffle(1000);
  // [shards]
  int64_t count = 0;
  for (auto& element : mine) count += element.is_array();
  EXPECT_EQ(count, 3);
}

}  // namespace
}  // namespace systolic
