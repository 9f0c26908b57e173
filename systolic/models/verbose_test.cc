#include "systolic/models/verbose.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/models/options.h"

namespace systolic::models {
namespace {

TEST(VerboseTest, TakesKerasNumbersAndNames) {
  EXPECT_TRUE(FitOptions().verbose == Verbose::automatic);
  EXPECT_TRUE(FitOptions{.verbose = 0}.verbose == Verbose::silent);
  EXPECT_TRUE(FitOptions{.verbose = 1}.verbose == Verbose::bar);
  EXPECT_TRUE(EvaluateOptions{.verbose = 2}.verbose == Verbose::line);
  EXPECT_TRUE(PredictOptions{.verbose = Verbose::line}.verbose ==
              Verbose::line);
  const int64_t number = 2;
  FitOptions options;
  options.verbose = number;
  EXPECT_TRUE(options.verbose == Verbose::line);
  options.verbose = Verbose::silent;
  EXPECT_TRUE(options.verbose != Verbose::line);
}

TEST(VerboseTest, OtherNumbersAreRefused) {
  EXPECT_THROW(VerboseOption(-1), ValueError);
  try {
    const VerboseOption three(3);
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(),
                 "verbose: expected 0 (silent), 1 (bar) or 2 (line), got 3\n"
                 "  hint: left out it is the bar on a terminal and plain lines "
                 "elsewhere");
  }
}

}  // namespace
}  // namespace systolic::models
