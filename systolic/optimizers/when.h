// Updates that happen only where a value of the program is true.
//
//   when(is_last, [&] { variable.assign(...); });
#pragma once

#include <functional>

#include "systolic/graph/tensor.h"

namespace systolic::internal {

/// Runs `body`, which assigns to Variables, on the device where `condition`
/// (bool ()) is true there. It is recorded once.
void when(const Tensor& condition, const std::function<void()>& body);

}  // namespace systolic::internal
