#include "systolic/data/auto_shard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "systolic/base/element_seed.h"
#include "systolic/base/error.h"
#include "systolic/base/seed.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/io/file_system.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::data {
namespace {

// A source of `files` files of three elements each: 10 * file + 0, 1, 2.
class Files final : public DatasetBase {
 public:
  explicit Files(const Dataset& names)
      : names_(detail::shared_files(names.node(), "names")) {}

  std::string name() const override { return "files"; }
  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    class It final : public IteratorBase {
     public:
      explicit It(std::unique_ptr<IteratorBase> names)
          : names_(std::move(names)) {}
      bool get_next(Element* out) override {
        if (row_ % 3 == 0) {
          Element name;
          if (!names_->get_next(&name)) return false;
          file_ = name.to<int64_t>();
        }
        *out = Element(Array::scalar(10 * file_ + row_++ % 3));
        return true;
      }

     private:
      std::unique_ptr<IteratorBase> names_;
      int64_t file_ = 0;
      int64_t row_ = 0;
    };
    return std::make_unique<It>(names_.node()->make_iterator(context));
  }
  int64_t cardinality() const override { return UNKNOWN_CARDINALITY; }
  ElementSpec element_spec() const override { return names_.element_spec(); }
  std::vector<const DatasetBase*> inputs() const override {
    return {names_.node().get()};
  }

 private:
  const Dataset names_;
};

Dataset files(int64_t count) {
  return Dataset(std::make_shared<Files>(Dataset::range(count)));
}

using Values = std::vector<int64_t>;

TEST(AutoShardTest, FilesWhereThereAreEnough) {
  const Dataset dataset = files(3).map([](int64_t x) { return x; });
  EXPECT_EQ(values(dataset.auto_shard(2, 0)), (Values{0, 1, 2, 20, 21, 22}));
  EXPECT_EQ(values(dataset.auto_shard(2, 1)), (Values{10, 11, 12}));
  EXPECT_EQ(values(dataset.auto_shard(1, 0)), values(dataset));
}

TEST(AutoShardTest, ElementsWhereThereAreNot) {
  EXPECT_EQ(values(files(1).auto_shard(2, 1)), (Values{1}));
  EXPECT_EQ(values(Dataset::range(5).auto_shard(2, 0)), (Values{0, 2, 4}));
  EXPECT_EQ(
      values(files(9).concatenate(Dataset::range(5)).auto_shard(2, 0)).size(),
      16u);
}

TEST(AutoShardTest, ThePolicyDecides) {
  const auto with = [](const Dataset& dataset, AutoShardPolicy policy) {
    return dataset.with_options({.auto_shard_policy = policy});
  };
  EXPECT_EQ(values(with(files(3), AutoShardPolicy::data).auto_shard(2, 0)),
            (Values{0, 2, 11, 20, 22}));
  EXPECT_EQ(values(with(files(3), AutoShardPolicy::off).auto_shard(2, 0)),
            values(files(3)));
  EXPECT_EQ(text_of<ValueError>([&] {
              with(files(3), AutoShardPolicy::file).auto_shard(4, 0);
            }),
            "auto_shard: expected at least 4 files, one for each shard, got 3\n"
            "  hint: AutoShardPolicy::data shares out the elements, or cut the "
            "data into more files");
  EXPECT_THROW(with(Dataset::range(3), AutoShardPolicy::file).auto_shard(2, 0),
               ValueError);
}

