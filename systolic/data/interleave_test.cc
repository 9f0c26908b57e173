#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/base/seed.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

// x, x + 100, x + 200, ...: as many as x % 5.
Dataset hundreds(int64_t x) {
  return Dataset::range(x % 5).map([x](int64_t i) { return x + 100 * i; });
}

TEST(FlatMapTest, OneDataSetBehindTheOther) {
  const auto function = [](int64_t x) { return Dataset::range(x); };
  EXPECT_EQ(text(Dataset::range(4).flat_map(function)), "0 0 1 0 1 2");
  EXPECT_EQ(Dataset::range(4).flat_map(function).cardinality(),
            UNKNOWN_CARDINALITY);
  EXPECT_EQ(Dataset::range(4).flat_map(function).element_spec().to_string(),
            "int64[]");
  EXPECT_EQ(text(Dataset::range(3)
                     .map([](int64_t x) { return Dataset::range(x); })
                     .flat_map([](Dataset inner) { return inner; })),
            "0 0 1");
}

TEST(FlatMapTest, Contract) {
  const auto transform = [](const Dataset& input) {
    return input.flat_map(
        [](int64_t x) { return Dataset::from_tensors(x).repeat(2); });
  };
  EXPECT_EQ(testing::dataset_contract(transform, {.length = 80}), "");
  EXPECT_EQ(
      resume_failure([] { return Dataset::range(20).flat_map(hundreds); }), "");
}

TEST(FlatMapTest, AnExceptionNamesTheElement) {
  const Dataset dataset = Dataset::range(3).flat_map([](int64_t x) {
    if (x == 1) throw ValueError("one");
    return Dataset::range(x, x + 1);
  });
  Iterator it = dataset.iterator();
  EXPECT_EQ(it.next().to<int64_t>(), 0);
  EXPECT_EQ(text_of<ValueError>([&] { it.next(); }),
            "flat_map (element 1): one");
  EXPECT_EQ(it.next().to<int64_t>(), 2);
}

class InterleaveTest : public ::testing::TestWithParam<int64_t> {
 protected:
  static InterleaveOptions options(int64_t cycle_length,
                                   int64_t block_length = 1) {
    return {.cycle_length = cycle_length,
            .block_length = block_length,
            .num_parallel_calls = GetParam()};
  }
};

INSTANTIATE_TEST_SUITE_P(Threads, InterleaveTest,
                         ::testing::Values(1, 2, 4, AUTOTUNE));

TEST_P(InterleaveTest, ReadsInTurn) {
  const auto repeat = [](int64_t x) {
    return Dataset::from_tensors(x).repeat(6);
  };
  // tf.data's own example.
  EXPECT_EQ(text(Dataset::range(1, 6).interleave(repeat, options(2, 4))),
            "1 1 1 1 2 2 2 2 1 1 2 2 3 3 3 3 4 4 4 4 3 3 4 4 5 5 5 5 5 5");
}

// The order of threads is that of the reading thread alone.
TEST_P(InterleaveTest, OrderDoesNotDependOnThreads) {
  for (int64_t cycle_length : {1, 2, 3, 16}) {
    for (int64_t block_length : {1, 3}) {
      InterleaveOptions alone = options(cycle_length, block_length);
      alone.num_parallel_calls = 1;
      const Dataset input = Dataset::range(40);
      EXPECT_EQ(
          text(input.interleave(hundreds, options(cycle_length, block_length))),
          text(input.interleave(hundreds, alone)))
          << cycle_length << " " << block_length;
    }
  }
}

TEST_P(InterleaveTest, LongDataSetsToo) {
  const Dataset dataset = Dataset::range(3).interleave(
      [](int64_t x) { return Dataset::range(1000 * x, 1000 * x + 700); },
      options(2, 50));
  std::vector<int64_t> all = values(dataset);
  EXPECT_EQ(all[0], 0);
  EXPECT_EQ(all[50], 1000);
  EXPECT_EQ(all[100], 50);
  std::sort(all.begin(), all.end());
  std::vector<int64_t> wanted;
  for (int64_t i = 0; i < 2100; ++i) {
    wanted.push_back(i / 700 * 1000 + i % 700);
  }
  EXPECT_EQ(all, wanted);
}

TEST_P(InterleaveTest, Contract) {
  const auto transform = [](const Dataset& input) {
    return input.interleave(
        [](int64_t x) { return Dataset::from_tensors(x).repeat(2); },
        options(4));
  };
  EXPECT_EQ(testing::dataset_contract(transform, {.length = 80}), "");
  const auto resumed = [] {
    return Dataset::range(30).interleave(hundreds, options(3, 2));
  };
  EXPECT_EQ(resume_failure(resumed), "");
}

