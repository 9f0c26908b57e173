#include "systolic/data/iterator_state.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"

namespace systolic::data {
namespace {

// A pipeline of the same nodes that reads something else is another one.
TEST(IteratorStateTest, KnowsTheLengthOfItsPipeline) {
  const std::string state = Dataset::range(100).iterator().save();
  const std::string error =
      text_of<ValueError>([&] { Dataset::range(5).iterator(state); });
  EXPECT_NE(error.find("range"), std::string::npos) << error;
  EXPECT_NE(error.find("100 elements"), std::string::npos) << error;
  EXPECT_NE(error.find("5 elements"), std::string::npos) << error;
}

TEST(IteratorStateTest, KnowsTheParametersOfItsNodes) {
  const Dataset range = Dataset::range(100);
  const auto error_of = [](const Dataset& wanted, const Dataset& saved) {
    const std::string state = saved.iterator().save();
    return text_of<ValueError>([&] { wanted.iterator(state); });
  };
  EXPECT_EQ(error_of(range.shuffle(10), range.shuffle(20)),
            "iterator state: expected buffer_size 10, reshuffle_each_iteration "
            "in the state of shuffle, got buffer_size 20, "
            "reshuffle_each_iteration\n"
            "  hint: a state is restored into a pipeline of the same nodes and "
            "parameters as the one that saved it");
  const auto expect_differs = [&](const Dataset& wanted, const Dataset& saved,
                                  const char* expected, const char* got) {
    const std::string error = error_of(wanted, saved);
    EXPECT_NE(error.find(expected), std::string::npos) << error;
    EXPECT_NE(error.find(got), std::string::npos) << error;
  };
  expect_differs(range.batch(8), range.batch(9), "batch_size 8", "got batch_s");
  expect_differs(range.padded_batch(8), range.padded_batch(9), "batch_size 8",
                 "got batch_size 9");
  expect_differs(Dataset::range(0, 10, 2), Dataset::range(1, 11, 2),
                 "start 0, step 2", "got start 1, step 2");
  expect_differs(range.shard(4, 1), range.shard(4, 2), "num_shards 4, index 1",
                 "got num_shards 4, index 2");
  expect_differs(range.window(4), range.window(4, {.stride = 2}), "stride 1",
                 "stride 2");
  const auto one = [](int64_t x) { return Dataset::range(x); };
  expect_differs(range.interleave(one, {.cycle_length = 2}),
                 range.interleave(one, {.cycle_length = 3}), "cycle_length 2",
                 "got cycle_length 3");
  const auto same = [](int64_t x) { return x; };
  expect_differs(range.map(same),
                 range.map(same, {.num_parallel_calls = AUTOTUNE}),
                 "num_parallel_calls 1", "got num_parallel_calls above 1");
  expect_differs(Dataset::from_tensors(1.f), Dataset::from_tensors(1),
                 "float32[]", "got int32[]");
  expect_differs(
      Dataset::sample_from_datasets({range, range}),
      Dataset::sample_from_datasets({range, range}, {.weights = {1, 3}}),
      "weights [1. 1.]", "got weights [1. 3.]");
  // Also of what a function made.
  const auto batches_of = [&](int64_t size) {
    return range.flat_map(
        [size](int64_t) { return Dataset::range(50).batch(size); });
  };
  Iterator it = batches_of(5).iterator();
  it.next();
  const std::string error =
      text_of<ValueError>([&] { batches_of(6).iterator(it.save()); });
  EXPECT_NE(error.find(
                "batch_size 6, num_parallel_calls 1 in the state of batch, got "
                "batch_size 5"),
            std::string::npos)
      << error;
}

// Threads that run ahead begin no pass between two fields of a state.
TEST(IteratorStateTest, IsOfOneMoment) {
  const auto build = [] {
    return Dataset::zip(
        Dataset::range(50)
            .shuffle(50, {.seed = 1})
            .repeat()
            .map([](int64_t x) {
              std::this_thread::sleep_for(std::chrono::microseconds(100));
              return x;
            })
            .prefetch(30),
        Dataset::range(40'000)
            .map([](int64_t x) { return std::to_string(x); })
            .shuffle(20'000, {.seed = 1}));
  };
  for (const int place : {45, 46, 47, 48, 49}) {
    Iterator unbroken = build().iterator();
    for (int i = 0; i < place; ++i) unbroken.next();
    Iterator resumed = build().iterator(unbroken.save());
    for (int i = 0; i < 60; ++i) {
      ASSERT_TRUE(element_equal(unbroken.next(), resumed.next())) << place;
    }
  }
}

TEST(IteratorStateTest, FieldsComeBackAsTheyWere) {
  const Element element = Element::dict(
      {{"image", Element(Array::from<float>({1.5f, -2.0f, 0.0f}))},
       {"names", Element::tuple({Element(Array::from_strings({"a", "", "bc"})),
                                 Element(Array::scalar(true)), Element()})}});
  StateWriter writer;
  writer.begin("node");
  for (const int64_t value :
       {int64_t{0}, int64_t{-1}, int64_t{300}, INT64_MAX, INT64_MIN}) {
    writer.write_int(value);
  }
  writer.write_bool(true);
  writer.write_string(std::string("x\0y", 3));
  writer.write_element(element);
  writer.write_error(std::make_exception_ptr(ShapeError("broken")));
  const std::string bytes = writer.take();

  StateReader reader(bytes);
  reader.expect("node");
  for (const int64_t value :
       {int64_t{0}, int64_t{-1}, int64_t{300}, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(reader.read_int(), value);
  }
  EXPECT_TRUE(reader.read_bool());
  EXPECT_EQ(reader.read_string(), std::string("x\0y", 3));
  EXPECT_TRUE(element_equal(reader.read_element(), element));
  EXPECT_THROW(std::rethrow_exception(reader.read_error()), ShapeError);
  reader.expect_end();
}

TEST(IteratorStateTest, NumbersAreSmall) {
  StateWriter writer;
  const size_t empty = StateWriter().take().size();
  writer.write_int(-5);
  EXPECT_EQ(writer.take().size() - empty, 2);
}

TEST(IteratorStateTest, DamageIsNoticed) {
  StateWriter writer;
  writer.begin("range");
  writer.write_int(7);
  const std::string bytes = writer.take();
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_THROW(StateReader reader(damaged), DataError) << bit;
  }
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(StateReader reader(std::string_view(bytes).substr(0, size)),
                 DataError);
  }
  EXPECT_EQ(text_of<DataError>([] { StateReader reader("hello"); }),
            "iterator state: expected the bytes that Iterator::save() "
            "returned, got 5 other bytes");
}

TEST(IteratorStateTest, StateOfAnotherPipelineNamesBoth) {
  Iterator it = Dataset::range(5).take(3).iterator();
  it.next();
  const std::string state = it.save();
  EXPECT_EQ(text_of<ValueError>([&] { Dataset::range(5).iterator(state); }),
            "iterator state: expected the state of range, got that of take\n"
            "  hint: a state is restored into a pipeline of the same nodes and "
            "parameters as the one that saved it");
  EXPECT_THROW(Dataset::range(5).take(3).skip(0).iterator(state), ValueError);
  EXPECT_THROW(
      Dataset::range(5).iterator(Dataset::range(3).take(2).iterator().save()),
      ValueError);
}

class NoState final : public DatasetBase {
 public:
  std::string name() const override { return "mine"; }
  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext&) const override {
    class It final : public IteratorBase {
      bool get_next(Element*) override { return false; }
    };
    return std::make_unique<It>();
  }
  int64_t cardinality() const override { return 0; }
  ElementSpec element_spec() const override { return ElementSpec(); }
};

TEST(IteratorStateTest, NodeWithoutSaveIsNamed) {
  const Dataset dataset = Dataset(std::make_shared<NoState>()).take(2);
  Iterator it = dataset.iterator();
  EXPECT_EQ(text_of<TypeError>([&] { it.save(); }),
            "iterator state: expected a data set whose nodes can save their "
            "position, got one that cannot, below take\n  hint: override save "
            "and restore in the node's iterator");
}

// Saves after each number of elements and compares what is left with a run
// that was not broken. Each run has a pipeline of its own.
template <class Build>
void check_every_position(const Build& build) {
  std::vector<Element> all;
  for (const Element& element : build()) all.push_back(element);
  const Dataset saved = build();
  Iterator it = saved.iterator();
  for (size_t position = 0; position <= all.size(); ++position) {
    Iterator other = build().iterator(it.save());
    Element element;
    for (size_t i = position; i < all.size(); ++i) {
      ASSERT_TRUE(other.get_next(&element)) << position << " " << i;
      ASSERT_TRUE(element_equal(element, all[i])) << position << " " << i;
    }
    EXPECT_FALSE(other.get_next(&element));
    EXPECT_EQ(it.get_next(&element), position < all.size());
  }
  EXPECT_FALSE(build().iterator(it.save()).get_next(all.data()));
}

TEST(IteratorStateTest, SimpleNodesGoOnWhereTheyWere) {
  const Dataset range = Dataset::range(-3, 20, 2);
  const auto check = [](const Dataset& dataset) {
    check_every_position([&] { return dataset; });
  };
  check(range);
  check(Dataset::from_tensor_slices(Array::from<float>({1, 2, 3}),
                                    Array::from_strings({"x", "y", "z"})));
  check(range.skip(2).take(4));
  check(range.enumerate(5).batch(5));
  check(range.map([](int64_t x) { return x * x; }).filter([](int64_t x) {
    return x % 3 == 0;
  }));
  check(Dataset::zip(range, range.repeat(2)));
  check(range.take(2).concatenate(range.skip(8)).repeat(3));
  check(Dataset::from_tensor_slices(Array::from<int8_t>({1, 2, 3, 4, 5}))
            .batch(2)
            .repeat(2));
}

TEST(IteratorStateTest, BuffersAndThreadsGoOnWhereTheyWere) {
  const Dataset range = Dataset::range(23);
  const auto square = [](int64_t x) { return x * x; };
  check_every_position(
      [&] { return range.map(square, {.num_parallel_calls = 3}).repeat(2); });
  check_every_position(
      [&] { return range.batch(4, {.num_parallel_calls = 2}); });
  check_every_position(
      [&] { return range.shuffle(7, {.seed = 3}).repeat(3).prefetch(4); });
  check_every_position([&] {
    return range.shuffle(50, {.seed = 3, .reshuffle_each_iteration = false})
        .batch(4)
        .repeat(2);
  });
  check_every_position(
      [&] { return range.map(square).cache().repeat(3).batch(5); });
}

TEST(IteratorStateTest, TheSeedsThatWereDrawnAreRestored) {
  const auto build = [] { return Dataset::range(40).shuffle(9).repeat(2); };
  const Dataset dataset = build();
  Iterator it = dataset.iterator();
  for (int i = 0; i < 15; ++i) it.next();
  Iterator other = build().iterator(it.save());
  Element a, b;
  while (it.get_next(&a)) {
    ASSERT_TRUE(other.get_next(&b));
    ASSERT_TRUE(element_equal(a, b));
  }
  EXPECT_FALSE(other.get_next(&b));
}

}  // namespace
}  // namespace systolic::data
