// Recording of the bodies of loops and of conditions.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "systolic/graph/context.h"
#include "systolic/graph/node.h"

namespace systolic::internal::graph {

/// A body as recorded, with the Variables that it touched.
struct Recorded {
  std::shared_ptr<Region> region;
  std::vector<RegionVariable> variables;
  std::vector<Tensor> results;

  /// What it made of a variable; null if it did not touch it.
  const RegionVariable* find(const VariablePtr& state) const;
  /// Adds the region's parameter for a variable; gives the variable's value
  /// at the end.
  Ref add_parameter(const VariablePtr& state);
};

/// The context for recording a new body here.
Context region_context(std::string_view name);

/// Runs `body` once on parameters of the given specs, recording what it does.
/// The region has the explicit parameters; the caller adds those of the
/// variables and closes it.
Recorded record_region(
    std::span<const TensorSpec> parameters, std::string_view name,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body);

/// Sets the region's results and finds what it uses of the outer program.
void close_region(Region& region, std::vector<Ref> results);

/// Whether a value is one of an operation of a body.
bool is_inside(uint64_t region, const Ref& ref);

/// The operations of a closed body, each after those that it uses.
std::vector<NodePtr> operations_of(const Region& region);

/// How a parameter of a body stands when its gradient is computed.
enum class Varies : uint8_t {
  never,    // the same in each turn, and at hand
  known,    // another in each turn, and at hand
  unknown,  // another in each turn; gone unless it is kept
};

/// The values of a closed body that are to be kept for its gradient: what the
/// rules of its operations read and that varies.
std::vector<Ref> residuals_of(const Region& region,
                              std::span<const Varies> parameters,
                              Varies captures);

}  // namespace systolic::internal::graph
