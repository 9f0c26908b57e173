// CIFAR-10 and CIFAR-100: 60,000 small photographs, as Keras gives them.
//   auto [train, test] = datasets::cifar10::load_data();
//   auto coarse = datasets::cifar100::load_data({.label_mode = "coarse"});
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "systolic/array/array.h"

namespace systolic::datasets::cifar10 {

// Images and labels.
using Part = std::pair<Array, Array>;

// The images and labels for training and for testing.
// Shapes: ((50000, 32, 32, 3), (50000, 1)) and ((10000, 32, 32, 3), (10000,
// 1)), all uint8; labels are 0 ... 9: airplane, automobile, bird, cat, deer,
// dog, frog, horse, ship, truck. Looks where mnist::load_data() looks, for
// cifar-10-binary.tar or .tar.gz. Throws: NotFoundError, DataError.
std::pair<Part, Part> load_data();

}  // namespace systolic::datasets::cifar10

namespace systolic::datasets::cifar100 {

using Part = cifar10::Part;

struct Options {
  // "fine": 100 classes, "coarse": 20.
  std::string label_mode = "fine";
};
// As cifar10::load_data(), for cifar-100-binary.tar. Throws: ValueError for
// another label_mode.
std::pair<Part, Part> load_data(const Options& options = {});

// The names of the classes in the order of their labels. Throws: as above.
std::vector<std::string> class_names(const Options& options = {});

}  // namespace systolic::datasets::cifar100

namespace systolic::datasets::detail {

struct SourceFile;
struct Places;

// load_data() with another table and other places.
std::pair<cifar10::Part, cifar10::Part> load_cifar10(
    const std::vector<SourceFile>& sources, const Places& places);
std::pair<cifar10::Part, cifar10::Part> load_cifar100(
    const std::vector<SourceFile>& sources, const Places& places,
    const cifar100::Options& options);

}  // namespace systolic::datasets::detail
