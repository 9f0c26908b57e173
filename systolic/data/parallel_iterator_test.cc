#include "systolic/data/parallel_iterator.h"

#include <gtest/gtest.h>

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
