// Calls that fail under recorded programs: the exception reaches the line that
// reads, nothing is lost, and the variables can be used afterwards.
#include "systolic/graph/elementwise.h"
#include "systolic/graph/variable.h"
#include "systolic/testing/environment_guard.h"
#include "tests/fake_plugin/fixture.h"

namespace systolic::internal::pjrt::fake {
namespace {

// Programs of the default placement run on the fake plugin.
class GraphTest : public FakePluginTest {
 protected:
  void SetUp() override {
    control().reset();
    step();  // what is kept from now on is there
    FakePluginTest::SetUp();
  }

  static void step() {
    Variable weights(two());
    weights.assign_add(two(3));
    weights.numpy();
  }

 private:
  systolic::testing::EnvironmentGuard plugin_{"SYSTOLIC_PLATFORM_CPU", kPath};
};

TEST_F(GraphTest, EachFailureReachesTheReader) {
  control().reset();
  step();
  const std::array<int, kFunctions> calls = control().calls;
  int failures = 0;
  for (size_t f = 0; f < kFunctions; ++f) {
    for (int nth = 0; nth < calls[f]; ++nth, ++failures) {
      control().reset();
      control().wishes.failing = static_cast<int>(f);
      control().wishes.calls_before = nth;
      const std::string what =
          std::string(control().names[f]) + ", call " + std::to_string(nth);
      logged_.clear();
      const std::string words = words_of<PlatformError>([] { step(); });
      EXPECT_TRUE(contains(words + logged_, control().names[f])) << what;
      control().reset();
      expect_nothing_lost(what);
    }
  }
  EXPECT_GT(failures, 5);
  EXPECT_GT(calls[static_cast<size_t>(kLoadedExecute.index)], 0);
}

TEST_F(GraphTest, VariableSurvivesALaunchThatFails) {
  Variable weights(two());
  EXPECT_EQ(weights.numpy().span<float>()[1], 2);
  control().wishes.failing = kLoadedExecute.index;
  EXPECT_THROW(
      {
        weights.assign_add(two(3));
        weights.numpy();
      },
      PlatformError);
  control().reset();
  EXPECT_NO_THROW(weights.assign(two(5)));
  EXPECT_EQ(weights.numpy().span<float>()[0], 5);
}

TEST_F(GraphTest, ValueThatNeverComesIsGivenUp) {
  Variable weights(two());
  weights.assign_add(two(3));
  const systolic::testing::EnvironmentGuard limit("SYSTOLIC_DEADLINE", "0.1");
  control().wishes.ready = {Firing::never};
  EXPECT_TRUE(contains(words_of<PlatformError>([&] { weights.numpy(); }),
                       "devices without answer: "));
  control().reset();
  EXPECT_EQ(weights.numpy().span<float>().size(), 2U);
}

}  // namespace
}  // namespace systolic::internal::pjrt::fake
