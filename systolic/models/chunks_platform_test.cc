// Chunks: what goes into a launch, and that the next one is prepared while
// the devices work on the one before.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "systolic/base/trace.h"
#include "systolic/models/chunks.h"
#include "systolic/models/test_helpers.h"
#include "systolic/runtime/counters.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::models {
namespace {

using internal::models::BatchReader;
using internal::models::Chunk;
using internal::models::ChunkReader;

const internal::graph::Placement& here() {
  return *internal::graph::Placement::current_default();
}

// The steps of each chunk of a pass.
std::vector<int64_t> chunk_sizes(const data::Dataset& dataset,
                                 int64_t steps_per_execution,
                                 std::optional<int64_t> steps = {}) {
  BatchReader reader(dataset, "fit");
  ChunkReader chunks(reader, here(), steps_per_execution, steps);
  std::vector<int64_t> sizes;
  while (chunks.prepare()) sizes.push_back(chunks.take().steps);
  chunks.rethrow();
  return sizes;
}

TEST(ChunksPlatformTest, ReaderPutsBatchesBack) {
  BatchReader reader(batches(20, 8), "fit");
  EXPECT_TRUE(reader.has_next());
  EXPECT_EQ(reader.next()->rows, 8);
  internal::models::HostBatch second = *reader.next();
  reader.put_back(second);
  EXPECT_EQ(reader.next()->rows, 8);
  EXPECT_EQ(reader.next()->rows, 4);
  EXPECT_FALSE(reader.has_next());
  EXPECT_FALSE(reader.next());
  reader.restart();
  EXPECT_EQ(reader.next()->rows, 8);
}

TEST(ChunksPlatformTest, BatchOfAnotherShapeEndsTheChunk) {
  const data::Dataset dataset =
      batches(5 * 4 + 1, 4).concatenate(batches(2 * 4, 4));
  using Sizes = std::vector<int64_t>;
  EXPECT_EQ(chunk_sizes(dataset, 1), Sizes(8, 1));
  // 5 alike, 1 that is shorter, 2 alike; executions end behind 3, 6 and 8.
  EXPECT_EQ(chunk_sizes(dataset, 3), (Sizes{3, 2, 1, 2}));
  EXPECT_EQ(chunk_sizes(dataset, 2), (Sizes{2, 2, 1, 1, 2}));
  EXPECT_EQ(chunk_sizes(dataset, 2, 3), (Sizes{2, 1}));
  EXPECT_EQ(chunk_sizes(dataset, 50), (Sizes{5, 1, 2}));
}

TEST(ChunksPlatformTest, StackTakesAtMost64BatchesAnd256Megabytes) {
  EXPECT_EQ(chunk_sizes(batches(70, 1), 100), (std::vector<int64_t>{64, 6}));
  // 100 MB each: two of them.
  const data::Dataset large = data::Dataset::range(3).map([](int64_t) {
    return Array::zeros({1, 25'000'000});
  });
  EXPECT_EQ(chunk_sizes(large, 100), (std::vector<int64_t>{2, 1}));
}

TEST(ChunksPlatformTest, SizeOfAStackDoesNotDependOnItsSteps) {
  BatchReader reader(batches(5 * 4, 4), "fit");
  ChunkReader chunks(reader, here(), 3);
  ASSERT_TRUE(chunks.prepare());
  const Chunk first = chunks.take();
  ASSERT_TRUE(chunks.prepare());
  const Chunk second = chunks.take();
  EXPECT_EQ(first.steps, 3);
  EXPECT_EQ(second.steps, 2);
  EXPECT_EQ(first.sent.x[0].shape(), (Shape{3, 4, 4}));
  EXPECT_EQ(second.sent.x[0].shape(), first.sent.x[0].shape());
  EXPECT_FALSE(chunks.prepare());
}

// Three steps, then one, and then what the fifth step's data throw in epoch 3.
void expect_broken_fifth_step(ChunkReader& chunks) {
  ASSERT_TRUE(chunks.prepare());
  EXPECT_EQ(chunks.take().steps, 3);
  ASSERT_TRUE(chunks.prepare());
  EXPECT_EQ(chunks.take().steps, 1);
  EXPECT_FALSE(chunks.prepare());
  const std::string text = text_of<DataError>([&] { chunks.rethrow(); });
  EXPECT_NE(text.find("a broken file"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\n  in: fit, epoch 3, step 5")) << text;
}

TEST(ChunksPlatformTest, WhatDataThrowEndsTheChunkAndIsToldAfterIt) {
  int row = 0;
  const auto [x, y] = labelled_rows(40);
  const data::Dataset failing =
      data::Dataset::from_tensor_slices(x, y)
          .map([&row](Array features, Array label) {
            if (++row == 20) throw std::runtime_error("a broken file");
            return std::pair(features, label);
          })
          .batch(4);
  BatchReader reader(failing, "fit");
  row = 0;  // the shapes were found with the first row
  reader.begin_epoch(2);
  ChunkReader chunks(reader, here(), 3);
  expect_broken_fifth_step(chunks);
  chunks.rethrow();  // once
}

// The same with a thread that reads ahead.
TEST(ChunksPlatformTest, ReadAheadTheyAreTheSame) {
  const data::Dataset dataset =
      batches(5 * 4 + 1, 4).concatenate(batches(2 * 4, 4));
  for (const int64_t execution : {1, 2, 3, 50}) {
    for (const std::optional<int64_t> steps :
         {std::optional<int64_t>(), std::optional<int64_t>(3)}) {
      EXPECT_EQ(chunk_sizes(dataset.prefetch(2), execution, steps),
                chunk_sizes(dataset, execution, steps));
    }
  }
  EXPECT_TRUE(
      BatchReader(dataset.prefetch(1).with_options({}), "fit").works_ahead());
  EXPECT_FALSE(BatchReader(dataset.prefetch(0), "fit").works_ahead());
  EXPECT_FALSE(BatchReader(dataset, "fit").works_ahead());
}

TEST(ChunksPlatformTest, WhatDataThrowAheadIsToldAtItsStep) {
  const data::Dataset failing =
      batches(40, 4)
          .enumerate()
          .map([](int64_t step, std::tuple<Array, Array> batch) {
            if (step == 4) throw std::runtime_error("a broken file");
            return batch;
          })
          .prefetch(3);
  BatchReader reader(failing, "fit");
  reader.begin_epoch(2);
  ChunkReader chunks(reader, here(), 3);
  expect_broken_fifth_step(chunks);
}

// Gives some batches, then none and no end until somebody stops it.
class Stuck final : public data::DatasetBase {
 public:
  std::string name() const override { return "stuck"; }
  std::unique_ptr<data::IteratorBase> make_iterator(
      const data::IteratorContext& context) const override {
    class It final : public data::IteratorBase {
     public:
      explicit It(std::stop_token stop) : stop_(std::move(stop)) {}
      bool get_next(data::Element* out) override {
        if (given_++ < 3) {
          *out = data::Element(Array::zeros({4, 4}));
          return true;
        }
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any().wait(lock, stop_, [] { return false; });
        return false;
      }

     private:
      const std::stop_token stop_;
      int given_ = 0;
    };
    return std::make_unique<It>(context.stop);
  }
  int64_t cardinality() const override { return data::UNKNOWN_CARDINALITY; }
  data::ElementSpec element_spec() const override {
    return data::ElementSpec(TensorSpec{DType::float32, {4, 4}});
  }
};

TEST(ChunksPlatformTest, StoppingDoesNotWaitForData) {
  const data::Dataset stuck =
      data::Dataset(std::make_shared<Stuck>()).prefetch(1);
  BatchReader reader(stuck, "predict");
  {
    ChunkReader chunks(reader, here(), 1);
    ASSERT_TRUE(chunks.prepare());
    chunks.take();
  }
  EXPECT_FALSE(reader.has_next());
  reader.restart();
  EXPECT_TRUE(reader.has_next());
}

// Sent to the devices before anybody takes one, and no more than that.
TEST(ChunksPlatformTest, TwoLaunchesAreAhead) {
  const uint64_t before = internal::runtime::counters().host_to_device_bytes;
  const auto sent = [&] {
    return internal::runtime::counters().host_to_device_bytes - before;
  };
  constexpr uint64_t kLaunch = 4 * 4 * 4 * sizeof(float);  // and the count
  BatchReader reader(
      data::Dataset::from_tensors(Array::zeros({4, 4})).repeat().prefetch(2),
      "predict", BatchReader::Takes::inputs);
  ChunkReader chunks(reader, here(), 4);
  for (int i = 0; i < 3000 && sent() < 2 * kLaunch; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_GE(sent(), 2 * kLaunch);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_LT(sent(), 3 * kLaunch);
}

TEST(ChunksPlatformTest, ReaderGoesOnWhereItWasSaved) {
  const auto of = [] {
    return data::Dataset::range(30).shuffle(30, {.seed = 3}).batch(4);
  };
  BatchReader reader(of(), "fit");
  const auto text = [](BatchReader& from) {
    std::string all;
    while (auto batch = from.next()) all += batch->x[0].to_string();
    return all;
  };
  reader.next();
  reader.put_back(*reader.next());
  const std::string waiting = reader.save();
  reader.next();
  const std::string state = reader.save();
  const std::string rest = text(reader);
  BatchReader other(of(), "fit");
  other.restore(waiting);
  other.next();
  EXPECT_EQ(text(other), rest);
  other.restore(state);
  EXPECT_EQ(text(other), rest);
}

// What a trace says of a run.
class Trace {
 public:
  explicit Trace(const std::function<void()>& run) {
    const testing::TemporaryFolder folder;
    const auto path = folder.path() / "trace.json";
    internal::start_trace(path);
    run();
    internal::stop_trace();
    std::ifstream file(path);
    json_ = nlohmann::json::parse(file);
  }

  struct Stretch {
    double start, end;
  };
  // The stretches of a name on one track: the first that has any.
  std::vector<Stretch> of(const std::string& name) const {
    std::vector<Stretch> found;
    std::optional<int> track;
    for (const auto& event : json_["traceEvents"]) {
      if (event["ph"] != "X" || event["name"] != name) continue;
      if (!track) track = event["tid"].get<int>();
      if (event["tid"] != *track) continue;
      const double start = event["ts"];
      found.push_back({start, start + event["dur"].get<double>()});
    }
    return found;
  }

 private:
  nlohmann::json json_;
};

// A step that takes long, in one launch.
Sequential slow_model(int64_t steps_per_execution) {
  set_random_seed(7);
  clear_session();
  Sequential model({layers::Dense(512, {.input_shape = {256}}),
                    layers::Dense(512), layers::Dense(1)});
  model.compile({.optimizer = "sgd",
                 .loss = "mse",
                 .steps_per_execution = steps_per_execution});
  return model;
}

// Looks at the values of each execution, as a progress bar does.
struct Looker : callbacks::CallbackBase {
  void on_train_batch_end(int64_t, const callbacks::Logs& logs) override {
    EXPECT_TRUE(std::isfinite(logs.at("loss")));
  }
};

// Whether most preparations but the first begin before the work that was
// launched last has ended, although somebody waits for each work's values.
void expect_overlap(int replica_count, int64_t steps_per_execution) {
  const auto strategy = replicas(replica_count);
  const auto scope = strategy.scope();
  const Sequential model = slow_model(steps_per_execution);
  const data::Dataset slow =
      data::Dataset::from_tensor_slices(Array::zeros({256, 256}),
                                        Array::zeros({256, 1}))
          .batch(256)
          .repeat(6 * steps_per_execution)
          .map([](Array x, Array y) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            return std::pair(x, y);
          });
  const FitOptions options{.verbose = Verbose::silent,
                           .callbacks = {callbacks::make<Looker>()}};
  model.fit(slow, options);  // compiles
  const Trace trace([&] { model.fit(slow, options); });
  const std::vector<Trace::Stretch> work = trace.of("train_step");
  const std::vector<Trace::Stretch> prepared = trace.of("prepare chunk");
  // The last one's end may come after that of the trace.
  ASSERT_GE(work.size(), 5u);
  ASSERT_GE(prepared.size(), 6u);
  int overlaps = 0;
  for (size_t k = 0; k < 5; ++k) {
    // The next batches are at hand by the time somebody asks for values.
    EXPECT_GE(prepared[k + 1].start, prepared[k].end);
    if (prepared[k + 1].start < work[k].end) ++overlaps;
  }
  EXPECT_GE(overlaps, 4);
}

TEST(ChunksPlatformTest, NextBatchIsPreparedWhileTheDeviceWorks) {
  expect_overlap(1, 1);
}

TEST(ChunksPlatformTest, NextStackIsPreparedWhileTheDeviceWorks) {
  expect_overlap(1, 4);
}

TEST(ChunksPlatformTest, NextBatchIsPreparedWhileEightReplicasWork) {
  expect_overlap(8, 1);
}

TEST(ChunksPlatformTest, NextStackIsPreparedWhileEightReplicasWork) {
  expect_overlap(8, 4);
}

}  // namespace
}  // namespace systolic::models
