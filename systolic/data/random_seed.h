// A seed for one's own random numbers in a function of map(), filter(), ...:
//   dataset.map([](Array x) {
//     std::mt19937_64 random(data::random_seed());
//     return x + float(random() % 10);
//   }, {.num_parallel_calls = 4});
#pragma once

#include <cstdint>

namespace systolic::data {

// In a function that a data set calls: a seed of the node, the pass and the
// element, another one at each call, so that results are equal for any number
// of threads and after save() and restore. A generator that outlives the call
// has neither. Anywhere else the next seed of the program (set_random_seed).
uint64_t random_seed();

}  // namespace systolic::data
