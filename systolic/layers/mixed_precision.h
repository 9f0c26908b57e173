// Mixed precision by its Keras name.
//
//   mixed_precision::set_global_policy("mixed_bfloat16");
#pragma once

#include "systolic/layers/dtype_policy.h"

namespace systolic::mixed_precision {

/// The policy of layers that are made without one from now on; the same as
/// config::set_dtype_policy.
inline void set_global_policy(const layers::DTypePolicy& policy) {
  config::set_dtype_policy(policy);
}

/// That policy.
inline layers::DTypePolicy global_policy() { return config::dtype_policy(); }

}  // namespace systolic::mixed_precision
