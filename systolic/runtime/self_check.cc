// Tested by: systolic/runtime/self_check_platform_test.cc
#include "systolic/runtime/self_check.h"

#include <algorithm>
#include <cmath>

#include "systolic/array/cast.h"
#include "systolic/base/error.h"
#include "systolic/base/message.h"
#include "systolic/runtime/executable.h"

namespace systolic::internal::runtime {
namespace {

constexpr int kUnimplemented = 12;

// The largest error: the inputs are such that every dtype holds all products
// and most sums exactly, so results are rounded once. That also holds where a
// device multiplies float32 with fewer digits (TPU, TF32).
double allowed_error(DType dtype, double expected) {
  const double digits = dtype == DType::float64    ? 0x1p-52
                        : dtype == DType::float32  ? 0x1p-23
                        : dtype == DType::float16  ? 0x1p-10
                        : dtype == DType::bfloat16 ? 0x1p-7
                                                   : 0;
  return 2 * digits * std::max(1.0, std::abs(expected));
}

// "[1, 2]": the place of an element.
std::string place_text(const Shape& shape, int64_t element) {
  std::string text;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    text = std::to_string(element % shape[axis]) +
           (text.empty() ? "" : ", " + text);
    element /= shape[axis];
  }
  return "[" + text + "]";
}

// What is wrong with an output; empty if nothing is.
std::string difference(const Array& output, const ExpectedOutput& expected) {
  const Array wide = cast(output, DType::float64);
  const auto got = wide.span<double>();
  for (size_t i = 0; i < expected.values.size(); ++i) {
    const double want = expected.values[i];
    // A NaN is no small difference.
    if (std::abs(got[i] - want) <= allowed_error(output.dtype(), want)) {
      continue;
    }
    return concatenate_text(
        "element ", place_text(expected.spec.shape, static_cast<int64_t>(i)),
        ": expected ", want, ", got ", got[i]);
  }
  return "";
}

std::string shapes_text(const CheckCase& made) {
  std::string text;
  for (const Array& input : made.inputs[0]) {
    text += concatenate_text(text.empty() ? "" : ", ", input.spec());
  }
  return text;
}

// Runs a case; what is wrong, or nothing.
std::string run_case(Client& client, const CheckCase& made) {
  const auto replicas = static_cast<int>(made.inputs.size());
  const ExecutablePtr program =
      compile(client, made.program, {.num_replicas = replicas});
  std::vector<std::vector<BufferPtr>> arguments;
  for (int replica = 0; replica < replicas; ++replica) {
    auto& list = arguments.emplace_back();
    for (const Array& input : made.inputs[static_cast<size_t>(replica)]) {
      list.push_back(to_device(input, client.device(replica)));
    }
  }
  std::vector<TensorSpec> specs;
  for (const ExpectedOutput& output : made.outputs) {
    specs.push_back(output.spec);
  }
  const auto results = launch(*program, arguments, specs);
  for (size_t replica = 0; replica < results.size(); ++replica) {
    const std::vector<Array> outputs = to_host(results[replica]);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const std::string wrong = difference(outputs[i], made.outputs[i]);
      if (wrong.empty()) continue;
      std::string where = concatenate_text("output ", i, ", ", specs[i]);
      if (replicas > 1) where += concatenate_text(", of replica ", replica);
      return concatenate_text(where, ", ", wrong,
                              "\n  inputs: ", shapes_text(made));
    }
  }
  return "";
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// Makes one check, says and notes what becomes of it.
void make_check(Client& client, const SelfCheck& check, DType dtype,
                platforms::Verdict& verdict,
                const std::function<void(std::string_view)>& say) {
  const std::string name = concatenate_text(check.name, " ", dtype);
  say(name + " ");
  std::string wrong;
  try {
    const int replicas = check.on_all_devices ? client.device_count() : 1;
    wrong = run_case(client, check.make(dtype, replicas));
  } catch (const PlatformError& error) {
    if (error.code() == kUnimplemented) {
      say("not supported: " + first_line(error.what()) + "\n");
      return;
    }
    wrong = error.what();
  }
  verdict.checks += 1;
  if (wrong.empty()) {
    say("ok\n");
    return;
  }
  say("FAILED: " + wrong + "\n");
  if (!verdict.passed()) return;
  verdict.failed = name;
  verdict.failure = wrong;
}

}  // namespace

CheckResult self_check(Client& client,
                       const std::function<void(std::string_view)>& say,
                       std::span<const SelfCheck> checks) {
  CheckResult result;
  if (client.has(Capability::ffi_kernels)) result.kernels.emplace();
  for (const SelfCheck& check : checks) {
    const bool is_kernel = !check.kernel.empty();
    if (is_kernel && !client.has_kernel(check.kernel)) continue;
    for (DType dtype : check.dtypes) {
      if (dtype == DType::float64 &&
          !client.has(Capability::double_precision)) {
        continue;
      }
      make_check(client, check, dtype,
                 is_kernel ? *result.kernels : result.plugin, say);
    }
  }
  return result;
}

}  // namespace systolic::internal::runtime
