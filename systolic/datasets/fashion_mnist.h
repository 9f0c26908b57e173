// Fashion-MNIST: 70,000 pictures of clothes, as Keras gives them.
//   auto [train, test] = datasets::fashion_mnist::load_data();
#pragma once

#include <utility>

#include "systolic/datasets/mnist.h"

namespace systolic::datasets::fashion_mnist {

// Images and labels.
using Part = mnist::Part;

// The images and labels for training and for testing.
// Shapes: ((60000, 28, 28), (60000,)) and ((10000, 28, 28), (10000,)), all
// uint8; labels are 0 ... 9: T-shirt or top, trouser, pullover, dress, coat,
// sandal, shirt, sneaker, bag, ankle boot. Places and errors are those of
// mnist::load_data().
std::pair<Part, Part> load_data();

}  // namespace systolic::datasets::fashion_mnist
