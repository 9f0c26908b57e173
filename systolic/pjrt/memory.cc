#include "systolic/pjrt/memory.h"

#include "systolic/pjrt/call.h"

namespace systolic::internal::pjrt {

std::string Memory::kind() const { return get_text(api_, kMemoryKind, raw_); }

}  // namespace systolic::internal::pjrt
