#include "systolic/base/element_seed.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "systolic/base/seed.h"

namespace systolic::internal {
namespace {

std::vector<uint64_t> draws(const ElementKey& key) {
  const ElementSeedScope scope(key);
  return {draw_seed(), draw_seed()};
}

TEST(ElementSeedTest, DependsOnTheKeyAlone) {
  const ElementKey key{.seed = 5, .pass = 1, .index = 7};
  const std::vector<uint64_t> here = draws(key);
  draw_seed();
  std::vector<uint64_t> there;
  std::thread([&] { there = draws(key); }).join();
  EXPECT_EQ(here, there);
  std::set<uint64_t> all(here.begin(), here.end());
  for (const ElementKey& other : {ElementKey{6, 1, 7}, ElementKey{5, 2, 7},
                                  ElementKey{5, 1, 8}, ElementKey{5, 7, 1}}) {
    for (const uint64_t seed : draws(other)) all.insert(seed);
  }
  EXPECT_EQ(all.size(), 10u);
}

TEST(ElementSeedTest, ScopesNestAndEnd) {
  EXPECT_FALSE(draw_element_seed());
  set_random_seed(3);
  const uint64_t first = draw_seed();
  set_random_seed(3);
  {
    const ElementSeedScope outer({1, 0, 0});
    const uint64_t before = draw_seed();
    {
      const ElementSeedScope inner({1, 0, 0});
      EXPECT_EQ(draw_seed(), before);
    }
    EXPECT_NE(draw_seed(), before);
  }
  EXPECT_EQ(draw_seed(), first) << "a scope draws nothing of the program's";
}

TEST(ElementSeedTest, NodesHaveASequenceOfTheirOwn) {
  set_random_seed(3);
  const uint64_t node = draw_pipeline_seed();
  const uint64_t first = draw_seed();
  EXPECT_NE(draw_pipeline_seed(), node);
  set_random_seed(3);
  EXPECT_EQ(draw_seed(), first);
  EXPECT_EQ(draw_pipeline_seed(), node);
  const ElementSeedScope scope({1, 2, 3});
  const uint64_t inside = draw_pipeline_seed();
  EXPECT_EQ(inside, draws({1, 2, 3})[0]);
}

}  // namespace
}  // namespace systolic::internal
