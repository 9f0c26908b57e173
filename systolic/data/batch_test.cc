#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "systolic/array/allocation.h"
#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

class BatchTest : public ::testing::TestWithParam<int64_t> {
 protected:
  static std::string print(const Dataset& dataset) {
    std::string text;
    for (auto& element : dataset) text += element.to_string();
    return text;
  }
};

INSTANTIATE_TEST_SUITE_P(Threads, BatchTest,
                         ::testing::Values(1, 2, 4, AUTOTUNE));

TEST_P(BatchTest, StacksInOrder) {
  const Dataset range = Dataset::range(7);
  EXPECT_EQ(print(range.batch(3, {.num_parallel_calls = GetParam()})),
            "[0 1 2][3 4 5][6]");
  EXPECT_EQ(print(range.batch(
                3, {.drop_remainder = true, .num_parallel_calls = GetParam()})),
            "[0 1 2][3 4 5]");
  EXPECT_EQ(print(range.batch(9, {.num_parallel_calls = GetParam()})),
            "[0 1 2 3 4 5 6]");
  EXPECT_EQ(print(range.batch(7, {.num_parallel_calls = GetParam()})),
            "[0 1 2 3 4 5 6]");
  EXPECT_EQ(print(Dataset::range(4).batch(2).batch(
                2, {.num_parallel_calls = GetParam()})),
            "[[0 1]\n [2 3]]");
}

TEST_P(BatchTest, Contract) {
  EXPECT_EQ(testing::dataset_contract(
                [](const Dataset& input) {
                  return input.batch(7, {.num_parallel_calls = GetParam()});
                },
                {.length = 6}),
            "");
  EXPECT_EQ(testing::dataset_contract(
                [](const Dataset& input) {
                  return input.batch(7, {.drop_remainder = true,
                                         .num_parallel_calls = GetParam()});
                },
                {.length = 5}),
            "");
}

TEST_P(BatchTest, AnErrorAboveTakesItsBatchAlong) {
  const Dataset dataset = Dataset::range(9)
                              .map([](int64_t x) {
                                if (x == 4) throw ValueError("four");
                                return x;
                              })
                              .batch(3, {.num_parallel_calls = GetParam()});
  Iterator it = dataset.iterator();
  EXPECT_EQ(it.next().to_string(), "[0 1 2]");
  EXPECT_EQ(text_of<ValueError>([&] { it.next(); }), "map (element 4): four");
  EXPECT_EQ(it.next().to_string(), "[5 6 7]");
  EXPECT_EQ(it.next().to_string(), "[8]");
}

// What a pass gives: batches by their first and last elements, and errors.
std::string pass_of(Iterator it) {
  std::string text;
  for (int steps = 0; steps < 30; ++steps) {
    try {
      Element batch;
      if (!it.get_next(&batch)) return text + "end";
      const Array& large = batch[0].array();
      text += large[{0, 0}].to_string() + "..." + large[{-1, -1}].to_string() +
              " " + batch[1].to_string() + "; ";
    } catch (const Error& error) {
      text += std::string(error.what()) + "; ";
    }
  }
  return text + "no end";
}

TEST(BatchOfThreadsTest, LargeResultsAreThoseOfOneThread) {
  const auto dataset = [](int64_t threads) {
    return Dataset::range(83)
        .map(
            [](int64_t x) {
              if (x == 13 || x == 40) throw ValueError("unlucky");
              const Shape shape{x == 61 ? 20'001 : 20'000};
              return std::pair(Array::full(shape, static_cast<double>(x)), x);
            },
            {.num_parallel_calls = threads})
        .batch(6);
  };
  const std::string wanted = pass_of(dataset(1).iterator());
  EXPECT_TRUE(wanted.starts_with(
      "0.0...5.0 [0 1 2 3 4 5]; 6.0...11.0 [ 6  7  8  9 10 11]; map (element "
      "13): unlucky; 14.0...19.0 [14 15 16 17 18 19]; "))
      << wanted;
  EXPECT_TRUE(wanted.ends_with("end")) << wanted;
  for (const int64_t threads : {int64_t{2}, int64_t{5}, AUTOTUNE}) {
    EXPECT_EQ(pass_of(dataset(threads).iterator()), wanted) << threads;
    // A pass that was saved in between, before and behind the error.
    for (const int64_t before : {1, 5}) {
      const Dataset saved = dataset(threads);
      Iterator it = saved.iterator();
      for (int64_t i = 0; i < before; ++i) {
        try {
          it.next();
        } catch (const ValueError&) {
        }
      }
      const std::string state = it.save();
      EXPECT_EQ(pass_of(saved.iterator(state)), pass_of(std::move(it)))
          << threads << " threads, " << before << " batches";
    }
  }
}

