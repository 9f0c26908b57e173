#include "systolic/runtime/counters.h"

namespace systolic::internal::runtime {

Counters& counters() {
  static Counters all;
  return all;
}

}  // namespace systolic::internal::runtime
