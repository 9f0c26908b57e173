#include "systolic/data/random_seed.h"

#include "systolic/base/seed.h"

namespace systolic::data {

uint64_t random_seed() { return internal::draw_seed(); }

}  // namespace systolic::data
