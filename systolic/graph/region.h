// Recording of loop bodies.
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
};

/// Runs `body` once on parameters of the given specs, recording what it does.
/// The region has the explicit parameters; the caller adds those of the
/// variables and closes it.
Recorded record_region(
    std::span<const TensorSpec> parameters, std::string_view name,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body);

/// Sets the region's results and finds what it uses of the outer program.
void close_region(Region& region, std::vector<Ref> results);

}  // namespace systolic::internal::graph
