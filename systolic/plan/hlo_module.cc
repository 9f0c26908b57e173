#include "systolic/plan/hlo_module.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/base/wire.h"

namespace systolic::internal::plan {
namespace {

// A part of the module, which `part` names in errors.
class HloReader : public WireReader {
 public:
  HloReader(std::string_view bytes, std::string_view part)
      : WireReader(
            bytes,
            {"plan", "a serialized HloModuleProto from the compiler", part}) {}
};

// XLA's PrimitiveType: bits of an element.
int64_t element_bits(int type) {
  switch (type) {
    case 1:   // PRED
    case 2:   // S8
    case 6:   // U8
    case 19:  // F8E5M2
    case 20:  // F8E4M3FN
    case 23:  // F8E4M3B11FNUZ
    case 24:  // F8E5M2FNUZ
    case 25:  // F8E4M3FNUZ
    case 28:  // F8E4M3
    case 29:  // F8E3M4
    case 33:  // F8E8M0FNU
      return 8;
    case 3:   // S16
    case 7:   // U16
    case 10:  // F16
    case 16:  // BF16
      return 16;
    case 4:   // S32
    case 8:   // U32
    case 11:  // F32
      return 32;
    case 5:   // S64
    case 9:   // U64
    case 12:  // F64
    case 15:  // C64
      return 64;
    case 18:  // C128
      return 128;
    case 21:  // S4
    case 22:  // U4
    case 32:  // F4E2M1FN
      return 4;
    default:  // tokens, tuples
      return 0;
  }
}

// The lines of source code that instructions name by a frame's number.
struct StackFrames {
  std::vector<std::string> files;
  std::vector<std::pair<int64_t, int64_t>> locations;  // file, line
  std::vector<int64_t> frames;                         // location

