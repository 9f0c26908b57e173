// The program that the compiler made, as far as a plan looks at it: XLA's
// HloModuleProto, read from its bytes.
//
//   HloModule module = read_hlo_module(executable.optimized()->bytes);
//   for (const HloInstruction& i : module.entry().instructions) ...
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace systolic::internal::plan {

// The shape of a value or, of a tuple, those of its parts.
struct HloShape {
  int element_type = 0;  // XLA's PrimitiveType
  std::vector<int64_t> dimensions = {};
  int64_t memory_space = 0;  // 0: the device's large memory
  std::vector<HloShape> parts = {};

  // Bytes without padding; of a tuple, of its parts together.
  int64_t bytes() const;
  // Those in the device's large memory.
  int64_t large_memory_bytes() const;
};

// How a window moves along one spatial dimension.
struct HloWindow {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t padding_low = 0;
  int64_t padding_high = 0;
  int64_t window_dilation = 1;
  int64_t base_dilation = 1;
};

// Which dimensions of a convolution are which.
struct HloConvolution {
  int64_t input_batch = 0;
  int64_t input_feature = 0;
  int64_t kernel_input_feature = 0;
  int64_t kernel_output_feature = 0;
  int64_t output_feature = 0;
  std::vector<int64_t> input_spatial = {};
  std::vector<int64_t> output_spatial = {};
};

// Which dimensions of a matrix product are which.
struct HloDot {
  std::vector<int64_t> lhs_contracting = {};
  std::vector<int64_t> rhs_contracting = {};
  std::vector<int64_t> lhs_batch = {};
};

struct HloInstruction {
  int64_t id = 0;
  std::string name = {};
  std::string opcode = {};  // "fusion", "while", "all-reduce"
  HloShape shape = {};
  std::string op_name = {};  // of its metadata, "conv1_conv/convolution"
  std::string where = {};    // "resnet50.cc:58"; empty: not known
  std::vector<int64_t> operands = {};
  std::vector<int64_t> computations = {};  // called ones
  std::vector<HloWindow> window = {};
  HloConvolution convolution = {};
  HloDot dot = {};
  int64_t feature_groups = 1;
  int64_t batch_groups = 1;
  int64_t parameter = 0;        // the number of a parameter
  int64_t tuple_index = 0;      // of get-tuple-element
  int64_t group_size = 0;       // of a collective; 0: all replicas
  int64_t cycles = 0;           // the compiler's estimate; 0: none
  int64_t trips = 0;            // the compiler's, of a loop; 0: not known
  std::string comparison = {};  // \"LT\"
  std::optional<int64_t> constant = {};  // of a whole number
};

struct HloComputation {
  std::string name = {};
  int64_t id = 0;
  int64_t root = 0;  // an instruction's id
  // Ids in the order in which they run; empty where the compiler has none.
  std::vector<int64_t> schedule = {};
  std::vector<HloInstruction> instructions = {};

  // The instruction of an id; null if it is of another computation.
  const HloInstruction* find(int64_t instruction) const;
};

struct HloModule {
  std::string name = {};
  int64_t entry_id = 0;
  std::map<int64_t, HloComputation> computations = {};

  const HloComputation& entry() const { return computation(entry_id); }
  // Throws DataError where there is none of this id.
  const HloComputation& computation(int64_t id) const;
};

// Reads a serialized HloModuleProtoWithConfig, the format "hlo_with_config" of
// PJRT. Throws DataError for bytes that are none, with what is wrong.
HloModule read_hlo_module(std::string_view bytes);

}  // namespace systolic::internal::plan