TEST_P(InterleaveTest, ExceptionsStandInTheirPlaces) {
  const Dataset dataset = Dataset::range(4).interleave(
      [](int64_t x) {
        if (x == 1) throw ValueError("one");
        return Dataset::range(3).map([x](int64_t i) {
          if (x == 2 && i == 1) throw ValueError("two");
          return 10 * x + i;
        });
      },
      options(2));
  std::string log;
  Iterator it = dataset.iterator();
  for (Element element;;) {
    try {
      if (!it.get_next(&element)) break;
      log += element.to_string() + ' ';
    } catch (const ValueError& error) {
      log += std::string("<") + error.what() + "> ";
    }
  }
  EXPECT_EQ(log,
            "0 <interleave (element 1): one> 1 20 2 "
            "<map (element 1): two> 22 30 31 32 ");
}

TEST(InterleaveLimitsTest, NoMoreDataSetsAreOpenThanTheCycleHas) {
  struct Counter {
    std::atomic<int> open = 0;
    std::atomic<int> most = 0;
  };
  auto counter = std::make_shared<Counter>();
  const auto file = [counter](int64_t) {
    return Dataset::from_generator([counter] {
      const int now = ++counter->open;
      int most = counter->most;
      while (now > most && !counter->most.compare_exchange_weak(most, now)) {
      }
      auto guard = std::shared_ptr<Counter>(
          counter.get(), [counter](Counter* c) { --c->open; });
      return [i = 0, guard]() mutable -> std::optional<int> {
        return i < 20 ? std::optional(i++) : std::nullopt;
      };
    });
  };
  const auto parallel = Dataset::range(30).interleave(
      file, {.num_parallel_calls = 3, .deterministic = false});
  EXPECT_EQ(values(parallel.map([](int x) { return int64_t{x}; })).size(),
            600u);
  EXPECT_LE(counter->most, 3);
  EXPECT_EQ(counter->open, 0);
}

TEST(InterleaveLimitsTest, ASpecDrawsNothingFromTheProgram) {
  const auto draw = [](bool with_spec) {
    set_random_seed(7);
    const Dataset dataset = Dataset::range(3).interleave(
        [](int64_t) { return Dataset::range(4).shuffle(4); });
    if (with_spec) {
      EXPECT_EQ(dataset.element_spec().to_string(), "int64[]");
    }
    return internal::draw_seed();
  };
  EXPECT_EQ(draw(true), draw(false));
}

// How many threads read from an interleave() of many slow data sets. They wait
// for so long that what a slow machine does besides is little.
size_t readers(const InterleaveOptions& interleave, const Options& options) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  const Dataset dataset = Dataset::range(70).interleave(
      [&](int64_t) {
        return Dataset::range(2).map([&](int64_t x) {
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
          std::lock_guard lock(mutex);
          seen.insert(std::this_thread::get_id());
          return x;
        });
      },
      interleave);
  EXPECT_EQ(values(dataset.with_options(options)).size(), 140u);
  return seen.size();
}

TEST(InterleaveLimitsTest, ThreadsAreFewerThanALongCycle) {
  EXPECT_LE(readers({.cycle_length = 200, .num_parallel_calls = AUTOTUNE}, {}),
            64u);
  EXPECT_LE(readers({.cycle_length = 200, .num_parallel_calls = AUTOTUNE},
                    {.threading = {.private_threadpool_size = 2}}),
            2u);
}

TEST(InterleaveLimitsTest, AutotuneTakesItsThreadsFromTheOptions) {
  const InterleaveOptions autotune{.cycle_length = 16,
                                   .num_parallel_calls = AUTOTUNE};
  EXPECT_LE(
      readers(autotune, {.autotune = {.enabled = false, .cpu_budget = 2}}), 2u);
  // These wait, so more of them do what two could if they did not.
  EXPECT_GT(readers(autotune, {.autotune = {.cpu_budget = 2}}), 4u);
}

TEST(InterleaveLimitsTest, TheReportSaysWhatAutotuneChose) {
  const auto slow = [](int64_t) {
    return Dataset::range(4).map([](int64_t x) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      return x;
    });
  };
  const auto chosen = [&](int64_t calls, const Options& options) {
    const Dataset dataset = Dataset::range(64).interleave(
        slow, {.cycle_length = 8, .num_parallel_calls = calls});
    Iterator it = dataset.with_options(options).iterator();
    for (Element element; it.get_next(&element);) {
    }
    return it.report().choices_text();
  };
  EXPECT_EQ(chosen(AUTOTUNE, {.autotune = {.cpu_budget = 2}}),
            "interleave: 8 threads");
  EXPECT_EQ(chosen(4, {}), "");
  EXPECT_EQ(chosen(AUTOTUNE, {.autotune = {.enabled = false}}), "");
}

