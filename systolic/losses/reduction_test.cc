#include "systolic/losses/reduction.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"

namespace systolic::losses {
namespace {

TEST(ReductionTest, NamesRoundTrip) {
  for (Reduction reduction :
       {Reduction::none, Reduction::sum, Reduction::mean,
        Reduction::sum_over_batch_size, Reduction::mean_with_sample_weight}) {
    EXPECT_EQ(reduction_from_name(name(reduction)), reduction);
  }
  EXPECT_EQ(name(Reduction::sum_over_batch_size), "sum_over_batch_size");
}

TEST(ReductionTest, AnUnknownNameListsTheKnownOnes) {
  try {
    reduction_from_name("summ");
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(),
                 "reduction: expected 'none', 'sum', 'mean', "
                 "'sum_over_batch_size' or 'mean_with_sample_weight', got "
                 "'summ'\n  hint: did you mean 'sum'?");
  }
}

}  // namespace
}  // namespace systolic::losses
