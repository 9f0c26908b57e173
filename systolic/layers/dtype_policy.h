// DTypePolicy: the dtypes in which a layer computes and keeps its weights.
//
//   layers::Dense(64, {.dtype = "mixed_bfloat16"});  // bf16, weights float32
//   config::set_dtype_policy("mixed_bfloat16");      // for all layers
#pragma once

#include <string>

#include "systolic/array/dtype.h"
#include "systolic/base/error.h"

namespace systolic {

namespace layers {

// A pair of dtypes; default-made it stands for the program's policy.
class DTypePolicy {
 public:
  DTypePolicy() = default;

  // The same dtype for both.
  DTypePolicy(DType dtype) : is_set_(true), compute_(dtype), variable_(dtype) {}

  // "mixed_bfloat16", "mixed_float16" or a dtype's name.
  // Throws: ValueError that says so.
  DTypePolicy(const char* name,
              SourceLocation where = SourceLocation::current());
  DTypePolicy(const std::string& name,
              SourceLocation where = SourceLocation::current());

  // False for a default-made policy.
  bool is_set() const { return is_set_; }

  // The dtype of inputs and results.
  DType compute_dtype() const;
  // The dtype of the weights.
  DType variable_dtype() const;

  // Keras's name of the policy.
  std::string name() const;

  bool operator==(const DTypePolicy&) const = default;

 private:
  bool is_set_ = false;
  DType compute_ = DType::float32;
  DType variable_ = DType::float32;
};

}  // namespace layers

namespace config {

// The policy of layers that are made without one from now on
// (keras.config.set_dtype_policy); unset: "float32".
void set_dtype_policy(const layers::DTypePolicy& policy);

// That policy.
layers::DTypePolicy dtype_policy();

}  // namespace config
}  // namespace systolic
