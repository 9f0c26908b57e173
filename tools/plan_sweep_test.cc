#include "tools/plan_sweep.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"

namespace systolic::tools {
namespace {

const std::vector<SweepRow> kRows = {
    {"v3-8", 4, 8, 64, true, 0.010, 0.125, int64_t{1} << 30, int64_t{16} << 30,
     "compute"},
    {"v3-8", 4, 8, 1024, true, 0.100, 0.5, int64_t{8} << 30, int64_t{16} << 30,
     "compute"},
    {"v6e-8", 8, 8, 1024, true, 0.020, 0.4, int64_t{8} << 30, int64_t{31} << 30,
     "input"},
    {"v6e-8", 8, 8, 65536, false, 0, 0, int64_t{80} << 30, int64_t{31} << 30,
     "compute"},
};

TEST(PlanSweepTest, PointsAreEachTopologyWithEachBatch) {
  const auto each = sweep_points({"v3-8", "v5e-4"}, {64, 128});
  ASSERT_EQ(each.size(), 4u);
  EXPECT_EQ(each[1].topology, "v3-8");
  EXPECT_EQ(each[1].batch_size, 128);
  EXPECT_EQ(each[2].topology, "v5e-4");
  const auto by_core = sweep_points({"v5e-4"}, {});
  ASSERT_EQ(by_core.size(), 5u);
  EXPECT_EQ(by_core.front().batch_size, 8 * 4);
  EXPECT_EQ(by_core.back().batch_size, 128 * 4);
  EXPECT_THROW(sweep_points({"v3-9"}, {}), ValueError);
}

TEST(PlanSweepTest, RowIsReadFromJson) {
  const SweepRow row = sweep_row(R"({"topology": "v3-8", "chips": 4,
      "replicas": 8, "batch_size": 1024, "fits": true, "step_seconds": 0.5,
      "matrix_unit": 0.25, "memory": {"peak": 7, "available": 9},
      "bottleneck": "launch"})");
  EXPECT_EQ(row.topology, "v3-8");
  EXPECT_EQ(row.rate(), 2048);
  EXPECT_EQ(row.peak_bytes, 7);
  EXPECT_EQ(row.bottleneck, "launch");
}

TEST(PlanSweepTest, BestIsTheCheapestOrTheSmallest) {
  EXPECT_EQ(best_of(kRows, 5'000, {}), &kRows[1]);
  EXPECT_EQ(best_of(kRows, 20'000, {}), &kRows[2]);
  EXPECT_EQ(best_of(kRows, 100'000, {}), nullptr);
  const Prices prices = parse_prices("v3=2.20,v6e=1");
  EXPECT_EQ(best_of(kRows, 5'000, prices), &kRows[2]);
  // 8 chips of 1 an hour, 51,200 rows a second.
  EXPECT_NEAR(*cost_of(kRows[2], prices), 8.0 / 3600 * 1e6 / 51'200, 1e-9);
  EXPECT_FALSE(cost_of(kRows[3], prices));
  EXPECT_FALSE(cost_of(kRows[0], {}));
}

TEST(PlanSweepTest, WrongPricesAreErrors) {
  for (const char* text : {"v3", "v3=", "v3=x", "v3=-1", "v9=2", "v3=2;v4=3"}) {
    EXPECT_THROW(parse_prices(text), ValueError) << text;
  }
  EXPECT_TRUE(parse_prices("").empty());
}

TEST(PlanSweepTest, TableHasALineForEachRow) {
  EXPECT_EQ(
      sweep_table(kRows, {}),
      "TPU         batch  per core       step      rows/s   MXU     memory, "
      "GiB  bound by   \n"
      "v3-8           64         8   10.00 ms        6400   12%     1.0 of "
      "16.0  compute\n"
      "v3-8         1024       128  100.00 ms       10240   50%     8.0 of "
      "16.0  compute\n"
      "v6e-8        1024       128   20.00 ms       51200   40%     8.0 of "
      "31.0  input\n"
      "v6e-8       65536      8192          -           -     -  80.0 of 31.0 "
      "!\n");
  EXPECT_NE(sweep_table(kRows, {{"v6e", 1.0}}).find("input      0.0434\n"),
            std::string::npos);
}

TEST(PlanSweepTest, ChartHasALineForEachTpu) {
  const std::string svg = sweep_chart(kRows, "a < b");
  EXPECT_TRUE(svg.starts_with("<svg ")) << svg;
  EXPECT_TRUE(svg.ends_with("</svg>\n")) << svg;
  EXPECT_NE(svg.find(">a &lt; b</text>"), std::string::npos);
  const auto count = [&](std::string_view what) {
    size_t found = 0;
    for (size_t at = svg.find(what); at != std::string::npos;
         at = svg.find(what, at + 1)) {
      ++found;
    }
    return found;
  };
  EXPECT_EQ(count("<polyline"), 2u);
  EXPECT_EQ(count("<circle"), 3u);  // what does not fit has no rate
  EXPECT_EQ(count(">v6e-8</text>"), 1u);
  // Nothing to draw is no error.
  EXPECT_EQ(sweep_chart({}, "none").find("<polyline"), std::string::npos);
}

}  // namespace
}  // namespace systolic::tools
