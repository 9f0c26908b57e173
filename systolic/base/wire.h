// Reads protobuf's wire format, field by field: libtpu has a protobuf library
// of its own inside, so that none is linked beside it.
//
//   const WireMessage what{"plan", "a serialized HloModuleProto", "the
//   module"}; for (WireReader reader(bytes, what); reader.next();) {
//     if (reader.field() == 1) name = reader.bytes();
//   }
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "systolic/base/error.h"

namespace systolic::internal {

// Bytes that are not the message that they ought to be.
class WireError : public DataError {
 public:
  using DataError::DataError;
};

// What errors say of a message.
struct WireMessage {
  std::string_view who;       // reads it
  std::string_view expected;  // the whole that it is or is a part of
  std::string_view part = {};
};

// How a field's value is written.
enum class WireKind : uint8_t {
  varint = 0,
  fixed64 = 1,
  bytes = 2,
  fixed32 = 5
};

// The fields of one message, in the order in which they were written.
class WireReader {
 public:
  // What `bytes` and `what` refer to has to outlive the reader.
  WireReader(std::string_view bytes, const WireMessage& what)
      : rest_(bytes), what_(what) {}

  // Goes to the next field; false at the end. Throws WireError for bytes that
  // are no message or end too early.
  bool next();

  int field() const { return field_; }
  WireKind kind() const { return kind_; }
  // The number in it; WireError unless it is a varint.
  int64_t number() const;
  // The text or message in it; WireError if it holds a number.
  std::string_view bytes() const;
  // The bytes of a field that is no varint: of a fixed32 the four.
  std::string_view raw() const { return bytes_; }
  // Adds what it holds to the numbers of a repeated field, packed or not.
  void add_numbers(std::vector<int64_t>& numbers) const;

  // Throws a WireError that names the message.
  [[noreturn]] void fail(std::string_view problem) const;

 private:
  uint64_t read_number(std::string_view& bytes) const;
  std::string_view take(uint64_t size);

  std::string_view rest_;
  WireMessage what_;
  int field_ = 0;
  WireKind kind_ = WireKind::varint;
  uint64_t number_ = 0;
  std::string_view bytes_;
};

}  // namespace systolic::internal
