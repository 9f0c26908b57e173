#include "systolic/optimizers/options.h"

#include <string>

#include "systolic/base/message.h"

namespace systolic::internal {

void check_option(std::string_view who, std::string_view option, double value,
                  const OptionRange& range) {
  // Written so that NaN fails.
  if (value >= range.least && value <= range.most) return;
  Message(std::string(who))
      .expected(option, " ", range.text)
      .got(value)
      .raise<ValueError>();
}

}  // namespace systolic::internal
