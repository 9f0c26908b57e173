// The time of a program by operations: the compiler's cycles, loops as often
// as they turn, each with the layer, the op and the line it comes from.
//
//   ProgramWork work = program_work(module, v3);
//   for (const OperationWork& operation : work.operations) ...
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/plan/hlo_module.h"

namespace systolic::internal::plan {

// What the instructions of one place in the program do in one run.
struct OperationWork {
  std::string layer = {};
  std::string name = {};
  std::string where = {};
  double cycles = 0;
  // Bytes of instructions that the compiler gives no cycles for.
  double unpriced_bytes = 0;
  double bytes = 0;  // to and from the device's large memory
  double flops = 0;  // of the matrix units
  double padded_flops = 0;
};

enum class CollectiveKind {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  permute
};

// Collectives that are alike.
struct CollectiveWork {
  CollectiveKind kind = CollectiveKind::all_reduce;
  double bytes = 0;      // of the whole value, on one replica
  int64_t replicas = 0;  // that take part; 0: all
  double times = 1;
  double beside = 0;  // cycles computed meanwhile, each time
};

// What a program does in one run, on one device.
struct ProgramWork {
  std::vector<OperationWork> operations = {};
  std::vector<CollectiveWork> collectives = {};
  int64_t loops_of_unknown_length = 0;  // their bodies are counted once
  int64_t branches = 0;                 // of which the longest is counted
  double overlapped_copies = 0;         // bytes

  double cycles() const;
};

// The layer and the op of an op_name: "res2a/conv (gradient)/convolution" is
// "res2a/conv (gradient)" and "convolution".
struct OpName {
  std::string layer = {};
  std::string op = {};
};
OpName split_op_name(std::string_view op_name);

// Adds up a module. `tile` is the size of the device's matrix units. Throws
// DataError for a module whose computations call themselves.
ProgramWork program_work(const HloModule& module, int tile);

}  // namespace systolic::internal::plan
