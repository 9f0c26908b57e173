// The guard that names the first layer that gives a value that is not finite.
//
//   layers::enable_check_numerics();
//   model.fit(x, y);          // ValueError: check_numerics "model/dense_1":
//   ...
#pragma once

namespace systolic::layers {

// Checks what each layer gives in calls from now on, on all threads; the first
// NaN or infinity is a ValueError that names the layer's path and, in fit, the
// step. Programs get larger and launches wait: for finding mistakes.
void enable_check_numerics();

// Ends enable_check_numerics.
void disable_check_numerics();

// Whether layers are checked.
bool is_checking_numerics();

}  // namespace systolic::layers
