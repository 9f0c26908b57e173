#include "systolic/graph/storage.h"
#include "systolic/graph/test_fixture.h"

namespace systolic::internal::graph {
namespace {

using Floats = std::vector<float>;

class StoragePlatformTest : public GraphTest {
 protected:
  static const Placement* on(int index) {
    return Placement::single(client().device(index));
  }
  static runtime::Counters& counters() { return runtime::counters(); }
  // One buffer on each device, whose values tell them apart.
  static Storage spread() {
    std::vector<runtime::BufferPtr> buffers;
    for (int i = 0; i < 8; ++i) {
      buffers.push_back(runtime::to_device(Array::from({static_cast<float>(i)}),
                                           client().device(i)));
    }
    return Storage(eight(), std::move(buffers));
  }
};

TEST_F(StoragePlatformTest, HostValueIsSentToEachPlacementOnce) {
  Storage storage(Array::from({1.f, 2.f}));
  EXPECT_EQ(storage.placement(), nullptr);
  EXPECT_EQ(floats(storage.host()), (Floats{1, 2}));
  EXPECT_EQ(storage.replicas().size(), 1u);
  const uint64_t sent = counters().host_to_device_transfers;
  const auto first = storage.on(on(1));
  EXPECT_EQ(storage.on(on(1)), first);
  EXPECT_EQ(counters().host_to_device_transfers, sent + 1);
  EXPECT_EQ(storage.on(eight()).size(), 8u);
  EXPECT_EQ(storage.on(on(1)), first);
  EXPECT_EQ(floats(runtime::to_host(*storage.on(eight())[7])), (Floats{1, 2}));
}

TEST_F(StoragePlatformTest, DeviceValueIsFetchedOnce) {
  Storage storage(on(2),
                  {runtime::to_device(Array::from({3.f}), client().device(2))});
  EXPECT_EQ(storage.placement(), on(2));
  const uint64_t fetched = counters().device_to_host_transfers;
  EXPECT_EQ(floats(storage.host()), (Floats{3}));
  EXPECT_EQ(floats(storage.host()), (Floats{3}));
  EXPECT_EQ(counters().device_to_host_transfers, fetched + 1);
}

TEST_F(StoragePlatformTest, ReplicasAreEachDevicesOwn) {
  Storage storage = spread();
  const std::vector<Array> replicas = storage.replicas();
  ASSERT_EQ(replicas.size(), 8u);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(replicas[i].item<float>(), static_cast<float>(i));
  }
  EXPECT_EQ(storage.host().item<float>(), 0.f);
}

TEST_F(StoragePlatformTest, OneOfTheDevicesHasItAlready) {
  Storage storage = spread();
  const uint64_t copies = counters().device_to_device_copies;
  EXPECT_EQ(floats(runtime::to_host(*storage.on(on(5))[0])), (Floats{5}));
  EXPECT_EQ(counters().device_to_device_copies, copies);
  storage.on(one());
  EXPECT_EQ(counters().device_to_device_copies, copies)
      << "another client: over the host";
}

TEST_F(StoragePlatformTest, MovingDropsTheOtherCopies) {
  Storage storage(Array::from({1.f, 2.f}));
  const int64_t before = buffers();
  storage.on(on(1));
  storage.on(on(2));
  EXPECT_EQ(buffers(), before + 2);
  storage.move_to(on(3));
  EXPECT_EQ(buffers(), before + 1);
  EXPECT_EQ(storage.placement(), on(3));
  storage.move_to(eight());
  EXPECT_EQ(buffers(), before + 8);
  EXPECT_EQ(floats(storage.replicas()[6]), (Floats{1, 2}));
  storage.move_to(eight());
  EXPECT_EQ(buffers(), before + 8);
}

TEST_F(StoragePlatformTest, TakenMemoryIsRestoredFromTheHostsCopy) {
  const auto taken = [](Storage& storage) {
    for (const auto& buffer : storage.on(storage.placement())) {
      buffer->exchange_donated(true);
    }
    EXPECT_TRUE(storage.is_donated());
  };
  Storage seen(on(1),
               {runtime::to_device(Array::from({3.f}), client().device(1))});
  EXPECT_TRUE(seen.restore()) << "nothing to do";
  EXPECT_EQ(seen.placement(), on(1));
  seen.host();
  taken(seen);
  EXPECT_TRUE(seen.restore());
  EXPECT_FALSE(seen.is_donated());
  EXPECT_EQ(floats(runtime::to_host(*seen.on(on(1))[0])), (Floats{3}));

  Storage unseen(on(1),
                 {runtime::to_device(Array::from({3.f}), client().device(1))});
  taken(unseen);
  EXPECT_FALSE(unseen.restore());
  Storage many = spread();
  many.host();
  taken(many);
  EXPECT_FALSE(many.restore()) << "the host has the first replica's only";
}

}  // namespace
}  // namespace systolic::internal::graph
