#include "systolic/plan/collectives.h"

#include <gtest/gtest.h>

namespace systolic::internal::plan {
namespace {

using platforms::parse_tpu;

constexpr double kMb = 1e6;

CollectiveWork all_reduce(double bytes) {
  return {.kind = CollectiveKind::all_reduce, .bytes = bytes};
}

// Four chips as 2 x 2: a link of 100 GB/s to each of two neighbours. Each chip
// sends 3/4 of 100 MB twice: 150 MB over 200 GB/s.
TEST(Collectives, V3Dash8IsTwoByTwo) {
  const Links links = links_of(parse_tpu("v3-8"));
  EXPECT_EQ(links.grid, (std::vector{2, 2}));
  EXPECT_EQ(links.chip_bytes_per_second(), 200e9);
  EXPECT_DOUBLE_EQ(collective_seconds(all_reduce(100 * kMb), links), 0.75e-3);
}

// The cores of a chip put together their values first: as long with two
// devices a chip as with one.
TEST(Collectives, CoresOfOneChipShareItsLinks) {
  const Links links = links_of(parse_tpu("v3-8"));
  CollectiveWork work = all_reduce(100 * kMb);
  work.replicas = 8;
  EXPECT_DOUBLE_EQ(collective_seconds(work, links), 0.75e-3);
  work.replicas = 2;  // those of one chip
  EXPECT_EQ(collective_seconds(work, links), 0);
}

// 16 x 16 chips close their rings: four links of 90 GB/s. An all-reduce of
// 606 MB took 5.12 ms on a v6e-256 (tpu-recipes, 235.8 GB/s by its formula of
// 2 (n-1)/n of the bytes); at the links' full speed it takes 3.35.
TEST(Collectives, LargeSlicesAreTori) {
  const Links links = links_of(parse_tpu("v6e-256"));
  EXPECT_EQ(links.closed, (std::vector{true, true}));
  EXPECT_EQ(links.chip_bytes_per_second(), 360e9);
  EXPECT_NEAR(collective_seconds(all_reduce(606 * kMb), links), 3.35e-3, 1e-5);
  EXPECT_NE(links.to_string().find("16 x 16 torus, 90 GB/s a link and way"),
            std::string::npos)
      << links.to_string();
}

TEST(Collectives, SmallSlicesOfV5eAreLines) {
  const Links links = links_of(parse_tpu("v5e-8"));
  EXPECT_EQ(links.grid, (std::vector{2, 4}));
  EXPECT_EQ(links.closed, (std::vector{false, false}));
  EXPECT_EQ(links.chip_bytes_per_second(), 90e9);
  EXPECT_NE(links.to_string().find("grid without rings"), std::string::npos);
}

TEST(Collectives, UnpublishedSpeedsAreDerivedOrTakenOver) {
  const Links v2 = links_of(parse_tpu("v2-8"));
  EXPECT_EQ(v2.link_bytes_per_second, 100e9);
  EXPECT_EQ(v2.link_source, "not published: that of v3");
  const Links tpu7x = links_of(parse_tpu("tpu7x-8"));
  EXPECT_EQ(tpu7x.link_bytes_per_second, 100e9);
  EXPECT_EQ(tpu7x.link_source.find("all links of a chip together / 12"), 0u);
}

TEST(Collectives, AnAllReduceIsAReduceScatterAndAnAllGather) {
  const Links links = links_of(parse_tpu("v6e-8"));
  const double both = collective_seconds(all_reduce(800 * kMb), links);
  const double scatter = collective_seconds(
      {.kind = CollectiveKind::reduce_scatter, .bytes = 800 * kMb}, links);
  const double gather = collective_seconds(
      {.kind = CollectiveKind::all_gather, .bytes = 100 * kMb}, links);
  EXPECT_DOUBLE_EQ(scatter, gather);
  EXPECT_DOUBLE_EQ(both, scatter + gather);
  const double exchange = collective_seconds(
      {.kind = CollectiveKind::all_to_all, .bytes = 100 * kMb}, links);
  EXPECT_DOUBLE_EQ(exchange, gather / 4);
}

// A scalar takes as long as the way, and a chip alone has nobody to talk to.
TEST(Collectives, HopsTakeTime) {
  EXPECT_DOUBLE_EQ(
      collective_seconds(all_reduce(4), links_of(parse_tpu("v3-8"))), 4e-6);
  CollectiveWork work = all_reduce(4);
  work.times = 50;
  EXPECT_DOUBLE_EQ(collective_seconds(work, links_of(parse_tpu("v3-8"))),
                   200e-6);
  EXPECT_EQ(collective_seconds(work, links_of(parse_tpu("v5e-1"))), 0);
  EXPECT_EQ(links_of(parse_tpu("v5e-1")).to_string(), "one chip");
}

}  // namespace
}  // namespace systolic::internal::plan
