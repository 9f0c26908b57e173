#include <algorithm>

#include "systolic/graph/region.h"
#include "systolic/graph/test_fixture.h"

namespace systolic::internal::graph {
namespace {

using RegionPlatformTest = GraphTest;
using Floats = std::vector<float>;

const TensorSpec kPair{DType::float32, Shape{2}};

TEST_F(RegionPlatformTest, BodyRunsOnceOnParameters) {
  int runs = 0;
  const Recorded recorded =
      record_region(std::vector{kPair}, "a test", [&](const auto& v) {
        ++runs;
        EXPECT_TRUE(context().in_step);
        EXPECT_EQ(context().step_name, "a test");
        EXPECT_EQ(v[0].spec(), kPair);
        return std::vector{v[0] * 2.f};
      });
  EXPECT_EQ(runs, 1);
  EXPECT_FALSE(context().in_step);
  ASSERT_EQ(recorded.region->parameters.size(), 1u);
  EXPECT_EQ(recorded.region->parameters[0]->region, recorded.region->id);
  EXPECT_EQ(recorded.results[0].ref().node->region, recorded.region->id);
  EXPECT_TRUE(recorded.variables.empty());
}

TEST_F(RegionPlatformTest, CapturesAreWhatComesFromOutside) {
  const Tensor data = vector({1, 2});
  const Tensor pending = data + 1.f;
  const Tensor unused = data + 2.f;
  const Recorded recorded =
      record_region(std::vector{kPair}, "a test", [&](const auto& v) {
        const Tensor twice = v[0] * data + pending * data;
        return std::vector{twice + 3.f, v[0]};
      });
  Region& region = *recorded.region;
  close_region(region, {recorded.results[0].ref(), recorded.results[1].ref()});
  ASSERT_EQ(region.captures.size(), 2u) << "each once, no scalars";
  const auto has = [&](const Tensor& t) {
    return std::ranges::find(region.captures, t.ref()) != region.captures.end();
  };
  EXPECT_TRUE(has(data));
  EXPECT_TRUE(has(pending));
  EXPECT_FALSE(has(unused));
}

TEST_F(RegionPlatformTest, ParameterOfAnotherRegionIsACapture) {
  const Recorded outer =
      record_region(std::vector{kPair}, "outer", [&](const auto& v) {
        const Recorded inner = record_region(
            std::vector{kPair}, "inner",
            [&](const auto& w) { return std::vector{v[0] + w[0]}; });
        close_region(*inner.region, {inner.results[0].ref()});
        EXPECT_EQ(inner.region->captures.size(), 1u);
        EXPECT_EQ(inner.region->captures[0], v[0].ref());
        return v;
      });
  EXPECT_EQ(outer.region->captures.size(), 0u);
}

TEST_F(RegionPlatformTest, ExceptionLeavesTheRegion) {
  EXPECT_THROW(record_region(std::vector{kPair}, "a test",
                             [](const auto&) -> std::vector<Tensor> {
                               throw std::runtime_error("the user's own");
                             }),
               std::runtime_error);
  EXPECT_FALSE(context().in_step);
  EXPECT_EQ(context().region, 0u);
}

TEST_F(RegionPlatformTest, NestedLoopsUseValuesOfAllLevels) {
  const Tensor outside = vector({1, 10});
  Variable total(vector({0, 0}));
  for_loop(3, [&](const Tensor& i) {
    const Tensor row = outside * cast(i, DType::float32);
    for_loop(2, [&](const Tensor& j) {
      total.assign_add(row + outside * cast(j, DType::float32) +
                       cast(i * j, DType::float32));
    });
  });
  Floats wanted{0, 0};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 2; ++j) {
      wanted[0] += static_cast<float>(i + j + i * j);
      wanted[1] += static_cast<float>(10 * (i + j) + i * j);
    }
  }
  EXPECT_EQ(floats(total), wanted);
}

TEST_F(RegionPlatformTest, ValueOfOneLoopInAnother) {
  Tensor leaked;
  Variable v(vector({0}));
  for_loop(2, [&](const Tensor& i) { leaked = cast(i, DType::float32); });
  EXPECT_THROW(
      {
        for_loop(2, [&](const Tensor&) { v.assign_add(leaked); });
        v.numpy();
      },
      ValueError);
}

}  // namespace
}  // namespace systolic::internal::graph
