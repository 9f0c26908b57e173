#include "systolic/models/verbose.h"

#include "systolic/base/message.h"

namespace systolic::models {

void VerboseOption::throw_unknown(int64_t number) {
  internal::Message("verbose")
      .expected("0 (silent), 1 (bar) or 2 (line)")
      .got(number)
      .hint("left out it is the bar on a terminal and plain lines elsewhere")
      .raise<ValueError>();
}

}  // namespace systolic::models
