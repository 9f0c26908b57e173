// The position of an iterator as bytes, which a program saves with its
// checkpoint: small, versioned, the same on every machine of one byte order.
//   void save(StateWriter& state) override {
//     state.begin("take");
//     state.write_int(left_);
//     input_->save(state);
//   }
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/data/element.h"

namespace systolic::data {

// Collects the fields of a pipeline's iterators: each writes its own, then
// lets its inputs write theirs.
class StateWriter {
 public:
  StateWriter();

  // Starts the fields of the node that `tag` names; expect() reads it.
  void begin(std::string_view tag);
  // Adds one field. Each has a mark of its kind, so that reading another kind
  // is noticed.
  void write_int(int64_t value);
  void write_bool(bool value) { write_int(value ? 1 : 0); }
  void write_string(std::string_view bytes);
  void write_element(const Element& element);
  // An exception that waits to be thrown: its class, if one of ours, and text.
  void write_error(const std::exception_ptr& error);

  // Throws TypeError: an iterator below the last begin() has no save().
  [[noreturn]] void throw_unsupported() const;

  // Keeps what holds a node's threads up until take(): all fields are then of
  // one moment, those that are written behind the node's own too.
  void keep(std::shared_ptr<void> pause);

  // The bytes, closed by a check sum; the writer is empty afterwards.
  std::string take();

 private:
  void write_array(const Array& array);
  void write_window(const DatasetBase& dataset);

  std::string bytes_;
  std::string tag_ = "the data set";
  std::vector<std::shared_ptr<void>> pauses_;
};

// Reads what a StateWriter wrote, in the same order.
class StateReader {
 public:
  // Throws DataError for bytes that are damaged, cut off, of a version that is
  // not known or no state at all. `bytes` is not copied.
  explicit StateReader(std::string_view bytes);

  // Throws ValueError, naming both nodes, unless the next field is a begin()
  // of `tag`: the state is of another pipeline.
  void expect(std::string_view tag);
  // The next field. Throws ValueError when it is of another kind.
  int64_t read_int();
  bool read_bool() { return read_int() != 0; }
  std::string read_string();
  Element read_element();
  std::exception_ptr read_error();

  // Throws ValueError when fields are left: the state is of a longer pipeline.
  void expect_end() const;
  // Throws TypeError: an iterator below the last expect() has no restore().
  [[noreturn]] void throw_unsupported() const;
  // Throws ValueError: the last expect()ed node needs `expected`, got `got`.
  [[noreturn]] void throw_mismatch(std::string_view expected,
                                   std::string_view got) const;

 private:
  void expect_mark(char mark);
  std::string describe_next() const;
  uint64_t read_varint();
  std::string_view read_bytes(uint64_t count);
  Array read_array();
  Element read_window();

  std::string_view bytes_;
  size_t position_ = 0;
  std::string tag_ = "the data set";
};

}  // namespace systolic::data
