#include "systolic/graph/context.h"
#include "systolic/graph/placement.h"
#include "systolic/graph/test_fixture.h"

namespace systolic::internal::graph {
namespace {

using PlacementPlatformTest = GraphTest;
using Floats = std::vector<float>;

TEST_F(PlacementPlatformTest, SameDevicesAreTheSamePlacement) {
  EXPECT_EQ(Placement::single(client().device(3)),
            Placement::single(client().device(3)));
  EXPECT_NE(Placement::single(client().device(3)),
            Placement::single(client().device(4)));
  EXPECT_EQ(Placement::replicas(client().devices()), eight());
  EXPECT_NE(Placement::replicas({client().device(0), client().device(1)}),
            Placement::replicas({client().device(1), client().device(0)}));
  EXPECT_EQ(Placement::replicas({client().device(2)}),
            Placement::single(client().device(2)))
      << "one replica has nobody to talk to";
}

TEST_F(PlacementPlatformTest, KnowsItsDevices) {
  EXPECT_EQ(eight()->num_replicas(), 8);
  EXPECT_TRUE(eight()->is_replicated());
  EXPECT_EQ(&eight()->client(), &client());
  EXPECT_EQ(eight()->find(client().device(5)), 5);
  const Placement* third = Placement::single(client().device(2));
  EXPECT_FALSE(third->is_replicated());
  EXPECT_EQ(third->find(client().device(2)), 0);
  EXPECT_EQ(third->find(client().device(1)), -1);
  EXPECT_EQ(third->find(one()->devices()[0]), -1) << "another client's";
}

TEST_F(PlacementPlatformTest, WrongDevicesAreRefused) {
  EXPECT_EQ(message_of<ValueError>([] { Placement::replicas({}); }),
            "placement: expected at least one device, got none");
  EXPECT_EQ(message_of<ValueError>([] {
              Placement::replicas({client().device(0), one()->devices()[0]});
            }),
            "placement: expected devices of one platform, got cpu:0 and cpu:0");
}

TEST_F(PlacementPlatformTest, GuardsNest) {
  const Placement* before = Placement::current_default();
  const Placement* second = Placement::single(client().device(1));
  const Placement* third = Placement::single(client().device(2));
  {
    const PlacementGuard outer(second);
    EXPECT_EQ(Placement::current_default(), second);
    {
      const PlacementGuard inner(third);
      EXPECT_EQ(Placement::current_default(), third);
    }
    EXPECT_EQ(Placement::current_default(), second);
    const Placement* elsewhere = nullptr;
    std::thread([&] { elsewhere = Placement::current_default(); }).join();
    EXPECT_EQ(elsewhere, before) << "other threads have their own";
  }
  EXPECT_EQ(Placement::current_default(), before);
}

TEST_F(PlacementPlatformTest, ProcessDefaultIsForThreadsThatHaveNone) {
  const Placement* before = Placement::current_default();
  const Placement* third = Placement::single(client().device(2));
  set_process_placement(third);
  EXPECT_EQ(Placement::current_default(), third);
  const Placement* elsewhere = nullptr;
  std::thread([&] { elsewhere = Placement::current_default(); }).join();
  EXPECT_EQ(elsewhere, third);
  set_process_placement(nullptr);
  EXPECT_EQ(Placement::current_default(), before);
}

TEST_F(PlacementPlatformTest, EagerOpsGoWhereTheGuardSays) {
  const Tensor x = vector({1, 2});
  Tensor y;
  {
    const PlacementGuard guard(Placement::single(client().device(5)));
    y = x * 2.f;
  }
  EXPECT_EQ(y.device(), "/job:localhost/replica:0/task:0/device:CPU:5");
  EXPECT_EQ(floats(y), (Floats{2, 4}));
  EXPECT_EQ(y.device(), "/job:localhost/replica:0/task:0/device:CPU:5");
}

// A program for one device runs on every device without a new compilation.
TEST_F(PlacementPlatformTest, ProgramOfOneDeviceRunsOnEveryDevice) {
  const auto run = [](int index) {
    const PlacementGuard guard(Placement::single(client().device(index)));
    return floats(sin(vector({1, 2, 3})));
  };
  const Floats first = run(0);
  for (int i = 1; i < 8; ++i) EXPECT_EQ(run(i), first);
  EXPECT_EQ(compiles(), 1u);
  EXPECT_EQ(floats(sin(vector({1, 2, 3}))), first);
  EXPECT_EQ(compiles(), 2u) << "another client has its own";
}

TEST_F(PlacementPlatformTest, ValuesAreCopiedBetweenDevicesOnce) {
  const Placement* second = Placement::single(client().device(1));
  const Placement* third = Placement::single(client().device(2));
  Tensor x;
  {
    const PlacementGuard guard(second);
    x = vector({1, 2, 3, 4}) * 1.f;
    x.numpy();
  }
  auto& counters = runtime::counters();
  const uint64_t copies = counters.device_to_device_copies;
  const uint64_t bytes = counters.device_to_device_bytes;
  {
    const PlacementGuard guard(third);
    EXPECT_EQ(floats(x * 2.f), (Floats{2, 4, 6, 8}));
    EXPECT_EQ(counters.device_to_device_copies, copies + 1);
    EXPECT_EQ(counters.device_to_device_bytes, bytes + 16);
    EXPECT_EQ(floats(x * 3.f), (Floats{3, 6, 9, 12}));
    EXPECT_EQ(counters.device_to_device_copies, copies + 1);
  }
  const PlacementGuard guard(second);
  floats(x * 2.f);
  EXPECT_EQ(counters.device_to_device_copies, copies + 1);
}

TEST_F(PlacementPlatformTest, PendingValuesOfAnotherDeviceAreComputedThere) {
  Tensor x;
  {
    const PlacementGuard guard(Placement::single(client().device(1)));
    x = vector({1, 2}) + 1.f;
  }
  const PlacementGuard guard(Placement::single(client().device(2)));
  const Tensor y = x * 10.f;
  EXPECT_EQ(floats(y), (Floats{20, 30}));
  EXPECT_EQ(x.device(), "/job:localhost/replica:0/task:0/device:CPU:1");
  EXPECT_EQ(y.device(), "/job:localhost/replica:0/task:0/device:CPU:2");
}

TEST_F(PlacementPlatformTest, ValuesOfAnotherClientGoOverTheHost) {
  const Tensor x = vector({1, 2}) * 1.f;
  x.numpy();
  const uint64_t copies = runtime::counters().client_to_client_copies;
  const PlacementGuard guard(Placement::single(client().device(0)));
  EXPECT_EQ(floats(x * 2.f), (Floats{2, 4}));
  EXPECT_EQ(runtime::counters().client_to_client_copies, copies + 1);
}

TEST_F(PlacementPlatformTest, ReplicatedStateIsReadWhereItIs) {
  Variable w(vector({1, 2}));
  {
    Step step(eight(), "strategy.run");
    w.assign_add(1.f);
    step.commit({});
  }
  auto& counters = runtime::counters();
  const uint64_t copies = counters.device_to_device_copies;
  const PlacementGuard guard(Placement::single(client().device(3)));
  EXPECT_EQ(floats(w * 2.f), (Floats{4, 6}));
  EXPECT_EQ(counters.device_to_device_copies, copies) << "its replica is there";
}

TEST_F(PlacementPlatformTest, VariablesAreMadeWhereTheScopeSays) {
  EXPECT_EQ(variable_placement(), Placement::current_default());
  {
    const VariablePlacementGuard guard(eight());
    EXPECT_EQ(variable_placement(), eight());
    EXPECT_EQ(Variable(vector({1})).state()->placement, eight());
  }
  EXPECT_EQ(variable_placement(), Placement::current_default());
}

}  // namespace
}  // namespace systolic::internal::graph