TEST(AutoShardTest, AListOfFilesIsSharedOutBeforeItIsShuffled) {
  const testing::TemporaryFolder folder;
  for (const char* name : {"a", "b", "c", "d"}) {
    io::write_file((folder.path() / name).string(), name);
  }
  const auto names = [&](int64_t index) {
    const Dataset all =
        Dataset::list_files((folder.path() / "*").string(), {.seed = 3});
    std::vector<std::string> paths;
    for (const std::string& path :
         all.flat_map([](std::string path) {
              return Dataset::from_tensors(path.substr(path.size() - 1));
            })
             .auto_shard(2, index)
             .as<std::string>()) {
      paths.push_back(path);
    }
    std::sort(paths.begin(), paths.end());
    return paths;
  };
  EXPECT_EQ(names(0), (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(names(1), (std::vector<std::string>{"b", "d"}));
}

// As a shuffle() without a seed in a program without one.
class OwnOrder final : public TransformBase {
 public:
  OwnOrder() : TransformBase(Dataset::range(4).node(), "own") {}
  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return input().make_iterator(context);
  }
  bool has_own_order() const override { return true; }
};

// Other tests of the process may have called set_random_seed().
TEST(AutoShardTest, ElementsInAnOrderThatOtherHostsDoNotKnowAreRefused) {
  const Dataset own(std::make_shared<OwnOrder>());
  const Dataset batches = own.map([](int64_t x) { return x; }).batch(2);
  EXPECT_EQ(
      text_of<ValueError>([&] { batches.auto_shard(2, 0); }),
      "auto_shard: expected elements in one order on every host, which shares "
      "them out, got own without a seed\n"
      "  hint: set_random_seed(...), or {.seed = ...}; or shard(hosts, host) "
      "before it, and AutoShardPolicy::off");
  EXPECT_EQ(values(own.auto_shard(1, 0)).size(), 4u);
  EXPECT_EQ(values(own.with_options({.auto_shard_policy = AutoShardPolicy::off})
                       .auto_shard(2, 0))
                .size(),
            4u);
}

// One pipeline of each kind that draws an order, seeded or not.
std::vector<Dataset> random_orders(OptionalInt seed) {
  const Dataset range = Dataset::range(12);
  const auto class_of = [](int64_t x) { return x % 2; };
  return {range.shuffle(12, {.seed = seed}),
          Dataset::sample_from_datasets({range, range}, {.seed = seed}),
          range.rejection_resample(class_of, {0.5, 0.5}, {.seed = seed})};
}

TEST(AutoShardTest, EachRandomOrderNeedsASeed) {
  for (const Dataset& dataset : random_orders({})) {
    const bool own = !internal::has_random_seed();
    EXPECT_EQ(dataset.node()->has_own_order(), own);
    if (own) {
      EXPECT_THROW(dataset.auto_shard(2, 0), ValueError);
    }
  }
  for (const Dataset& dataset : random_orders(3)) {
    EXPECT_FALSE(dataset.node()->has_own_order());
    EXPECT_NO_THROW(dataset.auto_shard(2, 0));
  }
  EXPECT_FALSE(Dataset::range(1).shuffle(5).node()->has_own_order());
  // Its numbers are others on each host, as those inside of a map() are.
  EXPECT_EQ(values(Dataset::random().take(12).auto_shard(2, 0)).size(), 6u);
}

TEST(AutoShardTest, SeededShufflesLoseNothing) {
  Values all;
  for (const int64_t host : {0, 1}) {
    const Dataset shuffled = Dataset::range(9).shuffle(9, {.seed = 5});
    for (int64_t x : values(shuffled.auto_shard(2, host))) all.push_back(x);
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (Values{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

// Where elements are shared out, an order that threads decide would lose some.
TEST(AutoShardTest, HostsThatShareElementsKeepTheirOrder) {
  Values wanted;
  for (int64_t x = 1; x < 64; x += 2) wanted.push_back(x);
  const auto slow = [](int64_t x) {
    if (x % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return x;
  };
  const Dataset any_order =
      Dataset::range(64)
          .map(slow, {.num_parallel_calls = 4, .deterministic = false})
          .with_options({.deterministic = false});
  EXPECT_EQ(values(any_order.auto_shard(2, 1)), wanted);
}

TEST(AutoShardTest, ShufflesThatFunctionsMakeAreFoundWhileReading) {
  if (internal::has_random_seed()) GTEST_SKIP() << "they all have one";
  const auto parts = [](OptionalInt seed) {
    return Dataset::range(3)
        .interleave([seed](int64_t) {
          return Dataset::range(4).shuffle(4, {.seed = seed});
        })
        .auto_shard(2, 0);
  };
  EXPECT_THROW(values(parts({})), ValueError);
  EXPECT_EQ(values(parts(1)).size(), 6u);
}

TEST(AutoShardTest, HintsAreTheirPlaces) {
  const auto of = [](const Dataset& dataset, int64_t host) {
    return values(
        dataset.with_options({.auto_shard_policy = AutoShardPolicy::hint})
            .auto_shard(2, host));
  };
  const Dataset marked =
      Dataset::range(5).shard(SHARD_HINT, SHARD_HINT).flat_map([](int64_t x) {
        return Dataset::range(10 * x, 10 * x + 2);
      });
  EXPECT_EQ(of(marked, 0), (Values{0, 1, 20, 21, 40, 41}));
  EXPECT_EQ(of(marked, 1), (Values{10, 11, 30, 31}));
  EXPECT_EQ(values(marked).size(), 10u);
  EXPECT_EQ(values(marked.auto_shard(2, 0)), (Values{0, 10, 20, 30, 40}));
  EXPECT_EQ(of(Dataset::range(8)
                   .shard(SHARD_HINT, SHARD_HINT)
                   .shard(SHARD_HINT, SHARD_HINT),
               1),
            (Values{1, 3, 5, 7}));
  EXPECT_EQ(text_of<ValueError>([&] { of(Dataset::range(4), 0); }),
            "auto_shard: expected a shard(SHARD_HINT, SHARD_HINT) for "
            "AutoShardPolicy::hint, got none\n"
            "  hint: functions of interleave() and the like do not count: put "
            "it in front of them");
  const Dataset own(std::make_shared<OwnOrder>());
  EXPECT_THROW(of(own.shard(SHARD_HINT, SHARD_HINT), 0), ValueError);
  // What functions make of the elements of a share is whole.
  const Dataset twice =
      Dataset::range(4).shard(SHARD_HINT, SHARD_HINT).flat_map([](int64_t x) {
        return Dataset::range(10 * x, 10 * x + 2).shard(SHARD_HINT, SHARD_HINT);
      });
  EXPECT_EQ(of(twice, 0), (Values{0, 1, 20, 21}));
  EXPECT_EQ(of(twice, 1), (Values{10, 11, 30, 31}));
  // Behind the place each host may have an order of its own.
  EXPECT_EQ(of(marked.shuffle(10), 1).size(), 4u);
  EXPECT_THROW(marked.shard(2, SHARD_HINT), ValueError);
}

TEST(AutoShardTest, OneHostIsToldNothing) {
  LogCapture log;
  values(files(3).auto_shard(1, 0));
  EXPECT_TRUE(log.lines.empty());
}

TEST(AutoShardTest, TheIndexIsChecked) {
  EXPECT_THROW(files(3).auto_shard(2, 2), ValueError);
  EXPECT_THROW(files(3).auto_shard(0, 0), ValueError);
}

// The last one: it sets the program's seed.
TEST(AutoShardTest, NamesInAnOrderThatOtherHostsDoNotKnowAreRefused) {
  const Dataset names(std::make_shared<OwnOrder>());
  EXPECT_EQ(
      text_of<ValueError>([&] {
        Dataset(std::make_shared<Files>(names.map([](int64_t x) { return x; })))
            .batch(2)
            .auto_shard(2, 0);
      }),
      "auto_shard: expected file names in one order on every host, got a "
      "shuffle() of them without a seed\n"
      "  hint: Dataset::list_files(pattern) shares them out before it "
      "shuffles; "
      "or shuffle(n, {.seed = ...}), set_random_seed(...)");
  const Dataset range = Dataset::range(4);
  EXPECT_EQ(range.shuffle(4).node()->has_own_order(),
            !internal::has_random_seed());
  const Dataset seeded = range.shuffle(4, {.seed = 1});
  EXPECT_FALSE(seeded.node()->has_own_order());
  EXPECT_EQ(
      values(Dataset(std::make_shared<Files>(seeded)).auto_shard(2, 0)).size(),
      6u);
  set_random_seed(3);
  EXPECT_FALSE(range.shuffle(4).node()->has_own_order());
}

}  // namespace
}  // namespace systolic::data
