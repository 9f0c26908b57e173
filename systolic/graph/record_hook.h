// A hook that sees each operation as it is recorded: for debugging.
#pragma once

#include "systolic/graph/node.h"

namespace systolic::internal::graph {

/// Sees a new node, and may record more; null: none.
using RecordHook = void (*)(const NodePtr& node);

/// Sets the hook of all threads and returns the one before.
RecordHook set_record_hook(RecordHook hook);

}  // namespace systolic::internal::graph
