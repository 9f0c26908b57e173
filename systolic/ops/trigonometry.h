// Functions of angles, plane and hyperbolic.
//
//   Tensor angle = arctan2(y, x);
//
// Each inverse has TensorFlow's name and Keras's: asin is arcsin. Integers
// become float32.
#pragma once

#include "systolic/graph/arg.h"
#include "systolic/graph/tensor.h"

namespace systolic {

/// Tangent of radians.
Tensor tan(const Arg& x);
/// Inverse of sin, in [-pi/2, pi/2]; NaN outside [-1, 1].
Tensor asin(const Arg& x);
Tensor arcsin(const Arg& x);
/// Inverse of cos, in [0, pi]; NaN outside [-1, 1].
Tensor acos(const Arg& x);
Tensor arccos(const Arg& x);
/// Inverse of tan, in (-pi/2, pi/2).
Tensor atan(const Arg& x);
Tensor arctan(const Arg& x);
/// The angle of the point (x, y), in [-pi, pi].
Tensor atan2(const Arg& y, const Arg& x);
Tensor arctan2(const Arg& y, const Arg& x);

/// Hyperbolic sine.
Tensor sinh(const Arg& x);
/// Hyperbolic cosine.
Tensor cosh(const Arg& x);
/// Inverse of sinh.
Tensor asinh(const Arg& x);
Tensor arcsinh(const Arg& x);
/// Inverse of cosh, at least 0; NaN below 1.
Tensor acosh(const Arg& x);
Tensor arccosh(const Arg& x);
/// Inverse of tanh; NaN outside [-1, 1].
Tensor atanh(const Arg& x);
Tensor arctanh(const Arg& x);

/// sin(pi x) / (pi x); 1 at 0.
Tensor sinc(const Arg& x);
/// Degrees as radians, and back.
Tensor deg2rad(const Arg& x);
Tensor rad2deg(const Arg& x);

}  // namespace systolic
