#include "systolic/data/parallel_iterator.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "systolic/array/allocation.h"
#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"

namespace systolic::data::detail {
namespace {

// Passes a chunk's inputs on, with their indices.
void number(ParallelChunk& chunk, const std::stop_token&) {
  int64_t index = chunk.first_index;
  for (Element& input : chunk.inputs) {
    chunk.results.push_back({std::pair(index++, input.to<int64_t>()), nullptr});
  }
}

TEST(ParallelIteratorTest, NumbersElementsAcrossChunks) {
  const Dataset range = Dataset::range(100);
  for (int64_t chunk : {0, 1, 7, 200}) {
    ParallelIterator it(*range.node(), {}, {.threads = 3, .chunk = chunk},
                        number);
    Element element;
    int64_t next = 0;
    while (it.get_next(&element)) {
      EXPECT_EQ(element[0].to<int64_t>(), next);
      EXPECT_EQ(element[1].to<int64_t>(), next);
      ++next;
    }
    EXPECT_EQ(next, 100);
    EXPECT_FALSE(it.get_next(&element));
  }
}

TEST(ParallelIteratorTest, ChunksWithoutResultsArePassedOver) {
  const Dataset range = Dataset::range(30);
  ParallelIterator it(*range.node(), {}, {.threads = 2, .chunk = 4},
                      [](ParallelChunk& chunk, const std::stop_token& stop) {
                        if (chunk.first_index == 12) number(chunk, stop);
                      });
  Element element;
  int64_t count = 0;
  while (it.get_next(&element)) ++count;
  EXPECT_EQ(count, 4);
}

// Results large enough to be put to their places.
void make_large(ParallelChunk& chunk, const std::stop_token&) {
  for (Element& input : chunk.inputs) {
    chunk.results.push_back(
        {Array::full({kLeastLandedRow}, input.to<double>(), DType::uint8),
         nullptr});
  }
}

TEST(ParallelIteratorTest, TheRowsOfABatchLieOneBehindTheOther) {
  const Dataset range = Dataset::range(22);
  ParallelIterator it(*range.node(), {}, {.threads = 3}, make_large);
  Element first, element;
  for (int64_t i = 0; i < 22; ++i) {
    if (i % 8 == 0) it.begin_batch(8);
    ASSERT_TRUE(it.get_next(&element));
    if (i % 8 == 0) first = element;
    EXPECT_EQ(element.array()[0].item<int64_t>(), i);
    EXPECT_EQ(element.array()[-1].item<int64_t>(), i);
    EXPECT_EQ(element.array().data(),
              first.array().data() + i % 8 * int64_t{kLeastLandedRow});
  }
  it.begin_batch(8);
  EXPECT_FALSE(it.get_next(&element));
}

TEST(ParallelIteratorTest, WithoutOrderThereAreNoPlaces) {
  const Dataset range = Dataset::range(40);
  ParallelIterator it(*range.node(), {}, {.threads = 3, .deterministic = false},
                      make_large);
  Element element;
  int64_t sum = 0;
  for (int64_t i = 0; i < 40; ++i) {
    if (i % 8 == 0) it.begin_batch(8);
    ASSERT_TRUE(it.get_next(&element));
    EXPECT_EQ(internal::allocated_bytes(element.array().owner()),
              kLeastLandedRow);
    sum += element.array()[0].item<int64_t>();
  }
  EXPECT_EQ(sum, 780);
}

// Elements become smaller while a thread waits for the space of large ones.
TEST(ParallelIteratorTest, ABatchIsMadeWhenSpaceComesUnseen) {
  for (int round = 0; round < 5; ++round) {
    const Dataset dataset =
        Dataset::range(64)
            .map(
                [](int64_t x) {
                  std::this_thread::sleep_for(std::chrono::milliseconds(1));
                  return std::string(x < 3 ? 600 << 10 : 1 << 10, 'a');
                },
                {.num_parallel_calls = 3})
            .batch(8)
            .with_options({.autotune = {.ram_budget = 4 << 20}});
    int64_t batches = 0;
    for (const Element& batch : dataset) batches += batch.size();
    EXPECT_EQ(batches, 8);
  }
}

TEST(ParallelIteratorTest, ABatchIsMadeBesideOtherStagesThatTakeSpace) {
  const Dataset dataset =
      Dataset::range(800)
          .map(
              [](int64_t x) {
                std::this_thread::sleep_for(
                    std::chrono::microseconds(x * 7919 % 700));
                return std::string(static_cast<size_t>(x * 7717 % 200'000),
                                   'a');
              },
              {.num_parallel_calls = 4})
          .batch(16)
          .prefetch(2)
          .with_options({.autotune = {.ram_budget = 8 << 20}});
  int64_t batches = 0;
  for (const Element& batch : dataset) batches += batch.size();
  EXPECT_EQ(batches, 50);
}

// Where there is no place for as many results as the reader waits for.
TEST(ParallelIteratorTest, ABatchLargerThanTheBudgetIsMade) {
  const Dataset dataset =
      Dataset::range(64)
          .map(
              [](int64_t x) {
                return Array::full({1 << 18}, static_cast<double>(x));
              },
              {.num_parallel_calls = 4})
          .batch(32)
          .prefetch(1)
          .with_options({.autotune = {.ram_budget = 1 << 20}});
  int64_t batches = 0;
  for (const Element& batch : dataset) {
    EXPECT_EQ((batch.array()[{31, 7}].item<int64_t>()), 32 * batches + 31);
    ++batches;
  }
  EXPECT_EQ(batches, 2);
}

TEST(ParallelIteratorTest, AStopFromAboveEndsIt) {
  const Dataset endless = Dataset::range(3).repeat();
  std::stop_source stop;
  ParallelIterator it(*endless.node(), {.stop = stop.get_token()},
                      {.threads = 2}, number);
  Element element;
  EXPECT_TRUE(it.get_next(&element));
  stop.request_stop();
  for (int i = 0; i < 10'000; ++i) {
    if (!it.get_next(&element)) return;
  }
  FAIL() << "it goes on";
}

}  // namespace
}  // namespace systolic::data::detail
