// Changes of shape, order and grouping of host arrays.
//   expand_dims(image, -1);  transpose(x, {1, 0});  stack({a, b});
// What only changes the shape shares the elements with its input.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/array/axes.h"

namespace systolic {

// The same elements in another shape; one size may be -1.
// Throws: ShapeError where the number of elements differs.
Array reshape(const Array& x, const Shape& shape);
// Puts an axis of size 1 before `axis`; negative counts from the result's end.
Array expand_dims(const Array& x, int axis);
// Takes out the axes of size 1, or those given.
// Throws: ShapeError where a given axis is larger than 1.
Array squeeze(const Array& x, const Axes& axis = {});
// Axis i of the result is axis axes[i] of x; without axes, the order reversed.
// Throws: ValueError where the axes are not a permutation.
Array transpose(const Array& x, const Axes& axes = {});
// Repeats axes of size 1, and in front, to the given shape.
// Throws: ShapeError where x does not broadcast to it.
Array broadcast_to(const Array& x, const Shape& shape);

// Joins arrays of one shape along a new axis; dtypes promote. Neighbouring
// slices of one array are joined without a copy, by concatenate as well.
// Throws: ValueError for no arrays, ShapeError where shapes differ.
Array stack(std::span<const Array> arrays, int axis = 0);
Array stack(std::initializer_list<Array> arrays, int axis = 0);
Array stack(const std::vector<Array>& arrays, int axis = 0);
// Joins arrays along an axis that they have; dtypes promote.
// Throws: ValueError for no arrays, ShapeError where other sizes differ.
Array concatenate(std::span<const Array> arrays, int axis = 0);
Array concatenate(std::initializer_list<Array> arrays, int axis = 0);
Array concatenate(const std::vector<Array>& arrays, int axis = 0);
// The same as concatenate.
Array concat(std::span<const Array> arrays, int axis = 0);
Array concat(std::initializer_list<Array> arrays, int axis = 0);
Array concat(const std::vector<Array>& arrays, int axis = 0);

}  // namespace systolic
