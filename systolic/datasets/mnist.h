// MNIST: 70,000 handwritten digits, as Keras gives them.
//   auto [train, test] = datasets::mnist::load_data();
//   auto dataset = data::Dataset::from_tensor_slices(train);
#pragma once

#include <utility>
#include <vector>

#include "systolic/array/array.h"

namespace systolic::datasets::mnist {

// Images and labels.
using Part = std::pair<Array, Array>;

// The images and labels for training and for testing.
// Shapes: ((60000, 28, 28), (60000,)) and ((10000, 28, 28), (10000,)), all
// uint8; labels are 0 ... 9.
// Looks in ${XDG_CACHE_HOME:-~/.cache}/systolic/datasets/mnist, then in the
// folder that SYSTOLIC_DATA_DIR names, then fetches the public copy and keeps
// it. Throws: NotFoundError that says what to put where; DataError when a file
// is damaged.
std::pair<Part, Part> load_data();

}  // namespace systolic::datasets::mnist

namespace systolic::datasets::detail {

struct SourceFile;
struct Places;

// load_data() with another table and other places.
std::pair<mnist::Part, mnist::Part> load_mnist(
    const std::vector<SourceFile>& sources, const Places& places);

}  // namespace systolic::datasets::detail
