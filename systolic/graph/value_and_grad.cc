#include "systolic/graph/value_and_grad.h"

#include "systolic/base/message.h"

namespace systolic::internal::graph {

void check_value(const Tensor& value, const SourceLocation& where) {
  if (value.rank() == 0) return;
  Message("value_and_grad")
      .expected("a function that gives one number")
      .got(value.spec())
      .hint("sum the values, or use GradientTape: jacobian gives all rows")
      .at(where)
      .raise<ValueError>();
}

void check_argnums(const std::vector<int>& argnums, size_t count,
                   const SourceLocation& where) {
  for (const int i : argnums) {
    if (i >= 0 && static_cast<size_t>(i) < count) continue;
    Message("value_and_grad")
        .expected("argnums from 0 to ", static_cast<int64_t>(count) - 1,
                  " for a call with ", count, " argument(s)")
        .got(i)
        .at(where)
        .raise<ValueError>();
  }
}

}  // namespace systolic::internal::graph
