// Reads protobuf's wire format, field by field: libtpu has a protobuf library
// of its own inside, so that none is linked beside it.
//
//   for (WireReader reader(bytes, "the module"); reader.next();) {
//     if (reader.field() == 1) name = reader.bytes();
//   }
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace systolic::internal::plan {

// The fields of one message, in the order in which they were written.
class WireReader {
 public:
  // `what` is the message's name for errors; both have to outlive the reader.
  WireReader(std::string_view bytes, std::string_view what)
      : rest_(bytes), what_(what) {}

  // Goes to the next field; false at the end. Throws DataError for bytes that
  // are no message or end too early.
  bool next();

  int field() const { return field_; }
  // The number in it; DataError if it holds bytes.
  int64_t number() const;
  // The text or message in it; DataError if it holds a number.
  std::string_view bytes() const;
  // Adds what it holds to the numbers of a repeated field, packed or not.
  void add_numbers(std::vector<int64_t>& numbers) const;

  // Throws a DataError that names the message.
  [[noreturn]] void fail(std::string_view problem) const;

 private:
  uint64_t read_number(std::string_view& bytes) const;
  std::string_view take(uint64_t size);

  std::string_view rest_;
  std::string_view what_;
  int field_ = 0;
  bool is_bytes_ = false;
  uint64_t number_ = 0;
  std::string_view bytes_;
};

}  // namespace systolic::internal::plan
