#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/seed.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/image/random.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

class MapTest : public ::testing::TestWithParam<int64_t> {};

INSTANTIATE_TEST_SUITE_P(Threads, MapTest,
                         ::testing::Values(1, 2, 4, 16, AUTOTUNE));

TEST_P(MapTest, KeepsTheOrder) {
  const Dataset dataset = Dataset::range(2000).map(
      [](int64_t x) {
        if (x % 97 == 0) {
          std::this_thread::sleep_for(std::chrono::microseconds(300));
        }
        return x * x;
      },
      {.num_parallel_calls = GetParam()});
  int64_t next = 0;
  for (int64_t value : dataset.as<int64_t>()) {
    ASSERT_EQ(value, next * next);
    ++next;
  }
  EXPECT_EQ(next, 2000);
}

TEST_P(MapTest, Contract) {
  EXPECT_EQ(testing::dataset_contract(
                [](const Dataset& input) {
                  return input.map([](int64_t x) { return std::pair(x, 2.f); },
                                   {.num_parallel_calls = GetParam()});
                },
                {.length = 40}),
            "");
}

TEST_P(MapTest, ErrorsNameTheElementAndThePassGoesOn) {
  const Dataset dataset = Dataset::range(60).map(
      [](int64_t x) {
        if (x % 20 == 17) throw ValueError("odd one");
        return x;
      },
      {.num_parallel_calls = GetParam(), .name = "decode"});
  Iterator it = dataset.iterator();
  std::vector<std::string> errors;
  int64_t good = 0;
  Element element;
  for (bool more = true; more;) {
    try {
      more = it.get_next(&element);
      good += more;
    } catch (const ValueError& error) {
      errors.push_back(error.what());
    }
  }
  EXPECT_EQ(good, 57);
  EXPECT_EQ(errors,
            (std::vector<std::string>{"map \"decode\" (element 17): odd one",
                                      "map \"decode\" (element 37): odd one",
                                      "map \"decode\" (element 57): odd one"}));
}

TEST_P(MapTest, StopsInMidPassWithASlowFunction) {
  const int64_t before = testing::process_threads();
  std::atomic<int> calls = 0;
  const Dataset dataset = Dataset::range(1'000'000).map(
      [&](int64_t x) {
        ++calls;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return x;
      },
      {.num_parallel_calls = GetParam()});
  for (int i = 0; i < 3; ++i) dataset.iterator().next();
  EXPECT_LT(calls, 10'000) << "what is made ahead, but no whole pass";
  EXPECT_TRUE(testing::threads_come_down_to(before));
}

// A random number for each element, twice over the data set.
std::vector<int64_t> random_numbers(int64_t calls) {
  set_random_seed(7);
  return values(Dataset::range(50)
                    .map(
                        [](int64_t) {
                          return static_cast<int64_t>(internal::draw_seed());
                        },
                        {.num_parallel_calls = calls})
                    .repeat(2));
}

TEST(MapRandomTest, NumbersDependOnTheElementNotOnTheThreads) {
  const std::vector<int64_t> one = random_numbers(1);
  EXPECT_EQ(std::set<int64_t>(one.begin(), one.end()).size(), 100u)
      << "elements and passes differ";
  for (const int64_t calls : {int64_t{4}, int64_t{16}, AUTOTUNE}) {
    EXPECT_EQ(random_numbers(calls), one) << calls;
  }
}

TEST(MapOptionsTest, AsManyCallsAtOnceAsAskedFor) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  const Dataset dataset = Dataset::range(60).map(
      [&](int64_t x) {
        const int now = ++running;
        int seen = most;
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        // However late the last thread starts; then, whether a fourth comes.
        for (int i = 0; i < 20'000 && most < 3; ++i) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --running;
        return x;
      },
      {.num_parallel_calls = 3});
  EXPECT_EQ(values(dataset).size(), 60u);
  EXPECT_EQ(most, 3);
}

TEST(MapOptionsTest, FewElementsWaitWhenTheReaderIsSlow) {
  std::atomic<int64_t> made = 0;
  const Dataset dataset = Dataset::range(10'000).map(
      [&](int64_t x) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ++made;
        return x;
      },
      {.num_parallel_calls = 2});
  Iterator it = dataset.iterator();
  it.next();
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_LE(made, 8);
}

