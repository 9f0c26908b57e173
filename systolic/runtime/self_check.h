// The self-test of a platform (files that end in _test are tests): programs
// whose results are compared with those of plain loops on the host, because
// plugins have shipped wrong kernels.
//
//   CheckResult found = self_check(client, [](std::string_view text) {
//     std::cout << text;
//   });
//   platforms::write_verdict(identity, found.plugin);
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/platforms/verdict.h"
#include "systolic/runtime/client.h"

namespace systolic::internal::runtime {

// One output as the host computes it, row-major.
struct ExpectedOutput {
  TensorSpec spec;
  std::vector<double> values;
};

// A program with its inputs and what has to come out.
struct CheckCase {
  std::string program;
  std::vector<std::vector<Array>> inputs;  // [replica][argument]
  std::vector<ExpectedOutput> outputs;     // the same on every replica
};

// One operation in the dtypes that it is checked in.
struct SelfCheck {
  std::string_view name;
  std::span<const DType> dtypes;
  // Makes the case of a dtype for a number of replicas.
  CheckCase (*make)(DType dtype, int replicas);
  bool on_all_devices = false;
  // Our kernel that it is about; empty: the plugin's own code.
  std::string_view kernel = {};
};

// What was found, still without a time.
struct CheckResult {
  platforms::Verdict plugin;
  // Of our kernels with this plugin, if they are loaded.
  std::optional<platforms::Verdict> kernels = {};
};

// The checks that every plugin has to pass.
std::span<const SelfCheck> self_checks();

// Makes the checks one after the other and says of each what becomes of it:
// "matmul float32 " before, "ok\n" after. What the plugin says it has not
// implemented is no failure. Checks of kernels that are not loaded, and
// float64 where Capability::double_precision is not there, are left out.
CheckResult self_check(Client& client,
                       const std::function<void(std::string_view)>& say,
                       std::span<const SelfCheck> checks = self_checks());

}  // namespace systolic::internal::runtime
