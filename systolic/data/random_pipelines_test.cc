// Pipelines of random transforms, saved and restored at random places.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "systolic/base/seed.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/io/file_system.h"
#include "systolic/testing/dataset_contract.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::data {
namespace {

using Random = std::mt19937;

int64_t below(Random& random, int64_t count) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(count));
}

// A number that depends on the element and on the pass.
Element noisy(const Element& element) {
  const auto noise = static_cast<int64_t>(internal::draw_seed() % 1000);
  return Element::tuple({element, Element(Array::scalar(noise))});
}

Element maybe_throw(const Element& element) {
  if (internal::draw_seed() % 7 == 0) throw ValueError("a bad element");
  return element;
}

// Where pipelines keep files; empty: they keep none.
using Folder = std::string;

Dataset saved(int64_t count, const Folder& folder) {
  if (folder.empty()) return Dataset::range(count);
  const std::string path = io::join_path(folder, "saved");
  if (!io::exists(path)) {
    Dataset::range(count).save(
        path, {.compression = "GZIP", .shard_func = [](const Element& element) {
                 return element.to<int64_t>() % 3;
               }});
  }
  return Dataset::load(path);
}

Dataset source(Random& random, const Folder& folder) {
  const int64_t count = 1 + below(random, 40);
  switch (below(random, 7)) {
    case 3:
      return Dataset::random({.rerandomize_each_iteration = count % 2 == 0})
          .take(count);
    case 4:
      return Dataset::counter(count).take(count);
    case 5:
      return Dataset::from_generator([count] {
        return [count, i = int64_t{0}]() mutable -> std::optional<int64_t> {
          if (i == count) return std::nullopt;
          return i++;
        };
      });
    case 6:
      return saved(count, folder);
    case 0:
      return Dataset::range(count);
    case 1: {
      std::vector<std::string> texts;
      for (int64_t i = 0; i < count; ++i) texts.push_back(std::to_string(i));
      return Dataset::from_tensor_slices(Array::from_strings(texts));
    }
    default:
      return Dataset::from_tensor_slices(
          Element::dict({{"x", Element(Array::zeros({count, 3}))},
                         {"y", Element(Array::ones({count}))}}));
  }
}

// Two elements of each, which draw seeds of their own.
Dataset twice(const Element& element) {
  return Dataset::from_tensors(element).repeat(2).map(noisy);
}

Dataset regrouped(const Dataset& dataset, Random& random) {
  const int64_t size = 1 + below(random, 12);
  const int64_t calls = 1 + below(random, 3);
  switch (below(random, 10)) {
    case 0:
    case 1:
      return dataset.interleave(twice, {.cycle_length = 1 + size % 5,
                                        .block_length = 1 + size % 2,
                                        .num_parallel_calls = calls});
    case 2:
      return dataset.flat_map([](const Element& element) {
        if (internal::draw_seed() % 9 == 0) throw ValueError("a bad file");
        return twice(element).map(maybe_throw);
      });
    case 3:
      return dataset.window(size, {.shift = calls, .stride = 1 + size % 2})
          .flat_map([](Dataset window) { return window.take(2); });
    case 4:
      return dataset.batch(1).rebatch(calls).unbatch();
    case 5:
      return dataset.scan(0, [](int state, const Element& element) {
        return std::pair(state + 1, Element::tuple({Element(state), element}));
      });
    case 6:
      return dataset.unique();
    case 7:
      return dataset.group_by_window(
          [](const Element&) { return internal::draw_seed() % 3; },
          [](int64_t, Dataset window) { return window.map(noisy); },
          {.window_size = size});
    case 8:
      return dataset.ignore_errors().shard(2, size % 2);
    default:
      // Of each element: how far a cache below was filled ahead of an end in
      // its middle depends on timing.
      return dataset.flat_map([](Element element) {
        return Dataset::from_tensors(element).repeat(3).take_while(
            [](const Element&) { return internal::draw_seed() % 3 != 0; });
      });
  }
}

// A row of numbers of some length, for each element.
Dataset rows_of(const Dataset& dataset) {
  return dataset.map([](const Element&) {
    const uint64_t length = internal::draw_seed() % 5;
    return Array::from(std::vector<float>(length, 1.5F));
  });
}

// Its elements as texts, and others.
std::vector<Dataset> two_kinds(const Dataset& dataset, int64_t count) {
  const auto text = [](const Element& element) { return element.to_string(); };
  return {dataset.map(text), Dataset::range(count).map(text)};
}

Dataset collected(const Dataset& dataset, Random& random,
                  const Folder& folder) {
  const int64_t size = 1 + below(random, 12);
  const std::string path = io::join_path(folder, std::to_string(random()));
  switch (below(random, 12)) {
    case 0:
      return rows_of(dataset).padded_batch(size);
    case 1:
      return rows_of(dataset).ragged_batch(size);
    case 2:
      return rows_of(dataset).sparse_batch(size, {5});
    case 3:
      return rows_of(dataset).bucket_by_sequence_length(
          [](Array row) { return row.size(); },
          {.bucket_boundaries = {2, 4},
           .bucket_batch_sizes = {size, size + 1, 2}});
    case 4:
      return Dataset::sample_from_datasets(
          two_kinds(dataset, size),
          {.weights = {2, 1}, .rerandomize_each_iteration = size % 2 == 0});
    case 5:
      return Dataset::choose_from_datasets(two_kinds(dataset, size),
                                           Dataset::range(2).repeat(20));
    case 6:
      return dataset.rejection_resample(
          [](const Element&) { return internal::draw_seed() % 2; }, {0.3, 0.7});
    case 7:
    case 8:
      return folder.empty() ? dataset.cache() : dataset.cache(path);
    case 9:
    case 10:
      if (folder.empty()) return dataset.cache();
      return dataset.snapshot(path, {.compression = size % 2 ? "GZIP" : ""});
    default:
      return dataset.auto_shard(2, size % 2)
          .with_options({.autotune = {.enabled = size % 3 == 0}})
          .assert_cardinality(size);
  }
}

