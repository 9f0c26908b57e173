#include "systolic/layers/dtype_policy.h"

#include <mutex>

#include "systolic/base/message.h"
#include "systolic/base/null.h"

namespace systolic {

namespace {

struct Program {
  std::mutex mutex;
  layers::DTypePolicy policy{DType::float32};
};

// Never destroyed: layers may be made while the process ends.
Program& program() {
  static Program* const instance = new Program;
  return *instance;
}

}  // namespace

namespace layers {

DTypePolicy::DTypePolicy(const std::string& name, SourceLocation where)
    : is_set_(true) {
  if (name == "mixed_bfloat16") {
    compute_ = DType::bfloat16;
    return;
  }
  if (name == "mixed_float16") {
    compute_ = DType::float16;
    return;
  }
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    // Strings stay on the host.
    if (systolic::name(dtype) == name && dtype != DType::string) {
      compute_ = variable_ = dtype;
      return;
    }
  }
  internal::Message("dtype policy")
      .expected(
          "'mixed_bfloat16', 'mixed_float16' or a dtype's name such as "
          "'float32'")
      .got("'", name, "'")
      .at(where)
      .raise<ValueError>();
}

DTypePolicy::DTypePolicy(const char* name, SourceLocation where)
    : DTypePolicy(std::string(internal::name_text(name, "dtype policy", where)),
                  where) {}

DType DTypePolicy::compute_dtype() const {
  return is_set_ ? compute_ : config::dtype_policy().compute_;
}

DType DTypePolicy::variable_dtype() const {
  return is_set_ ? variable_ : config::dtype_policy().variable_;
}

std::string DTypePolicy::name() const {
  const std::string compute(systolic::name(compute_dtype()));
  return compute_dtype() == variable_dtype() ? compute : "mixed_" + compute;
}

}  // namespace layers

namespace config {

void set_dtype_policy(const layers::DTypePolicy& policy) {
  Program& all = program();
  const std::lock_guard lock(all.mutex);
  all.policy = policy.is_set() ? policy : layers::DTypePolicy(DType::float32);
}

layers::DTypePolicy dtype_policy() {
  Program& all = program();
  const std::lock_guard lock(all.mutex);
  return all.policy;
}

}  // namespace config
}  // namespace systolic
