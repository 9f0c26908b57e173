// The op contract over the whole catalogue: see testing/op_contract.h. The
// samples stand beside the values of each family.
#include <gtest/gtest.h>

#include <string>

#include "systolic/ops/catalog.h"
#include "systolic/ops/test_ops.h"

namespace systolic::internal::ops {
namespace {

TEST(Contract, EveryOpOfTheCatalogueKeepsIt) {
  std::vector<contracts::OpSample> samples;
  for (const auto family :
       {math_samples, unary_samples, reductions_samples, manipulation_samples,
        slicing_samples, linear_samples, conv_samples, pooling_samples,
        nn_samples, random_samples, collective_samples, control_flow_samples}) {
    const auto more = family();
    samples.insert(samples.end(), more.begin(), more.end());
  }
  contracts::check_ops(samples, catalog());
}

}  // namespace
}  // namespace systolic::internal::ops
