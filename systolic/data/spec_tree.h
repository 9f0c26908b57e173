// Changes of every leaf of an element's spec.
//   map_leaves(spec, [](TensorSpec leaf) { ... return leaf; });
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "systolic/data/element_spec.h"

namespace systolic::data::detail {

// The spec with `change` of each leaf whose dtype and rank are known; what is
// not known stays so. RaggedArrays and SparseArrays are parts as a whole where
// there is a `change_composite` for them.
ElementSpec map_leaves(
    const ElementSpec& spec,
    const std::function<TensorSpec(const TensorSpec&)>& change,
    const std::function<ElementSpec(const ElementSpec&)>& change_composite =
        nullptr);

// A spec with the tree of `model` and other parts: as many as it has.
ElementSpec spec_like(const ElementSpec& model, std::vector<ElementSpec> items);

// Whether every length is known.
bool is_static(const ElementSpec& spec);

// The spec with -1 for every length.
ElementSpec with_unknown_lengths(const ElementSpec& spec);

// The spec of batches of `length`, or -1, of what has `spec`.
ElementSpec batched_spec(const ElementSpec& spec, int64_t length);

}  // namespace systolic::data::detail
