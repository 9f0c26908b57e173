// The names of the classes of data sets that have many, by their labels.
#pragma once

#include <string>
#include <vector>

namespace systolic::datasets::detail {

// CIFAR-100's 100 classes and the 20 that they belong to.
std::vector<std::string> cifar100_fine_names();
std::vector<std::string> cifar100_coarse_names();

// The competition's 104 kinds of flowers.
std::vector<std::string> many_flower_names();

}  // namespace systolic::datasets::detail
