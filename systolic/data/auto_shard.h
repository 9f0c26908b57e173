// What sources of files do for auto_shard(): they read their part of the
// files.
#pragma once

#include <memory>
#include <string>

#include "systolic/data/dataset_base.h"

namespace systolic::data::detail {

// An iterator over every `count`-th element, from element `index` on.
std::unique_ptr<IteratorBase> make_shard_iterator(
    const DatasetBase& input, int64_t count, int64_t index,
    const IteratorContext& context);

// A host's part of the elements, which all hosts have to find in one order.
std::shared_ptr<const DatasetBase> share_elements(
    std::shared_ptr<const DatasetBase> input, const FileShard& part);

// Whether the node is a shard(SHARD_HINT, SHARD_HINT).
bool is_shard_hint(const DatasetBase& node);

// The file names that a source reads, as a node that gives each host its part
// of them, by IteratorContext::files.
std::shared_ptr<const DatasetBase> shared_files(
    std::shared_ptr<const DatasetBase> names, const std::string& name);

}  // namespace systolic::data::detail
