#include "systolic/data/pipeline_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/base/free_memory.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"

namespace systolic::data {
namespace {

constexpr int64_t kMiB = 1 << 20;

Options budget(int64_t bytes) { return {.autotune = {.ram_budget = bytes}}; }

// Until the readers ahead have made nothing for a while.
void wait_until_calm(const std::atomic<int64_t>& made) {
  int64_t before = -1;
  for (int calm = 0; calm < 5; ++calm) {
    if (before != made) calm = 0;
    before = made;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

TEST(PipelineRunTest, TheBudgetIsShared) {
  const auto run = std::make_shared<PipelineRun>(budget(100));
  EXPECT_EQ(run->memory_limit(MemoryUse::ahead), 25);
  EXPECT_EQ(run->memory_limit(MemoryUse::kept), 75);
  MemoryHold a(run, MemoryUse::ahead, "prefetch");
  {
    MemoryHold b(run, MemoryUse::ahead, "map");
    a.add(10);
    b.add(10);
    EXPECT_TRUE(a.has_room(5));
    EXPECT_FALSE(a.has_room(6));
  }
  EXPECT_EQ(run->memory_held(MemoryUse::ahead), 10);
  EXPECT_TRUE(a.has_room(15));
}

TEST(PipelineRunTest, KeptElementsBeyondTheBudgetThrow) {
  const auto run = std::make_shared<PipelineRun>(budget(100));
  MemoryHold hold(run, MemoryUse::kept, "shuffle \"all\"");
  hold.add(75);
  EXPECT_EQ(text_of<ValueError>([&] { hold.add(1); }),
            "shuffle \"all\": expected its elements to take at most 75 bytes, "
            "three quarters of the RAM budget, got 76 bytes\n"
            "  hint: a smaller buffer, smaller elements (decode behind "
            "shuffle, file names in place of pictures), a cache in a file, or "
            "with_options({.autotune = {.ram_budget = ...}})");
}

TEST(PipelineRunTest, WithoutABudgetItIsHalfOfTheFreeMemory) {
  const PipelineRun run({});
  const int64_t limit =
      run.memory_limit(MemoryUse::ahead) + run.memory_limit(MemoryUse::kept);
  const int64_t available = internal::available_memory();
  EXPECT_GT(limit, available / 4);
  EXPECT_LT(limit, available);
}

// Elements of a MiB each, of which no two share memory.
Dataset large(int64_t count) {
  return Dataset::range(count).map([](int64_t x) {
    return Array::full({kMiB / 8}, double(x), DType::int64);
  });
}

TEST(PipelineRunTest, ShuffleAndCacheOfLargeElementsStayWithinTheBudget) {
  const Options options = budget(20 * kMiB);
  for (const Dataset& dataset :
       {large(64).shuffle(64), large(64).cache(),
        large(64).map([](Array x) { return x; }).shuffle(32)}) {
    Iterator it = dataset.with_options(options).iterator();
    EXPECT_THROW(
        {
          Element element;
          while (it.get_next(&element)) {
          }
        },
        ValueError);
  }
  int64_t seen = 0;
  for (auto& element : large(64).shuffle(10).with_options(options)) {
    seen += element.is_array();
  }
  EXPECT_EQ(seen, 64);
}

// Nor does an exception that is left out help a buffer to grow further.
TEST(PipelineRunTest, TheBudgetHoldsBehindIgnoreErrors) {
  std::atomic<int64_t> made = 0;
  const Dataset counted = large(64).map([&](Array x) {
    ++made;
    return x;
  });
  for (const Dataset& dataset : {counted.shuffle(64), counted.cache()}) {
    made = 0;
    Iterator it =
        dataset.ignore_errors().with_options(budget(20 * kMiB)).iterator();
    const auto read_all = [&] {
      for (Element element; it.get_next(&element);) {
      }
    };
    EXPECT_THROW(read_all(), ResourceExhaustedError);
    const int64_t before = made;
    EXPECT_THROW(read_all(), ResourceExhaustedError);
    EXPECT_EQ(made, before);
    EXPECT_LE(made, 17);
  }
}

// What a cache holds was counted by the pass that filled it: later passes begin
// whatever is free by then.
TEST(PipelineRunTest, PassesOverAFullCacheNeedNoBudget) {
  const Dataset cached = large(20).cache();
  const auto count = [&](int64_t bytes) {
    int64_t seen = 0;
    for (auto& element : cached.with_options(budget(bytes))) {
      seen += element.is_array();
    }
    return seen;
  };
  EXPECT_EQ(count(40 * kMiB), 20);
  EXPECT_EQ(count(kMiB), 20);
}

TEST(PipelineRunTest, StringsCountWithTheirCharacters) {
  std::atomic<int64_t> made = 0;
  const Dataset records = Dataset::range(200).map([&](int64_t) {
    ++made;
    return std::string(kMiB, 'x');
  });
  EXPECT_EQ(Element(Array::from_strings({"", "ab"})).nbytes(),
            2 * sizeof(std::string));
  EXPECT_THROW(
      records.shuffle(64).with_options(budget(20 * kMiB)).iterator().next(),
      ValueError);
  made = 0;
  Iterator it =
      records.prefetch(150).with_options(budget(32 * kMiB)).iterator();
  it.next();
  wait_until_calm(made);
  EXPECT_LE(made, 12);
}

TEST(PipelineRunTest, ViewsOfAnArrayAreNoMemory) {
  const Dataset rows =
      Dataset::from_tensor_slices(Array::zeros({40, kMiB / 4}));
  int64_t seen = 0;
  for (auto& element : rows.shuffle(40).with_options(budget(8 * kMiB))) {
    seen += element.is_array();
  }
  EXPECT_EQ(seen, 40);
}

TEST(PipelineRunTest, ReadersAheadMakeFewerElements) {
  for (const int64_t threads : {int64_t{1}, int64_t{4}, AUTOTUNE}) {
    std::atomic<int64_t> made = 0;
    const Dataset dataset = Dataset::range(1000)
                                .map(
                                    [&](int64_t) {
                                      ++made;
                                      return Array::zeros({kMiB}, DType::uint8);
                                    },
                                    {.num_parallel_calls = threads})
                                .prefetch(500)
                                .with_options(budget(32 * kMiB));
    Iterator it = dataset.iterator();
    it.next();
    for (int i = 0; i < 10'000 && made < 3; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_GE(made, 3) << threads;
    wait_until_calm(made);
    // 8 MiB ahead, one element in each place beyond, chunks begun before.
    EXPECT_LE(made, 40) << threads;
  }
}

// What threads are at counts with what waits to be read.
TEST(PipelineRunTest, ThreadsStayWithinTheBudgetTogether) {
  std::atomic<int64_t> made = 0;
  const Dataset dataset =
      Dataset::range(1000)
          .map(
              [&](int64_t) {
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
                ++made;
                return Array::zeros({kMiB}, DType::uint8);
              },
              {.num_parallel_calls = 16})
          .with_options(budget(16 * kMiB));
  Iterator it = dataset.iterator();
  constexpr int64_t kRead = 60;
  for (int64_t i = 0; i < kRead; ++i) it.next();
  wait_until_calm(made);
  EXPECT_LE(made, kRead + 8);
}

TEST(PipelineReportTest, NamesTheSlowestStageAndTheChoices) {
  const auto slow = [](int64_t x) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return x;
  };
  const Dataset dataset =
      Dataset::range(200)
          .map([](int64_t x) { return x; }, {.name = "cheap"})
          .map(slow, {.num_parallel_calls = 2, .name = "decode"})
          .batch(10)
          .prefetch(AUTOTUNE);
  Iterator it = dataset.iterator();
  Element element;
  while (it.get_next(&element)) {
  }
  const PipelineReport report = it.report();
  ASSERT_NE(report.slowest(), nullptr);
  EXPECT_EQ(report.slowest()->name, "map \"decode\"") << report;
  EXPECT_EQ(report.slowest()->threads, 2);
  EXPECT_GE(report.slowest()->busy_seconds, 0.2);
  EXPECT_TRUE(report.slowest_text().starts_with(
      "map \"decode\" is the slowest stage (busy "))
      << report.slowest_text();
  EXPECT_TRUE(report.choices_text().starts_with("prefetch: "))
      << report.choices_text();
  EXPECT_NE(report.to_string().find(" elements (AUTOTUNE)"), std::string::npos)
      << report;
}

TEST(PipelineReportTest, NodesOfOneNameAreCountedApart) {
  const auto slow = [](int64_t x) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return x;
  };
  const Dataset dataset = Dataset::range(20)
                              .map([](int64_t x) { return x; })
                              .map(slow, {.num_parallel_calls = 3});
  Iterator it = dataset.iterator();
  for (Element element; it.get_next(&element);) {
  }
  const PipelineReport report = it.report();
  ASSERT_EQ(report.stages.size(), 2u) << report;
  EXPECT_EQ(report.stages[0].name, "map");
  EXPECT_EQ(report.stages[0].threads, 3);
  EXPECT_GE(report.stages[0].busy_seconds, 0.2);
  EXPECT_EQ(report.stages[1].name, "map");
  EXPECT_EQ(report.stages[1].threads, 1);
  EXPECT_LT(report.stages[1].busy_seconds, report.stages[0].busy_seconds / 2);
}

// Each element's data set has nodes of its own; they are one stage.
TEST(PipelineReportTest, WhatAFunctionMakesIsOneStageOfAllItsThreads) {
  const Dataset dataset = Dataset::range(50).interleave(
      [](int64_t x) {
        return Dataset::range(x, x + 2).map([](int64_t y) { return y; });
      },
      {.num_parallel_calls = 4});
  Iterator it = dataset.iterator();
  for (Element element; it.get_next(&element);) {
  }
  const PipelineReport report = it.report();
  ASSERT_EQ(report.stages.size(), 2u) << report;
  EXPECT_EQ(report.stages[0].name, "interleave");
  EXPECT_EQ(report.stages[1].name, "map");
  EXPECT_EQ(report.stages[1].threads, 4);
}

// Nodes of one name that a function makes, and those that the functions of one
// of these make, are told apart by their places.
TEST(PipelineReportTest, StagesOfOneNameInAFunctionHaveLinesOfTheirOwn) {
  const auto same = [](int64_t x) { return x; };
  const auto slow = [](int64_t x) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return x;
  };
  const Dataset dataset = Dataset::range(4).interleave([&](int64_t) {
    return Dataset::range(3)
        .map(slow)
        .flat_map([&](int64_t) { return Dataset::range(2).map(same); })
        .map(same);
  });
  Iterator it = dataset.iterator();
  for (Element element; it.get_next(&element);) {
  }
  const PipelineReport report = it.report();
  std::vector<double> maps;
  for (const StageReport& stage : report.stages) {
    if (stage.name == "map") maps.push_back(stage.busy_seconds);
  }
  ASSERT_EQ(maps.size(), 3u) << report;
  std::ranges::sort(maps);
  EXPECT_GE(maps[2], 0.12) << report;
  EXPECT_LT(maps[1], maps[2] / 2) << report;
}

TEST(PipelineReportTest, AutotuneAddsThreadsToWorkThatWaits) {
  const Dataset dataset = Dataset::range(400).map(
      [](int64_t x) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return x;
      },
      {.num_parallel_calls = AUTOTUNE});
  LogCapture log;
  set_log_level(LogLevel::debug);
  {
    Iterator it =
        dataset.with_options({.autotune = {.cpu_budget = 2}}).iterator();
    Element element;
    int64_t next = 0;
    while (it.get_next(&element)) EXPECT_EQ(element.to<int64_t>(), next++);
    EXPECT_GE(it.report().stages[0].threads, 16) << it.report();
  }
  set_log_level(LogLevel::info);
  ASSERT_EQ(log.lines.size(), 1u);
  EXPECT_TRUE(log.lines[0].starts_with("debug: AUTOTUNE chose map: "))
      << log.lines[0];
}

TEST(StageTimerTest, InnerStagesKeepTheirTime) {
  StageCounters outer, inner;
  {
    const StageTimer a(&outer);
    const StageTimer b(&inner);
    const StageTimer none(nullptr);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_GE(inner.busy_nanoseconds, 100'000'000);
  EXPECT_LT(outer.busy_nanoseconds, inner.busy_nanoseconds / 2);
}

}  // namespace
}  // namespace systolic::data