Dataset transformed(const Dataset& dataset, Random& random,
                    const Folder& folder) {
  const int64_t size = 1 + below(random, 12);
  const int64_t calls = 1 + below(random, 3);
  switch (below(random, 29)) {
    case 22:
    case 23:
    case 24:
    case 25:
    case 26:
    case 27:
    case 28:
      return collected(dataset, random, folder);
    case 14:
    case 15:
    case 16:
    case 17:
    case 18:
    case 19:
    case 20:
      return regrouped(dataset, random);
    case 0:
      return dataset.take(3 * size);
    case 1:
      return dataset.skip(size / 3);
    case 2:
      return dataset.repeat(1 + size % 3);
    case 3:
      return dataset.batch(1, {.num_parallel_calls = calls});
    case 4:
      return dataset.enumerate(size);
    case 5:
      return dataset.filter(
          [](const Element&) { return internal::draw_seed() % 4 != 0; });
    case 6:
      return dataset.concatenate(dataset);
    case 7:
      // Not twice the same: which of two readers at once begins a pass first
      // is a matter of time.
      return Dataset::zip(dataset, Dataset::range(5 * size).shuffle(size));
    case 8:
    case 9:
      return dataset.map(noisy, {.num_parallel_calls = calls});
    case 10:
      return dataset.shuffle(
          size, {.seed = size, .reshuffle_each_iteration = calls > 1});
    case 11:
      return dataset.prefetch(calls == 1 ? AUTOTUNE : size);
    case 12:
      return dataset.cache();
    default:
      return dataset.map(maybe_throw, {.num_parallel_calls = calls});
  }
}

Dataset pipeline(uint32_t seed, const Folder& folder) {
  set_random_seed(seed);
  Random random(seed);
  Dataset dataset = source(random, folder);
  for (int64_t left = 1 + below(random, 6); left > 0; --left) {
    dataset = transformed(dataset, random, folder);
  }
  return dataset.repeat(2).take(300);
}

// The names of the nodes, from the last one on.
std::string describe(const DatasetBase& node) {
  std::string text = node.name();
  for (const DatasetBase* input : node.inputs()) {
    text += " <- " + describe(*input);
  }
  return text;
}

// The next element as text: also an error, or the end.
std::string next_text(Iterator* it) {
  try {
    Element element;
    return it->get_next(&element) ? element.to_string() : "end";
  } catch (const Error& error) {
    return error.what();
  }
}

class RandomPipelines : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Seeds, RandomPipelines, ::testing::Range(0, 200));

// All elements of what is left; errors, too.
std::vector<std::string> rest(Iterator* it) {
  std::vector<std::string> all;
  do {
    all.push_back(next_text(it));
  } while (all.back() != "end" && all.size() < 500);
  return all;
}

TEST_P(RandomPipelines, GoOnWhereTheyWereSaved) {
  const LogCapture log;  // caches behind shuffles
  const testing::TemporaryFolder folder;
  const auto seed = static_cast<uint32_t>(GetParam());
  const auto in = [&](const char* name) {
    const auto own = folder.path() / name;
    std::filesystem::create_directory(own);
    return pipeline(seed, own.string());
  };
  SCOPED_TRACE(describe(*in("unbroken").node()));
  Iterator unbroken = in("unbroken").iterator();
  const std::vector<std::string> all = rest(&unbroken);
  Random random(seed + 1000);
  const int64_t position = below(random, static_cast<int64_t>(all.size()));
  const std::vector<std::string> left(all.begin() + position, all.end());
  Iterator it = in("broken").iterator();
  for (int64_t i = 0; i < position; ++i) next_text(&it);
  const std::string state = it.save();
  std::filesystem::copy(folder.path() / "broken", folder.path() / "restored",
                        std::filesystem::copy_options::recursive);
  // In another run the seeds that are drawn differ.
  Iterator restored = in("restored").iterator(state);
  EXPECT_EQ(restored.save().size(), state.size());
  EXPECT_EQ(rest(&restored), left) << "after " << position;
  EXPECT_EQ(rest(&it), left) << "saving changed it, at " << position;
}

// Whatever the object that saved a state has read since.
TEST_P(RandomPipelines, GoBackInTheSameObject) {
  const LogCapture log;
  const Dataset dataset = pipeline(static_cast<uint32_t>(GetParam()), "");
  SCOPED_TRACE(describe(*dataset.node()));
  Random random(static_cast<uint32_t>(GetParam()));
  Iterator it = dataset.iterator();
  for (int64_t i = below(random, 50); i > 0; --i) next_text(&it);
  const std::string state = it.save();
  const std::vector<std::string> left = rest(&it);
  for (int again = 0; again < 2; ++again) {
    Iterator restored = dataset.iterator(state);
    EXPECT_EQ(rest(&restored), left);
  }
}

TEST(RandomPipelinesTest, StoppedEarlyTheyLeaveNothingBehind) {
  const LogCapture log;
  const testing::TemporaryFolder folder;
  const int64_t threads = testing::process_threads();
  for (uint32_t seed = 0; seed < 40; ++seed) {
    const auto own = folder.path() / std::to_string(seed);
    Iterator it = pipeline(seed, own.string()).iterator();
    for (uint32_t i = 0; i < seed % 7; ++i) next_text(&it);
  }
  EXPECT_TRUE(testing::threads_come_down_to(threads));
}

}  // namespace
}  // namespace systolic::data
