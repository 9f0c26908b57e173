// What people read of the figures.
#include "systolic/runtime/utilization.h"

#include <gtest/gtest.h>

#include <sstream>

namespace systolic::runtime {
namespace {

TEST(Utilization, IsTwoLines) {
  const Utilization u{.wall_seconds = 10,
                      .launches = 600,
                      .devices = 8,
                      .busy_fraction = 0.6,
                      .idle_fraction = 0.4,
                      .input_idle_fraction = 0.3,
                      .compile_idle_fraction = 0.08,
                      .host_idle_fraction = 0.02,
                      .input_wait_seconds = 3.5,
                      .launch_seconds = 0.01,
                      .compile_seconds = 0.8,
                      .flops = 5.6e13,
                      .matrix_unit_fraction = 0.123,
                      .bytes_in_use = 1'200'000'000,
                      .peak_bytes = 14'000'000'000,
                      .program_bytes = 300'000'000,
                      .bottleneck = Bottleneck::input,
                      .advice = "do that"};
  std::ostringstream out;
  out << u;
  EXPECT_EQ(out.str(),
            "utilization: 10.00s - idle: 40.0% (input 30.0%, compile 8.0%, "
            "host 2.0%) - MXU: 12.3% (5.60 TFLOP/s) - input wait: 3.50s - "
            "launch: 0.01s (600 launches) - memory: 1.20 GB, peak 14 GB, "
            "program 300 MB\n"
            "bottleneck: input - do that");
}

TEST(Utilization, SaysWhatIsNotKnown) {
  const Utilization u{.wall_seconds = 2,
                      .launches = 1,
                      .busy_fraction = 1,
                      .flops = 0,
                      .bytes_in_use = 512,
                      .memory_is_process = true,
                      .bottleneck = Bottleneck::compute};
  EXPECT_EQ(u.to_string(),
            "utilization: 2.00s - idle: 0.0% - MXU: unknown (0.00 FLOP/s) - "
            "input wait: 0.00s - launch: 0.00s (1 launches) - resident: "
            "512 B\nbottleneck: compute");
}

TEST(Utilization, BottlenecksHaveNames) {
  EXPECT_EQ(to_string(Bottleneck::none), "none");
  EXPECT_EQ(to_string(Bottleneck::input), "input");
  EXPECT_EQ(to_string(Bottleneck::launch), "launch");
  EXPECT_EQ(to_string(Bottleneck::compute), "compute");
  EXPECT_EQ(to_string(Bottleneck::collectives), "collectives");
  EXPECT_EQ(to_string(Bottleneck::memory), "memory");
}

}  // namespace
}  // namespace systolic::runtime
