#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/base/seed.h"
#include "systolic/data/dataset.h"
#include "systolic/data/random_seed.h"
#include "systolic/data/test_helpers.h"
#include "systolic/io/file_system.h"
#include "systolic/testing/dataset_contract.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::data {
namespace {

class FileCacheTest : public ::testing::Test {
 protected:
  // range(count), which counts what is read from it, cached.
  Dataset cached(int64_t count) {
    return Dataset::range(count)
        .map([reads = reads_](int64_t x) {
          ++*reads;
          return x;
        })
        .cache(path_);
  }

  testing::TemporaryFolder folder_;
  const std::string path_ = (folder_.path() / "cache").string();
  std::shared_ptr<std::atomic<int>> reads_ =
      std::make_shared<std::atomic<int>>(0);
};

TEST_F(FileCacheTest, LaterPassesReadNothingOfTheSource) {
  const Dataset dataset = cached(5);
  EXPECT_EQ(text(dataset), "0 1 2 3 4");
  EXPECT_EQ(*reads_, 5);
  EXPECT_EQ(text(dataset), "0 1 2 3 4");
  EXPECT_EQ(text(cached(5)), "0 1 2 3 4");  // another data set, or program
  EXPECT_EQ(*reads_, 5);
  EXPECT_EQ(dataset.cardinality(), 5);
}

TEST_F(FileCacheTest, FileOfOtherElementsIsRefused) {
  text(Dataset::range(3).cache(path_));
  const Dataset words =
      Dataset::from_tensor_slices(Array::from_strings({"a", "b"})).cache(path_);
  try {
    text(words);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.what(),
              "cache: expected a file of elements string[] as the input gives, "
              "got one of int64[]\n  path: " +
                  path_ +
                  "\n  hint: what is above cache() changed, or it is the file "
                  "of another data set: remove it or name another");
  }
  EXPECT_THROW(text(Dataset::range(3).batch(2).cache(path_)), DataError);
  io::remove(path_);
  EXPECT_EQ(text(words), "b'a' b'b'");
}

// A file that is whole does where its source is gone, or says nothing.
TEST_F(FileCacheTest, AWholeFileNeedsNoSource) {
  const auto lines = [&] {
    return Dataset::zip(
        {Dataset::range(2).map([](int64_t x) { return Array::zeros({x}); }),
         Dataset::from_tensor_slices(Array::from({1, 2, 3, 4}, {2, 2}))});
  };
  const auto padded = [&] {
    return lines().padded_batch(
        2, {.padded_shapes = std::pair(Shape{3}, Shape{2})});
  };
  const std::string first = text(padded().cache(path_));
  EXPECT_EQ(text(padded().cache(path_)), first);
}

// C083: a pass that ends early leaves no part of a cache.
TEST_F(FileCacheTest, OnlyACompletePassCounts) {
  const Dataset dataset = cached(5);
  {
    Iterator it = dataset.iterator();
    it.next();
    it.next();
    EXPECT_FALSE(io::exists(path_));
  }
  EXPECT_FALSE(io::exists(path_));
  EXPECT_EQ(text(dataset.take(3)), "0 1 2");
  EXPECT_FALSE(io::exists(path_));
  EXPECT_EQ(text(dataset), "0 1 2 3 4");
  EXPECT_TRUE(io::exists(path_));
}

// C082: every pass will have the random numbers of the first one.
TEST_F(FileCacheTest, SaysThatRandomChoicesAreKept) {
  LogCapture log;
  const Dataset numbers = Dataset::range(5);
  text(numbers.cache(path_));
  EXPECT_TRUE(log.lines.empty());
  const Dataset drawn =
      numbers.map([](int64_t) { return int64_t{internal::draw_seed() > 9}; })
          .cache(path_ + "-random");
  drawn.iterator().next();
  EXPECT_TRUE(log.lines.empty()) << "nothing is kept yet";
  for (int pass = 0; pass < 3; ++pass) text(drawn);
  ASSERT_EQ(log.lines.size(), 1u);
  EXPECT_TRUE(log.lines[0].starts_with(
      "warning: cache: the input draws random numbers"))
      << log.lines[0];
  text(numbers.shuffle(5).cache(path_ + "-shuffled"));
  ASSERT_EQ(log.lines.size(), 2u);
  EXPECT_TRUE(log.lines[1].starts_with("warning: cache: the input shuffles"))
      << log.lines[1];
}

