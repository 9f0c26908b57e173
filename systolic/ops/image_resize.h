// What the ops on images share: the check of their rank.
#pragma once

#include "systolic/graph/arg.h"

namespace systolic::internal::ops {

/// The images of rank 3 or 4. Throws ShapeError for others.
Tensor require_images(const Arg& images, const char* who);

}  // namespace systolic::internal::ops
