// Batches on their way to devices that do not take them.
#include "systolic/distribute/distributed_dataset.h"
#include "systolic/distribute/host_step.h"
#include "systolic/graph/placement.h"
#include "tests/fake_plugin/fixture.h"

namespace systolic::internal::pjrt::fake {
namespace {

using DistributeTest = FakePluginTest;
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

}  // namespace
}  // namespace systolic::internal::pjrt::fake
