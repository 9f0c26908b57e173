// What a compiled program may depend on beside its plugin: the processor that
// it was compiled on and the variables that plugins read.
//
//   std::string text = machine_identity();
#pragma once

#include <istream>
#include <string>

namespace systolic::internal::runtime {

// The kind and the features of the first processor of a /proc/cpuinfo.
std::string processor_identity(std::istream& cpuinfo);

// The processor's, how many of them this process may use (compilers divide
// loops by that), and the variables XLA_*, TF_XLA_* and LIBTPU_* as they are
// set.
std::string machine_identity();

}  // namespace systolic::internal::runtime
