// Tested by: systolic/records/csv_dataset_test.cc
#include "systolic/records/csv_parser.h"

namespace systolic::data::detail {

void CsvParser::begin_field(CsvRow* row) {
  if (row->count == row->fields.size()) row->fields.emplace_back();
  field_ = &row->fields[row->count++];
  field_->clear();
  state_ = State::start;
}

void CsvParser::complain(CsvRow* row, const char* problem) const {
  if (!row->problem.empty()) return;
  row->problem = problem;
  row->problem += " (field " + std::to_string(row->count - 1) + ")";
}

// Takes a character within quotes.
bool CsvParser::add_quoted(char c, CsvRow*) {
  if (c == '"') {
    state_ = State::closed;  // or the first of two
  } else {
    if (c == '\n') ++line_;
    field_->push_back(c);
  }
  return true;
}

// Takes a character; false where it ends the row.
bool CsvParser::add(char c, CsvRow* row) {
  if (state_ == State::quoted) return add_quoted(c, row);
  if (c == '\n' || c == '\r') return false;
  if (c == syntax_.delimiter) {
    begin_field(row);
  } else if (c == '"' && syntax_.quotes) {
    if (state_ == State::closed) {
      field_->push_back(c);  // a doubled quote
      state_ = State::quoted;
    } else if (state_ == State::start) {
      state_ = State::quoted;
    } else {
      complain(row, "a quote within a field that does not begin with one");
    }
  } else {
    if (state_ == State::closed) {
      complain(row, "characters between a closing quote and the delimiter");
    } else {
      state_ = State::plain;
      field_->push_back(c);
    }
  }
  return true;
}

bool CsvParser::read(CsvRow* row) {
  std::string_view view = reader_.window();
  if (view.empty()) return false;
  row->count = 0;
  row->line = line_;
  row->problem.clear();
  begin_field(row);
  for (; !view.empty(); view = reader_.window()) {
    for (size_t i = 0; i < view.size(); ++i) {
      if (add(view[i], row)) continue;
      reader_.skip(i + 1);
      if (view[i] == '\r' && reader_.peek(1) == "\n") reader_.skip(1);
      ++line_;
      return true;
    }
    reader_.skip(view.size());
  }
  if (state_ == State::quoted) {
    complain(row, "the file ends before a closing quote");
  }
  ++line_;
  return true;
}

}  // namespace systolic::data::detail
