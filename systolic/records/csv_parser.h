// Splits CSV into rows of fields, as tf.data's CsvDataset does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/records/byte_reader.h"

namespace systolic::data::detail {

// How fields are told apart.
struct CsvSyntax {
  char delimiter = ',';
  bool quotes = true;
};

// One row. The fields' strings are used again by the next.
struct CsvRow {
  std::vector<std::string> fields;
  size_t count = 0;  // of the fields
  int64_t line = 0;  // in which it begins, counted from 1
  // What is wrong with it; empty where nothing is. The row ends where a row
  // would.
  std::string problem;
};

// Reads rows from a file, of which it has no more than the next one.
class CsvParser {
 public:
  CsvParser(ByteReader& reader, const CsvSyntax& syntax)
      : reader_(reader), syntax_(syntax) {}

  // Reads the next row; false at the end of the file.
  bool read(CsvRow* row);

  // The line in which the next row begins, counted from 1.
  int64_t line() const { return line_; }
  void set_line(int64_t line) { line_ = line; }

 private:
  enum class State : uint8_t { start, plain, quoted, closed };

  void begin_field(CsvRow* row);
  bool add(char c, CsvRow* row);
  bool add_quoted(char c, CsvRow* row);
  void complain(CsvRow* row, const char* problem) const;

  ByteReader& reader_;
  const CsvSyntax syntax_;
  int64_t line_ = 1;
  State state_ = State::start;
  std::string* field_ = nullptr;
};

}  // namespace systolic::data::detail
