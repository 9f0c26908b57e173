// evaluate: computes pending values; the boundary where graphs are launched.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "systolic/graph/context.h"
#include "systolic/graph/program.h"
#include "systolic/graph/program_cache.h"

namespace systolic::internal::graph {

/// Computes a value unless it is there already.
void evaluate(const Ref& ref);

/// Computes several values, together where they share a placement.
void evaluate(std::span<const Ref> refs);

/// The value as a leaf that holds its data; it must not be pending.
Tensor as_data(const Tensor& value);

/// Steps that a device may have left: one runs while the next one waits. More
/// would gain nothing, and each holds its temporary memory.
inline constexpr int kMostStepsInFlight = 2;

/// What a launch of a step was given and what it gave.
struct LaunchRecord {
  /// Sees the program before it is launched, and may refuse it by throwing.
  std::function<void(const Program&)> inspect;
  const Compiled* compiled = nullptr;
  const Placement* placement = nullptr;
  std::vector<Ref> arguments;
  /// The C++ scalars that are arguments after these.
  std::vector<Array> scalars;
  /// The arguments whose memory the program takes.
  std::vector<int> donated;
  std::vector<Ref> outputs;
  /// Whether it computed all roots: none had its value before.
  bool is_whole = false;
};

/// Launches a step that computes `roots`; each takes the memory of the value
/// it replaces where nobody but `roots` and the step itself holds that. Says
/// in `record`, unless null, what it did.
void launch_step(std::vector<Root>& roots, const Placement* placement,
                 LaunchRecord* record = nullptr);

/// The value where it is at hand without a launch or a transfer: a C++ scalar,
/// or a host's Array outside steps. For checks that a device can not make.
std::optional<Array> known_value(const Tensor& value);

/// Computes the value if need be and returns where it is.
StoragePtr storage_of(const Ref& ref);

}  // namespace systolic::internal::graph
