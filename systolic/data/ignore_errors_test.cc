#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/dataset_contract.h"

namespace systolic::data {
namespace {

Dataset odd_ones_fail() {
  return Dataset::range(6).map([](int64_t x) {
    if (x % 2 == 1) throw ValueError("odd");
    return x;
  });
}

TEST(IgnoreErrorsTest, LeavesOutCountsAndLogsOnce) {
  LogCapture log;
  IgnoreErrorsOptions options;
  options.ignored = std::make_shared<std::atomic<int64_t>>(0);
  EXPECT_EQ(text(odd_ones_fail().ignore_errors(options)), "0 2 4");
  EXPECT_EQ(*options.ignored, 3);
  EXPECT_EQ(log.lines, (std::vector<std::string>{
                           "warning: ignore_errors: left out 3 "
                           "elements, first: map (element 1): odd"}));
  EXPECT_EQ(odd_ones_fail().ignore_errors().cardinality(), UNKNOWN_CARDINALITY);
}

// One element, then a read that only ends by being cut off.
class Waiting final : public DatasetBase {
 public:
  std::string name() const override { return "waiting"; }
  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    class It final : public IteratorBase {
     public:
      explicit It(std::stop_token stop) : stop_(std::move(stop)) {}
      bool get_next(Element* out) override {
        while (given_ && !stop_.stop_requested()) std::this_thread::yield();
        if (given_) throw ValueError("cut off");
        given_ = true;
        *out = Element(Array::scalar(int64_t{1}));
        return true;
      }

     private:
      const std::stop_token stop_;
      bool given_ = false;
    };
    return std::make_unique<It>(context.stop);
  }
  int64_t cardinality() const override { return UNKNOWN_CARDINALITY; }
  ElementSpec element_spec() const override {
    return Dataset::range(1).element_spec();
  }
};

TEST(IgnoreErrorsTest, AReadThatIsCutOffIsNoError) {
  LogCapture log;
  IgnoreErrorsOptions options;
  options.ignored = std::make_shared<std::atomic<int64_t>>(0);
  {
    const Dataset dataset =
        Dataset(std::make_shared<Waiting>()).ignore_errors(options).prefetch(1);
    Iterator it = dataset.iterator();
    it.next();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(*options.ignored, 0);
  EXPECT_TRUE(log.lines.empty());
}

TEST(IgnoreErrorsTest, LogsEachWhereAsked) {
  LogCapture log;
  text(odd_ones_fail().ignore_errors({.log_warning = true, .name = "mine"}));
  EXPECT_EQ(log.lines.size(), 3u);
  EXPECT_EQ(log.lines[2],
            "warning: ignore_errors \"mine\": left out: map (element 5): odd");
}

TEST(IgnoreErrorsTest, Contract) {
  EXPECT_EQ(testing::dataset_contract(
                [](const Dataset& input) { return input.ignore_errors(); },
                {.length = 40, .passes_errors = false}),
            "");
  LogCapture log;
  EXPECT_EQ(resume_failure([] { return odd_ones_fail().ignore_errors(); }), "");
}

}  // namespace
}  // namespace systolic::data
