// Tested by: systolic/data/with_options_test.cc
#include "systolic/data/pipeline_options.h"

namespace systolic::data {

Options Options::merged_over(const Options& earlier) const {
  Options merged = *this;
  const auto fill = [](auto& value, const auto& other) {
    if (!value) value = other;
  };
  fill(merged.deterministic, earlier.deterministic);
  fill(merged.threading.private_threadpool_size,
       earlier.threading.private_threadpool_size);
  fill(merged.autotune.enabled, earlier.autotune.enabled);
  fill(merged.autotune.cpu_budget, earlier.autotune.cpu_budget);
  fill(merged.autotune.ram_budget, earlier.autotune.ram_budget);
  fill(merged.auto_shard_policy, earlier.auto_shard_policy);
  return merged;
}

}  // namespace systolic::data
