#include "systolic/array/spec.h"

#include <ostream>

#include "systolic/array/stand_in.h"

namespace systolic {

std::string TensorSpec::to_string() const {
  std::string out(name(dtype));
  if (!shape.is_set()) return out + "<unset>";
  out += '[';
  for (int i = 0; i < shape.rank(); ++i) {
    if (i > 0) out += ", ";
    out += shape[i] < 0 || internal::is_stand_in(shape[i])
               ? "None"
               : std::to_string(shape[i]);
  }
  out += ']';
  return out;
}

std::ostream& operator<<(std::ostream& out, const TensorSpec& spec) {
  return out << spec.to_string();
}

}  // namespace systolic
