#include "systolic/pjrt/compile_options.h"

#include <bit>
#include <string_view>

#include "systolic/base/error.h"

namespace systolic::internal::pjrt {
namespace {

// The protocol-buffer wire format, as far as it is needed.
enum class WireType : uint64_t { varint = 0, fixed64 = 1, bytes = 2 };

class Encoder {
 public:
  void varint(int field, uint64_t value) {
    key(field, WireType::varint);
    raw_varint(value);
  }
  void fixed64(int field, uint64_t value) {
    key(field, WireType::fixed64);
    for (int i = 0; i < 8; ++i) {
      out_ += static_cast<char>(value >> (8 * i) & 0xff);
    }
  }
  void bytes(int field, std::string_view value) {
    key(field, WireType::bytes);
    raw_varint(value.size());
    out_ += value;
  }
  void raw_varint(uint64_t value) {
    while (value >= 0x80) {
      out_ += static_cast<char>((value & 0x7f) | 0x80);
      value >>= 7;
    }
    out_ += static_cast<char>(value);
  }
  const std::string& str() const { return out_; }

 private:
  void key(int field, WireType type) {
    raw_varint(static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(type));
  }

  std::string out_;
};

// DeviceAssignmentProto: replica_count 1, computation_count 2,
// computation_devices 3 { replica_device_ids 1 }.
std::string encode_assignment(const std::vector<int64_t>& ids) {
  Encoder packed;
  for (int64_t id : ids) packed.raw_varint(static_cast<uint64_t>(id));
  Encoder devices;
  devices.bytes(1, packed.str());
  Encoder assignment;
  assignment.varint(1, ids.size());
  assignment.varint(2, 1);
  assignment.bytes(3, devices.str());
  return assignment.str();
}

// ExecutableBuildOptionsProto: num_replicas 4, num_partitions 5,
// device_assignment 9. Both counts must be there: plugins abort at 0.
std::string encode_build_options(const CompileOptions& options) {
  Encoder build;
  build.varint(4, static_cast<uint64_t>(options.num_replicas));
  build.varint(5, 1);
  if (!options.device_ids.empty()) {
    build.bytes(9, encode_assignment(options.device_ids));
  }
  return build.str();
}

struct EncodeValue {
  Encoder& out;

  void operator()(const std::string& text) const { out.bytes(1, text); }
  void operator()(bool flag) const { out.varint(2, flag ? 1 : 0); }
  void operator()(int64_t number) const {
    out.varint(3, static_cast<uint64_t>(number));
  }
  void operator()(double number) const {
    out.fixed64(4, std::bit_cast<uint64_t>(number));
  }
};

// One entry of the map: key 1, value 2.
std::string encode_override(const OptionOverride& option) {
  Encoder value;
  std::visit(EncodeValue{value}, option.second);
  Encoder entry;
  entry.bytes(1, option.first);
  entry.bytes(2, value.str());
  return entry.str();
}

}  // namespace

std::string encode(const CompileOptions& options) {
  if (options.num_replicas < 1 ||
      (!options.device_ids.empty() &&
       options.device_ids.size() !=
           static_cast<size_t>(options.num_replicas)) ||
      (options.portable &&
       (options.num_replicas != 1 || !options.device_ids.empty()))) {
    throw InternalError(
        "compile options: " + std::to_string(options.num_replicas) +
        " replicas on " + std::to_string(options.device_ids.size()) +
        " devices" + (options.portable ? ", portable" : ""));
  }
  Encoder out;
  out.bytes(3, encode_build_options(options));
  if (options.portable) out.varint(4, 1);
  for (const OptionOverride& option : options.overrides) {
    out.bytes(7, encode_override(option));
  }
  return out.str();
}

}  // namespace systolic::internal::pjrt
