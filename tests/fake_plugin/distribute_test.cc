// Batches on their way to devices that do not take them.
#include "systolic/distribute/distributed_dataset.h"
#include "systolic/distribute/host_step.h"
#include "systolic/distribute/strategy.h"
#include "systolic/graph/placement.h"
#include "systolic/testing/environment_guard.h"
#include "tests/fake_plugin/fixture.h"

namespace systolic::internal::pjrt::fake {
namespace {

// What belongs to all replicas is of the default placement first: it runs on
// the fake plugin too.
class DistributeTest : public FakePluginTest {
 protected:
  void SetUp() override {
    control().reset();
    graph::Placement::current_default();  // stays open
    FakePluginTest::SetUp();
  }

 private:
  systolic::testing::EnvironmentGuard plugin_{"SYSTOLIC_PLATFORM_CPU", kPath};
};

using systolic::distribute::DistributedDataset;
using systolic::distribute::DistributedIterator;

// The numbers of the next batch, as the first replica has them.
std::string next(DistributedIterator& iterator) {
  return iterator.next().value()[0].numpy().to_string();
}

TEST_F(DistributeTest, ABatchThatCouldNotBeSentIsSentByTheNextCall) {
  const DistributedDataset dataset(
      std::shared_ptr<distribute::DistributedSource>(
          new distribute::DistributedSource{
              data::Dataset::range(6).batch(2),
              graph::Placement::replicas(cpu().devices()), false}));
  DistributedIterator iterator = dataset.iterator();
  EXPECT_EQ(next(iterator), "[0]");
  control().wishes.failing = kBufferFromHost.index;
  EXPECT_THROW(iterator.next(), PlatformError);
  EXPECT_THROW(iterator.next(), PlatformError);
  control().reset();
  DistributedIterator restored = dataset.iterator(iterator.save());
  for (DistributedIterator* each : {&iterator, &restored}) {
    EXPECT_EQ(next(*each), "[2]");
    EXPECT_EQ(next(*each), "[4]");
    EXPECT_FALSE(each->get_next_as_optional());
  }
}

class Replicas : public systolic::distribute::StrategyBase {
 public:
  using StrategyBase::StrategyBase;
  std::string_view class_name() const override { return "Replicas"; }
};

// Nor are those of a stack, and what the data threw behind them comes in its
// place.
TEST_F(DistributeTest, AStackThatCouldNotBeSentIsSentByTheNextCall) {
  const auto* placement = graph::Placement::replicas(cpu().devices());
  const systolic::distribute::Strategy strategy(
      std::make_shared<Replicas>(placement));
  const auto fails = [](const Array& batch) {
    if (batch[0].item<int64_t>() == 4) throw DataError("4 is bad");
    return batch;
  };
  const DistributedDataset dataset =
      strategy.distribute_dataset(data::Dataset::range(8).batch(2).map(fails));
  DistributedIterator iterator = dataset.iterator();
  const auto run = [&](DistributedIterator& from, int64_t steps) {
    return strategy.run_steps([](const Tensor&) {}, from, steps);
  };
  control().wishes.failing = kBufferFromHost.index;
  const std::pair<int64_t, std::string> calls[] = {
      {4, "steps 1 to 2"}, {1, "step 1"}, {2, "steps 1 to 2"}, {1, "step 1"}};
  for (const auto& [steps, told] : calls) {
    const std::string words =
        words_of<PlatformError>([&, n = steps] { run(iterator, n); });
    EXPECT_TRUE(words.ends_with("in: strategy.run_steps, " + told)) << words;
  }
  control().reset();
  const std::string state = iterator.save();
  DistributedIterator restored = dataset.iterator(state);
  for (DistributedIterator* each : {&iterator, &restored}) {
    EXPECT_EQ(next(*each), "[0]");
    EXPECT_EQ(next(*each), "[2]");
    EXPECT_EQ(words_of<DataError>([&] { each->next(); }),
              "map (element 2): 4 is bad");
    EXPECT_EQ(next(*each), "[6]");
    EXPECT_FALSE(each->get_next_as_optional());
  }
  DistributedIterator again = dataset.iterator(state);
  EXPECT_EQ(words_of<DataError>([&] { run(again, 4); }),
            "map (element 2): 4 is bad\n  in: strategy.run_steps, step 3");
  EXPECT_EQ(run(again, 4), 1);
}

}  // namespace
}  // namespace systolic::internal::pjrt::fake