  // "file:line" of a frame, whose number starts at 1; empty if there is none.
  std::string where(int64_t frame) const {
    if (frame < 1 || frame > std::ssize(frames)) return "";
    const int64_t location = frames[static_cast<size_t>(frame - 1)];
    if (location < 1 || location > std::ssize(locations)) return "";
    const auto [file, line] = locations[static_cast<size_t>(location - 1)];
    if (file < 1 || file > std::ssize(files)) return "";
    return files[static_cast<size_t>(file - 1)] + ":" + std::to_string(line);
  }
};

StackFrames read_frames(std::string_view bytes) {
  StackFrames index;
  for (HloReader reader(bytes, "the source lines"); reader.next();) {
    switch (reader.field()) {
      case 1:
        index.files.emplace_back(reader.bytes());
        break;
      case 3: {
        std::pair<int64_t, int64_t> location{0, 0};
        for (HloReader part(reader.bytes(), "a source line"); part.next();) {
          if (part.field() == 1) location.first = part.number();
          if (part.field() == 3) location.second = part.number();
        }
        index.locations.push_back(location);
        break;
      }
      case 4: {
        int64_t location = 0;
        for (HloReader part(reader.bytes(), "a source frame"); part.next();) {
          if (part.field() == 1) location = part.number();
        }
        index.frames.push_back(location);
        break;
      }
      default:
        break;
    }
  }
  return index;
}

HloShape read_shape(std::string_view bytes) {
  HloShape shape;
  for (HloReader reader(bytes, "a shape"); reader.next();) {
    switch (reader.field()) {
      case 2:
        shape.element_type = static_cast<int>(reader.number());
        break;
      case 3:
        reader.add_numbers(shape.dimensions);
        break;
      case 4:
        shape.parts.push_back(read_shape(reader.bytes()));
        break;
      case 5:
        for (HloReader layout(reader.bytes(), "a layout"); layout.next();) {
          if (layout.field() == 8) shape.memory_space = layout.number();
        }
        break;
      default:
        break;
    }
  }
  return shape;
}

std::vector<HloWindow> read_window(std::string_view bytes) {
  std::vector<HloWindow> window;
  for (HloReader reader(bytes, "a window"); reader.next();) {
    if (reader.field() != 1) continue;
    HloWindow side;
    const std::array<int64_t*, 6> fields{
        &side.size,         &side.stride,          &side.padding_low,
        &side.padding_high, &side.window_dilation, &side.base_dilation};
    for (HloReader part(reader.bytes(), "a window"); part.next();) {
      const auto place = static_cast<size_t>(part.field() - 1);
      if (place < fields.size()) *fields[place] = part.number();
    }
    window.push_back(side);
  }
  return window;
}

HloConvolution read_convolution(std::string_view bytes) {
  HloConvolution sides;
  for (HloReader reader(bytes, "a convolution"); reader.next();) {
    switch (reader.field()) {
      case 3:
        sides.kernel_input_feature = reader.number();
        break;
      case 4:
        sides.kernel_output_feature = reader.number();
        break;
      case 7:
        sides.input_batch = reader.number();
        break;
      case 8:
        sides.input_feature = reader.number();
        break;
      case 10:
        sides.output_feature = reader.number();
        break;
      case 11:
        reader.add_numbers(sides.input_spatial);
        break;
      case 12:
        reader.add_numbers(sides.output_spatial);
        break;
      default:
        break;
    }
  }
  return sides;
}

HloDot read_dot(std::string_view bytes) {
  HloDot sides;
  for (HloReader reader(bytes, "a dot"); reader.next();) {
    if (reader.field() == 1) reader.add_numbers(sides.lhs_contracting);
    if (reader.field() == 2) reader.add_numbers(sides.rhs_contracting);
    if (reader.field() == 3) reader.add_numbers(sides.lhs_batch);
  }
  return sides;
}

// The members of the first of a collective's groups.
int64_t read_group(std::string_view bytes) {
  std::vector<int64_t> members;
  for (HloReader reader(bytes, "a group of replicas"); reader.next();) {
    if (reader.field() == 1) reader.add_numbers(members);
  }
  return std::ssize(members);
}

int64_t read_device_list(std::string_view bytes) {
  int64_t size = 0;
  for (HloReader reader(bytes, "a list of devices"); reader.next();) {
    if (reader.field() == 1 && size == 0) size = read_group(reader.bytes());
    if (reader.field() != 2) continue;
    for (HloReader iota(reader.bytes(), "a list of devices"); iota.next();) {
      if (iota.field() == 2) size = iota.number();
    }
  }
  return size;
}

void read_metadata(std::string_view bytes, const StackFrames& frames,
                   HloInstruction& instruction) {
  std::string file;
  int64_t line = 0;
  for (HloReader reader(bytes, "metadata"); reader.next();) {
    if (reader.field() == 2) instruction.op_name = reader.bytes();
    if (reader.field() == 3) file = reader.bytes();
    if (reader.field() == 4) line = reader.number();
    if (reader.field() == 15) {
      instruction.where = frames.where(reader.number());
    }
  }
  if (instruction.where.empty() && file.size() > 1) {
    instruction.where = file + ":" + std::to_string(line);
  }
}

// A number of JSON that may be written as text; 0 if it is none.
int64_t whole_number(const nlohmann::json& value) {
  if (value.is_number_integer()) return value.get<int64_t>();
  return value.is_string() ? std::atoll(value.get<std::string>().c_str()) : 0;
}

// The compiler's notes: JSON of TPUs, something else of other platforms.
void read_backend_config(std::string_view text, HloInstruction& instruction) {
  const bool has_cycles = text.find("estimated_cycles") != text.npos;
  const bool has_trips = text.find("known_trip_count") != text.npos;
  if (!has_cycles && !has_trips) return;
  const nlohmann::json config = nlohmann::json::parse(text, nullptr, false);
  if (!config.is_object()) return;
  const nlohmann::json none = nlohmann::json::object();
  const nlohmann::json window = config.value("window_config", none);
  if (window.is_object() && window.contains("estimated_cycles")) {
    instruction.cycles =
        std::max<int64_t>(0, whole_number(window["estimated_cycles"]));
  }
  const nlohmann::json trips = config.value("known_trip_count", none);
  if (trips.is_object() && trips.contains("n")) {
    instruction.trips = std::max<int64_t>(0, whole_number(trips["n"]));
  }
}

// The whole number that a literal is; nothing for others.
std::optional<int64_t> read_literal(std::string_view bytes) {
  std::vector<int64_t> numbers;
  for (HloReader reader(bytes, "a literal"); reader.next();) {
    // Those of 32 and 64 bits, with a sign and without.
    if (reader.field() == 4 || reader.field() == 5 || reader.field() == 6 ||
        reader.field() == 7) {
      reader.add_numbers(numbers);
    }
  }
  return numbers.size() == 1 ? std::optional(numbers[0]) : std::nullopt;
}

void read_field(const HloReader& reader, const StackFrames& frames,
                HloInstruction& instruction) {
  switch (reader.field()) {
    case 1:
      instruction.name = reader.bytes();
      break;
    case 2:
      instruction.opcode = reader.bytes();
      break;
    case 3:
      instruction.shape = read_shape(reader.bytes());
      break;
    case 7:
      read_metadata(reader.bytes(), frames, instruction);
      break;
    case 8:
      instruction.constant = read_literal(reader.bytes());
      break;
    case 9:
      instruction.parameter = reader.number();
      break;
    case 13:
      instruction.tuple_index = reader.number();
      break;
    case 15:
      instruction.window = read_window(reader.bytes());
      break;
    case 16:
      instruction.convolution = read_convolution(reader.bytes());
      break;
    case 30:
      instruction.dot = read_dot(reader.bytes());
      break;
    case 35:
      instruction.id = reader.number();
      break;
    case 36:
      reader.add_numbers(instruction.operands);
      break;
    case 38:
      reader.add_numbers(instruction.computations);
      break;
    case 43:
      read_backend_config(reader.bytes(), instruction);
      break;
    case 49:
      instruction.group_size = read_group(reader.bytes());
      break;
    case 50:
      instruction.feature_groups = std::max<int64_t>(1, reader.number());
      break;
    case 58:
      instruction.batch_groups = std::max<int64_t>(1, reader.number());
      break;
    case 63:
      instruction.comparison = reader.bytes();
      break;
    case 87:
      instruction.group_size = read_device_list(reader.bytes());
      break;
    default:
      break;
  }
}

HloComputation read_computation(std::string_view bytes,
                                const StackFrames& frames) {
  HloComputation computation;
  for (HloReader reader(bytes, "a computation"); reader.next();) {
    if (reader.field() == 1) computation.name = reader.bytes();
    if (reader.field() == 5) computation.id = reader.number();
    if (reader.field() == 6) computation.root = reader.number();
    if (reader.field() != 2) continue;
    HloInstruction& instruction = computation.instructions.emplace_back();
    for (HloReader part(reader.bytes(), "an instruction"); part.next();) {
      read_field(part, frames, instruction);
    }
    if (instruction.opcode.empty()) reader.fail("an instruction has no opcode");
  }
  return computation;
}

// The order of each computation: a map from its id to a sequence of ids.
void read_schedule(std::string_view bytes, HloModule& module) {
  for (HloReader reader(bytes, "the schedule"); reader.next();) {
    if (reader.field() != 1) continue;
    int64_t computation = 0;
    std::vector<int64_t> ids;
    for (HloReader part(reader.bytes(), "a schedule"); part.next();) {
      if (part.field() == 1) computation = part.number();
      if (part.field() != 2) continue;
      for (HloReader list(part.bytes(), "a schedule"); list.next();) {
        if (list.field() == 1) list.add_numbers(ids);
      }
    }
    const auto found = module.computations.find(computation);
    if (found != module.computations.end()) {
      found->second.schedule = std::move(ids);
    }
  }
}

}  // namespace

int64_t HloShape::bytes() const {
  int64_t elements = 1;
  for (const int64_t size : dimensions) elements *= size;
  const int64_t own = (elements * element_bits(element_type) + 7) / 8;
  return std::accumulate(
      parts.begin(), parts.end(), own,
      [](int64_t sum, const HloShape& part) { return sum + part.bytes(); });
}

int64_t HloShape::large_memory_bytes() const {
  if (parts.empty()) return memory_space == 0 ? bytes() : 0;
  return std::accumulate(parts.begin(), parts.end(), int64_t{0},
                         [](int64_t sum, const HloShape& part) {
                           return sum + part.large_memory_bytes();
                         });
}

const HloInstruction* HloComputation::find(int64_t instruction) const {
  // Sorted by read_hlo_module.
  const auto found = std::ranges::lower_bound(instructions, instruction, {},
                                              &HloInstruction::id);
  return found != instructions.end() && found->id == instruction ? &*found
                                                                 : nullptr;
}

const HloComputation& HloModule::computation(int64_t id) const {
  const auto found = computations.find(id);
  if (found == computations.end()) {
    HloReader("", "the module")
        .fail("a computation that is called is not there");
  }
  return found->second;
}

HloModule read_hlo_module(std::string_view bytes) {
  std::string_view proto;
  for (HloReader reader(bytes, "the module and its settings"); reader.next();) {
    if (reader.field() == 1) proto = reader.bytes();
  }
  HloModule module;
  StackFrames frames;
  std::vector<std::string_view> computations;
  std::string_view schedule;
  for (HloReader reader(proto, "the module"); reader.next();) {
    if (reader.field() == 1) module.name = reader.bytes();
    if (reader.field() == 3) computations.push_back(reader.bytes());
    if (reader.field() == 6) module.entry_id = reader.number();
    if (reader.field() == 7) schedule = reader.bytes();
    if (reader.field() == 17) frames = read_frames(reader.bytes());
  }
  for (const std::string_view text : computations) {
    HloComputation computation = read_computation(text, frames);
    std::ranges::sort(computation.instructions, {}, &HloInstruction::id);
    const int64_t id = computation.id;
    module.computations.insert_or_assign(id, std::move(computation));
  }
  read_schedule(schedule, module);
  if (!module.computations.contains(module.entry_id)) {
    HloReader(proto, "the module").fail("it has no entry computation");
  }
  return module;
}

}  // namespace systolic::internal::plan