TEST(MapOptionsTest, NotDeterministicGivesAllElements) {
  const Dataset dataset = Dataset::range(300).map(
      [](int64_t x) {
        if (x % 50 == 0) {
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return x;
      },
      {.num_parallel_calls = 4, .deterministic = false});
  const std::vector<int64_t> seen = values(dataset);
  EXPECT_EQ(seen.size(), 300u);
  EXPECT_EQ(std::set<int64_t>(seen.begin(), seen.end()).size(), 300u);
}

// What is drawn depends on an element's place in its pass, not on threads.
TEST(MapOptionsTest, RandomPicturesDoNotDependOnThreads) {
  const auto pass = [](int64_t threads) {
    set_random_seed(11);
    std::vector<float> result;
    for (const Array& picture :
         Dataset::range(40)
             .map(
                 [](int64_t i) {
                   return image::random_crop(
                       image::random_flip_left_right(image::random_brightness(
                           Array::full({4, 4, 3}, static_cast<double>(i)),
                           0.5)),
                       {2, 2, 3});
                 },
                 {.num_parallel_calls = threads})
             .as<Array>()) {
      const auto values = picture.span<float>();
      result.insert(result.end(), values.begin(), values.end());
    }
    return result;
  };
  const std::vector<float> one = pass(1);
  EXPECT_EQ(one.size(), 40u * 12);
  EXPECT_EQ(pass(4), one);
  EXPECT_EQ(pass(1), one);
}

TEST(MapSpecTest, TheFirstElementShowsTheSpec) {
  const Dataset pairs = Dataset::from_tensor_slices(
      Array::zeros({6, 2}), Array::zeros({6}, DType::int32));
  std::atomic<int> calls = 0;
  const Dataset mapped = pairs.map([&](Array x, Array y) {
    ++calls;
    return Element::dict({{"x", x}, {"y", y}});
  });
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(mapped.element_spec().to_string(),
            "{\"x\": float32[2], \"y\": int32[]}");
  mapped.element_spec();
  EXPECT_EQ(calls, 1) << "it is remembered";
  const Dataset batched =
      pairs.batch(4).map([](Array x, Array y) { return std::tuple(y, x, 1); });
  EXPECT_EQ(batched.element_spec().to_string(),
            "(int32[None], float32[None, 2], int32[])");
}

TEST(MapSpecTest, FindingTheSpecFillsNoBufferAndMovesNoState) {
  std::atomic<int> read = 0;
  const auto build = [&] {
    return Dataset::range(1000)
        .map([&](int64_t x) {
          ++read;
          return x;
        })
        .shuffle(500, {.seed = 1})
        .map([](int64_t x) { return x; }, {.num_parallel_calls = 4});
  };
  const std::vector<int64_t> order = values(build());
  read = 0;
  const Dataset dataset = build();
  EXPECT_EQ(dataset.element_spec().to_string(), "int64[]");
  EXPECT_LE(read, 2) << "once for the element, once for the input's spec";
  EXPECT_EQ(values(dataset), order);
}

TEST(MapMistakesTest, ArityIsCheckedWhenMapIsCalled) {
  const Dataset pairs = Dataset::from_tensor_slices(
      Array::zeros({6, 28, 28}, DType::uint8), Array::zeros({6}));
  EXPECT_EQ(
      text_of<TypeError>([&] { pairs.map([](Array image) { return image; }); }),
      "map: expected a function of 2 parameters, got one of 1\n"
      "  element: (uint8[28, 28], float32[])\n"
      "  hint: each item of a tuple is a parameter of its own");
  EXPECT_EQ(text_of<TypeError>([&] {
              pairs.map([](Array x, Array y) { return std::tuple(x, y, y); })
                  .map([](Array x, Array) { return x; });
            }),
            "map: expected a function of 3 parameters, got one of 2\n"
            "  element: (Array, Array, Array)\n"
            "  hint: each item of a tuple is a parameter of its own");
  EXPECT_EQ(text_of<ValueError>([&] {
              pairs.map([](Array x, Array) { return x; },
                        {.num_parallel_calls = 0});
            }),
            "map: expected num_parallel_calls >= 1 or data::AUTOTUNE, got 0");
}

}  // namespace
}  // namespace systolic::data