// As one thread says it, not by the end of the program.
TEST(BatchOfThreadsTest, ABatchThatNoMemoryHoldsIsRefused) {
  // Sanitizers end a program that asks for as much memory; of the other size
  // the bytes cannot even be counted.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  const std::vector<int64_t> sizes{int64_t{1} << 51};
#else
  const std::vector<int64_t> sizes{int64_t{1} << 40, int64_t{1} << 51};
#endif
  for (const int64_t rows : sizes) {
    const auto first = [&](int64_t threads) {
      const Dataset dataset =
          Dataset::from_generator([] {
            return [i = 0]() mutable {
              return i < 20 ? std::optional(int64_t{i++}) : std::nullopt;
            };
          })
              .map([](int64_t) { return Array::zeros({1 << 14}); },
                   {.num_parallel_calls = threads})
              .batch(rows);
      return text_of<ValueError>([&] { dataset.iterator().next(); });
    };
    EXPECT_TRUE(
        first(1).starts_with("Array: expected elements that fit into memory"))
        << first(1);
    EXPECT_EQ(first(3), first(1));
  }
}

// Views of something larger are copied, so that a batch keeps only itself.
TEST(BatchOfThreadsTest, ABatchKeepsNoMoreThanItself) {
  const Array shard = Array::zeros({100, 1 << 14}, DType::uint8);
  const Dataset dataset = Dataset::range(99).map(
      [shard](int64_t x) { return shard[x]; }, {.num_parallel_calls = 2});
  for (const int64_t rows : {1, 4, 64}) {
    for (const Element& batch : dataset.batch(rows)) {
      const Array& array = batch.array();
      EXPECT_LE(internal::allocated_bytes(array.owner()), 2 * array.nbytes());
    }
  }
}

TEST(BatchSpecTest, FirstAxisIsKnownWhenNoBatchIsShort) {
  const auto spec = [](const Dataset& d) {
    return d.element_spec().to_string();
  };
  const Dataset range = Dataset::range(6);
  EXPECT_EQ(spec(range.batch(3)), "int64[3]");
  EXPECT_EQ(spec(range.batch(4)), "int64[None]");
  EXPECT_EQ(spec(range.batch(4, {.drop_remainder = true})), "int64[4]");
  EXPECT_EQ(spec(range.repeat().batch(4)), "int64[4]");
  EXPECT_EQ(range.repeat().batch(4).cardinality(), INFINITE_CARDINALITY);
  EXPECT_EQ(range.batch(4).cardinality(), 2);
}

TEST(BatchMemoryTest, AHugeBatchSizeTakesOnlyWhatThereIs) {
  const Dataset dataset = Dataset::range(5)
                              .map([](int64_t x) { return x; })
                              .batch(int64_t{1} << 50);
  EXPECT_EQ(dataset.iterator().next().size(), 1u);
  EXPECT_EQ(dataset.iterator().next().array().size(), 5);
}

TEST(BatchMistakesTest, AreNamed) {
  EXPECT_EQ(text_of<ValueError>([] { Dataset::range(3).batch(0); }),
            "batch: expected batch_size >= 1, got 0");
  const Dataset ragged = Dataset::range(1, 4)
                             .map([](int64_t x) { return Array::zeros({x}); })
                             .batch(2, {.name = "pairs"});
  EXPECT_EQ(text_of<ShapeError>([&] { ragged.iterator().next(); }),
            "batch \"pairs\": elements of one batch need equal shapes\n"
            "  element 0 of the batch: float32[1]\n"
            "  element 1 of the batch: float32[2]\n"
            "  hint: resize or pad them in map()");
}

}  // namespace
}  // namespace systolic::data