// Nor does one that an element could not be written in.
TEST_F(FileCacheTest, APassThatCouldNotBeWrittenCountsNeither) {
  const std::string folder = (folder_.path() / "snapshot").string();
  const SnapshotOptions fails{.shard_func = [](const Element& element) {
    if (element.to<int64_t>() == 3) throw ValueError("three");
    return int64_t{0};
  }};
  const Dataset dataset = Dataset::range(6);
  EXPECT_EQ(text(dataset.snapshot(folder, fails).ignore_errors()), "0 1 2 4 5");
  EXPECT_EQ(text(dataset.snapshot(folder)), "0 1 2 3 4 5");
}

TEST_F(FileCacheTest, APassThatLostAnElementCountsNeither) {
  auto fail = std::make_shared<std::atomic<bool>>(true);
  const Dataset dataset = Dataset::range(3)
                              .map([fail](int64_t x) {
                                if (x == 1 && *fail) throw ValueError("one");
                                return x;
                              })
                              .cache(path_);
  EXPECT_EQ(text(dataset.ignore_errors()), "0 2");
  EXPECT_FALSE(io::exists(path_));
  *fail = false;
  EXPECT_EQ(text(dataset), "0 1 2");
  EXPECT_TRUE(io::exists(path_));
}

TEST_F(FileCacheTest, ADamagedCacheIsNamed) {
  text(cached(5));
  std::string bytes = io::read_file(path_);
  bytes[30] ^= 1;
  io::write_file(path_, bytes);
  const std::string error = text_of<DataError>([&] { text(cached(5)); });
  EXPECT_NE(error.find(path_), std::string::npos) << error;
}

TEST_F(FileCacheTest, AFileOfTheUsersIsNoDamagedOne) {
  for (const char* theirs : {"shopping: bread, milk\n", "milk"}) {
    io::write_file(path_, theirs);
    EXPECT_EQ(text_of<DataError>([&] { text(cached(5)); }),
              path_ +
                  ": this is no file that cache(), save() or snapshot() "
                  "wrote\n  hint: give another name");
    EXPECT_EQ(io::read_file(path_), theirs);
  }
}

TEST_F(FileCacheTest, Resumes) {
  const auto build = [this] { return Dataset::range(20).cache(path_); };
  EXPECT_EQ(resume_failure(build), "");
  EXPECT_TRUE(io::exists(path_));
  EXPECT_EQ(resume_failure(build), "");  // from the file
}

// A first pass that goes on in another run leaves the whole cache behind.
TEST_F(FileCacheTest, APassRestoredInItsMiddleIsKept) {
  const auto build = [this] {
    set_random_seed(7);
    return Dataset::range(20).shuffle(8).cache(path_).repeat(2).batch(3);
  };
  const LogCapture log;  // a cache behind a shuffle
  const std::string all = text(build());
  const std::string whole = text(Dataset::range(1).cache(path_));
  io::remove(path_);
  std::string state;
  {
    Iterator it = build().iterator();
    it.next();
    it.next();
    state = it.save();
  }
  EXPECT_FALSE(io::exists(path_));
  std::string resumed;
  Iterator it = build().iterator(state);
  // Saved again before it is read: still all of it.
  Iterator again = build().iterator(it.save());
  for (Element element; again.get_next(&element);) {
    resumed += ' ' + element.to_string();
  }
  EXPECT_TRUE(all.ends_with(resumed)) << resumed;
  EXPECT_EQ(text(Dataset::range(1).cache(path_)), whole);
}

