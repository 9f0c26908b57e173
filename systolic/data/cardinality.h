// Arithmetic on numbers of elements, of which two values mean infinite and
// unknown.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "systolic/data/dataset_base.h"

namespace systolic::data::detail {

// The cardinality of one data set behind the other.
inline int64_t add_cardinality(int64_t a, int64_t b) {
  if (a == INFINITE_CARDINALITY || b == INFINITE_CARDINALITY) {
    return INFINITE_CARDINALITY;
  }
  if (a == UNKNOWN_CARDINALITY || b == UNKNOWN_CARDINALITY) {
    return UNKNOWN_CARDINALITY;
  }
  // As many as nobody reads.
  if (a > std::numeric_limits<int64_t>::max() - b) return INFINITE_CARDINALITY;
  return a + b;
}

// The cardinality of the shorter one.
inline int64_t min_cardinality(int64_t a, int64_t b) {
  if (a == INFINITE_CARDINALITY) return b;
  if (b == INFINITE_CARDINALITY) return a;
  if (a == 0 || b == 0) return 0;
  if (a == UNKNOWN_CARDINALITY || b == UNKNOWN_CARDINALITY) {
    return UNKNOWN_CARDINALITY;
  }
  return std::min(a, b);
}

// The cardinality of `a` repeated `count` times, without end for -1.
inline int64_t repeat_cardinality(int64_t a, int64_t count) {
  if (count == 0 || a == 0) return 0;
  if (count < 0 || a == INFINITE_CARDINALITY) return INFINITE_CARDINALITY;
  if (a == UNKNOWN_CARDINALITY) return UNKNOWN_CARDINALITY;
  if (a > std::numeric_limits<int64_t>::max() / count) {
    return INFINITE_CARDINALITY;
  }
  return a * count;
}

// The number of batches of `size` elements.
inline int64_t batch_cardinality(int64_t elements, int64_t size,
                                 bool drop_remainder) {
  if (elements < 0) return elements;
  const bool has_rest = elements % size != 0 && !drop_remainder;
  return elements / size + (has_rest ? 1 : 0);
}

// Whether no batch is shorter than the others.
inline bool batches_are_whole(int64_t elements, int64_t size,
                              bool drop_remainder) {
  return drop_remainder || elements == INFINITE_CARDINALITY ||
         (elements > 0 && elements % size == 0);
}

}  // namespace systolic::data::detail
