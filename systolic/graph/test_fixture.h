// What the tests of the room graph share: placements, counts of compiles, the
// check that no device memory was leaked.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "systolic/graph/placement.h"
#include "systolic/graph/program_cache.h"
#include "systolic/graph/step.h"
#include "systolic/ops/ops.h"
#include "systolic/pjrt/handle.h"
#include "systolic/runtime/counters.h"

namespace systolic::internal::graph {

/// A test that ends with as many device buffers as it started with.
class GraphTest : public ::testing::Test {
 protected:
  void SetUp() override {
    eight();
    one();
    before_ = buffers();
    ProgramCache::instance().reset_statistics();
  }
  void TearDown() override {
    // Callbacks of transfers may still be about to end.
    for (int i = 0; i < 200 && buffers() != before_; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(buffers(), before_) << "device buffers were leaked";
  }

  static const Placement* one() { return Placement::current_default(); }
  static runtime::Client& client() {
    return runtime::Client::open({.device_count = 8});
  }
  static const Placement* eight() {
    return Placement::replicas(client().devices());
  }

  /// Live device buffers of the process.
  static int64_t buffers() { return pjrt::live_handles().buffers; }
  static uint64_t compiles() {
    return ProgramCache::instance().statistics().compiles;
  }
  static uint64_t hits() { return ProgramCache::instance().statistics().hits; }
  static std::vector<std::string> reasons() {
    return ProgramCache::instance().statistics().reasons;
  }
  static uint64_t launches() { return runtime::counters().launches; }

  static std::vector<float> floats(const Array& array) {
    const std::span<const float> all = array.span<float>();
    return {all.begin(), all.end()};
  }
  static std::vector<float> floats(const Tensor& t) {
    return floats(t.numpy());
  }
  static std::vector<float> floats(const Variable& v) {
    return floats(v.numpy());
  }
  static Tensor vector(std::vector<float> values) {
    return constant(Array::from(values));
  }

 private:
  int64_t before_ = 0;
};

/// The message of the Error that `act` throws; fails if it throws none.
template <class E, class Act>
std::string message_of(const Act& act) {
  try {
    act();
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

}  // namespace systolic::internal::graph
