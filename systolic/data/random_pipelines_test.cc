// Pipelines of random transforms, saved and restored at random places.
#include <gtest/gtest.h>

#include <random>

#include "systolic/base/seed.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

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

Dataset source(Random& random) {
  const int64_t count = 1 + below(random, 40);
  switch (below(random, 3)) {
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
      return dataset.take_while(
          [](const Element&) { return internal::draw_seed() % 30 != 0; });
  }
}

Dataset transformed(const Dataset& dataset, Random& random) {
  const int64_t size = 1 + below(random, 12);
  const int64_t calls = 1 + below(random, 3);
  switch (below(random, 22)) {
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

Dataset pipeline(uint32_t seed) {
  set_random_seed(seed);
  Random random(seed);
  Dataset dataset = source(random);
  for (int64_t left = 1 + below(random, 6); left > 0; --left) {
    dataset = transformed(dataset, random);
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

TEST_P(RandomPipelines, GoOnWhereTheyWereSaved) {
  LogCapture log;  // caches behind shuffles
  SCOPED_TRACE(describe(*pipeline(static_cast<uint32_t>(GetParam())).node()));
  const auto seed = static_cast<uint32_t>(GetParam());
  std::vector<std::string> all;
  {
    Iterator it = pipeline(seed).iterator();
    do {
      all.push_back(next_text(&it));
    } while (all.back() != "end" && all.size() < 500);
  }
  Random random(seed + 1000);
  const auto position =
      static_cast<size_t>(below(random, static_cast<int64_t>(all.size())));
  const Dataset first = pipeline(seed);
  Iterator it = first.iterator();
  for (size_t i = 0; i < position; ++i) ASSERT_EQ(next_text(&it), all[i]);
  const std::string state = it.save();
  // In another run the seeds that are drawn differ.
  const Dataset second = pipeline(seed);
  Iterator restored = second.iterator(state);
  EXPECT_EQ(restored.save().size(), state.size());
  for (size_t i = position; i < all.size(); ++i) {
    ASSERT_EQ(next_text(&restored), all[i]) << "after " << position;
    ASSERT_EQ(next_text(&it), all[i]) << "saving changed the iterator";
  }
}

TEST(RandomPipelinesTest, StoppedEarlyTheyLeaveNothingBehind) {
  LogCapture log;
  const int64_t threads = testing::process_threads();
  for (uint32_t seed = 0; seed < 40; ++seed) {
    Iterator it = pipeline(seed).iterator();
    for (uint32_t i = 0; i < seed % 7; ++i) next_text(&it);
  }
  EXPECT_EQ(testing::process_threads(), threads);
}

}  // namespace
}  // namespace systolic::data
