// Drawn flowers in the files of the real ones: for programs and tests that
// have no network.
//   datasets::flowers::write_drawn("flowers/tfrecords-jpeg-192x192",
//                                  {.files = 4, .per_file = 200, .size = 192});
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/array/array.h"

namespace systolic::datasets::flowers {

// A picture of a flower of class 0 ... 4 (class_names()), which differ in
// their petals and colours: uint8 (size, size, 3). Equal seeds give equal
// pictures. Throws: ValueError for another class or a size below 8.
Array draw(int label, int64_t size, uint64_t seed);

struct DrawnOptions {
  int64_t files = 8;
  int64_t per_file = 230;
  int64_t size = 331;
  int quality = 88;  // of the JPEG
  uint64_t seed = 0;
};
// Writes record files with the public set's features (image, class, label,
// one_hot_class, size), each class as often, in random order; makes the
// folder. Returns their paths. Throws: ValueError for numbers below 1,
// io::StorageError.
std::vector<std::string> write_drawn(const std::string& folder,
                                     const DrawnOptions& options = {});

}  // namespace systolic::datasets::flowers