// The state of a beginning, and then one of the middle: all elements once.
TEST_F(FileCacheTest, APassRestoredTwiceIsOne) {
  const LogCapture log;
  const auto build = [this](bool in_file) {
    const Dataset shuffled = Dataset::range(10).shuffle(10);
    return in_file ? shuffled.cache(path_) : shuffled.snapshot(path_);
  };
  for (const bool in_file : {true, false}) {
    const std::string begun = build(in_file).iterator().save();
    std::vector<int64_t> seen;
    const auto read = [&](Iterator& it, int count) {
      for (int i = 0; i < count; ++i) seen.push_back(it.next().to<int64_t>());
    };
    Iterator second = build(in_file).iterator(begun);
    read(second, 3);
    Iterator third = build(in_file).iterator(second.save());
    read(third, 7);
    EXPECT_THROW(third.next(), OutOfRangeError);
    std::vector<int64_t> kept = values(build(in_file));
    EXPECT_EQ(kept, seen);
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, values(Dataset::range(10)));
    std::filesystem::remove_all(path_);
  }
}

// What was read can not be read again in the same order.
TEST_F(FileCacheTest, WithoutOrderNothingIsLostOrGivenTwice) {
  const auto sleepy = [] {
    return Dataset::range(8).interleave(
        [](int64_t x) {
          return Dataset::range(6).map([x](int64_t i) {
            std::this_thread::sleep_for(
                std::chrono::microseconds(100 * (random_seed() % 8)));
            return 6 * x + i;
          });
        },
        {.cycle_length = 4, .num_parallel_calls = 4, .deterministic = false});
  };
  for (const auto& build : std::vector<std::function<Dataset()>>{
           [&] { return sleepy().cache(path_); },
           [&] { return sleepy().cache(); },
           [&] { return sleepy().cache().repeat(2).skip(48); }}) {
    std::vector<int64_t> seen;
    Iterator it = build().iterator();
    for (int i = 0; i < 20; ++i) seen.push_back(it.next().to<int64_t>());
    Iterator resumed = build().iterator(it.save());
    for (Element element; resumed.get_next(&element);) {
      seen.push_back(element.to<int64_t>());
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, values(Dataset::range(48)));
  }
}

// Behind an exception a restored pass does not begin anew.
TEST_F(FileCacheTest, APassThatCouldNotBeRestoredHasEnded) {
  const auto build = [this](const std::string& path) {
    return Dataset::range(10).cache(path).ignore_errors();
  };
  Iterator it = build(path_).iterator();
  for (int i = 0; i < 5; ++i) it.next();
  // A file where the folder should be.
  io::write_file(path_ + "_file", "");
  const LogCapture log;
  Iterator resumed = build(path_ + "_file/cache").iterator(it.save());
  Element element;
  EXPECT_FALSE(resumed.get_next(&element)) << element;
}

TEST_F(FileCacheTest, APassThatCannotBeReadAgainIsNamed) {
  auto length = std::make_shared<int64_t>(10);
  const auto build = [&] {
    return Dataset::range(10)
        .filter([length](int64_t x) { return x < *length; })
        .cache(path_);
  };
  Iterator it = build().iterator();
  for (int i = 0; i < 5; ++i) it.next();
  const std::string state = it.save();
  *length = 3;
  Iterator resumed = build().iterator(state);
  EXPECT_EQ(text_of<DataError>([&] { resumed.next(); }),
            "cache: expected the 5 elements that were read before, got 3\n"
            "  hint: what is above changed: begin a new pass");
  EXPECT_FALSE(io::exists(path_));
}

TEST_F(FileCacheTest, Contract) {
  std::atomic<int> number = 0;
  EXPECT_EQ(testing::dataset_contract(
                [&](const Dataset& input) {
                  return input.cache(path_ + std::to_string(number++));
                },
                {.length = 40}),
            "");
}

TEST_F(FileCacheTest, MistakesAreNamed) {
  EXPECT_EQ(text_of<ValueError>([] { Dataset::range(3).cache(""); }),
            "cache: expected a file name, got an empty one\n"
            "  hint: cache() without one keeps the elements in memory");
}

}  // namespace
}  // namespace systolic::data