// The reader takes the end of a data set, behind which the same slot is the one
// that it awaits, while a full budget keeps the threads from reading it.
TEST(InterleaveLimitsTest, ABudgetThatOthersTakeHoldsNothingUp) {
  for (const bool deterministic : {true, false}) {
    const Dataset dataset =
        Dataset::range(300)
            .interleave(
                [](int64_t x) {
                  return Dataset::range(1).map([x](int64_t) {
                    std::this_thread::sleep_for(std::chrono::microseconds(300));
                    return x;
                  });
                },
                {.cycle_length = 1, .num_parallel_calls = 2})
            .map([](int64_t x) { return x; }, {.num_parallel_calls = 2})
            .with_options({.deterministic = deterministic,
                           .autotune = {.ram_budget = 4}});
    EXPECT_EQ(values(dataset).size(), 300u);
  }
}

TEST(InterleaveLimitsTest, WithoutOrderAllElementsComeOnce) {
  const Dataset dataset = Dataset::range(40).interleave(
      hundreds,
      {.cycle_length = 4, .num_parallel_calls = 4, .deterministic = false});
  std::vector<int64_t> got = values(dataset);
  std::vector<int64_t> wanted = values(Dataset::range(40).flat_map(hundreds));
  std::sort(got.begin(), got.end());
  std::sort(wanted.begin(), wanted.end());
  EXPECT_EQ(got, wanted);
}

// Passes of one data set that all places read begin in the input's order.
TEST_P(InterleaveTest, ASharedShuffleHasTheOrdersOfOneThread) {
  const auto orders = [](int64_t calls) {
    const Dataset shared = Dataset::range(6).shuffle(6, {.seed = 3});
    return text(Dataset::range(12).interleave(
        [shared](int64_t x) {
          std::this_thread::sleep_for(std::chrono::milliseconds(x * 5 % 7));
          return shared;
        },
        {.cycle_length = 6, .num_parallel_calls = calls}));
  };
  EXPECT_EQ(orders(GetParam()), orders(1));
}

// A source that cannot save its position.
class Unsaved final : public DatasetBase {
 public:
  std::string name() const override { return "unsaved"; }
  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext&) const override {
    class It final : public IteratorBase {
     public:
      bool get_next(Element* out) override {
        if (row_ == 4) return false;
        *out = Element(Array::scalar(row_++));
        return true;
      }

     private:
      int64_t row_ = 0;
    };
    return std::make_unique<It>();
  }
  int64_t cardinality() const override { return 4; }
  ElementSpec element_spec() const override {
    return Dataset::range(4).element_spec();
  }
};

TEST_P(InterleaveTest, GoesOnWhereItCouldNotBeSaved) {
  const auto twice = [](int64_t x) {
    return Dataset::from_tensors(x).repeat(2);
  };
  const Dataset dataset =
      Dataset(std::make_shared<Unsaved>()).interleave(twice, options(2));
  EXPECT_EQ(text(dataset.cache()), "0 1 0 1 2 3 2 3");
  Iterator it = dataset.iterator();
  it.next();
  EXPECT_THROW(it.save(), TypeError);
  EXPECT_EQ(it.next().to<int64_t>(), 1);
}

TEST(InterleaveMistakesTest, AVeryLongCycleIsRefused) {
  EXPECT_EQ(text_of<ValueError>([] {
              Dataset::range(3).interleave(
                  [](int64_t x) { return Dataset::range(x); },
                  {.cycle_length = int64_t{1} << 40});
            }),
            "interleave: expected cycle_length <= 1048576, got 1099511627776\n"
            "  hint: it is the number of data sets that are open at once");
}

TEST(InterleaveMistakesTest, AreNamed) {
  const Dataset range = Dataset::range(3);
  EXPECT_EQ(text_of<ValueError>(
                [&] { range.interleave(hundreds, {.cycle_length = 0}); }),
            "interleave: expected cycle_length >= 1, got 0");
  EXPECT_EQ(text_of<ValueError>(
                [&] { range.interleave(hundreds, {.block_length = 0}); }),
            "interleave: expected block_length >= 1, got 0");
  EXPECT_EQ(text_of<TypeError>([&] {
              range.flat_map([](Array, Array) { return Dataset::range(1); });
            }),
            "flat_map: expected a function of 1 parameter, got one of 2\n"
            "  element: int64[]\n"
            "  hint: an element that is an Array is one parameter");
}

}  // namespace
}  // namespace systolic::data
