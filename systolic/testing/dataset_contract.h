// What every data set transform keeps, checked in one call:
//   EXPECT_EQ(testing::dataset_contract([](data::Dataset input) {
//               return input.map(decode, {.num_parallel_calls = 4});
//             }), "");
// The text names each check that failed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "systolic/data/dataset.h"

namespace systolic::testing {

// What the transform under test promises.
struct DatasetContract {
  // The elements that it reads; range(40) when not set.
  std::optional<data::Dataset> input = {};
  // What a pass of the result counts, when the test knows; else only
  // cardinality() is held against it.
  std::optional<int64_t> length = {};
  // Whether two builds, and two passes of one, have the same order.
  bool same_in_each_build = true;
  bool same_in_each_pass = true;
  // Whether an exception thrown for input element 17 must reach the reader;
  // false for transforms that do not read so far.
  bool passes_errors = true;
};

// Checks `transform` and returns what it found wrong, empty when nothing:
// cardinality() and element_spec() hold for what is read; equal builds and
// passes give equal elements; a pass left early, at its start, behind one and
// behind some elements, joins its threads; an exception of a function upstream
// passes through with `map (element 17)` and ends no pass; iterators keep
// what they read alive; two passes at a time do not disturb each other.
std::string dataset_contract(
    const std::function<data::Dataset(data::Dataset)>& transform,
    const DatasetContract& contract = {});

// The number of threads of this process.
int64_t process_threads();
// Whether this process has at most `count` threads. The kernel may count a
// thread for a moment after it was joined: waits some seconds for that.
bool threads_come_down_to(int64_t count);

}  // namespace systolic::testing
