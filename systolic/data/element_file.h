// Files of elements: what cache(filename), save() and snapshot() keep on disk.
//   ElementFileWriter writer("cache");  writer.append(element); writer.close();
//   ElementFileReader reader("cache");  while (reader.get_next(&element)) ...
// A file is blocks of elements, each with its length in front and a check sum,
// behind them the number of all elements.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "systolic/data/element.h"
#include "systolic/data/iterator_state.h"
#include "systolic/io/file_system.h"

namespace systolic::data::detail {

// Writes a file that others see when it is closed, or not at all.
class ElementFileWriter {
 public:
  // Throws as io::create_file. `packed`: with pack_block().
  explicit ElementFileWriter(const std::string& path, bool packed = false);

  // Adds one element. Throws io::StorageError; TypeError for an element that
  // is a data set.
  void append(const Element& element);
  // Writes what is left and puts the file in its place.
  void close();
  // The number of elements added.
  int64_t size() const { return count_; }

 private:
  void write_block();

  std::unique_ptr<io::WritableFile> file_;
  const bool packed_;
  std::vector<Element> block_;
  size_t block_bytes_ = 0;
  int64_t count_ = 0;
};

// Reads such a file from its first element on.
class ElementFileReader {
 public:
  // Throws NotFoundError, io::StorageError; DataError when it is no such file.
  explicit ElementFileReader(const std::string& path);

  // The next element, or false at the end. Throws DataError that says at
  // which byte the file is damaged or cut off.
  bool get_next(Element* out);
  // The position; restore() throws DataError when the file has none such.
  void save(StateWriter& state) const;
  void restore(StateReader& state);

 private:
  bool read_block();
  std::string read_bytes(int64_t count, const char* what);
  int64_t read_number(const char* what);
  [[noreturn]] void throw_damaged(const std::string& what) const;
  [[noreturn]] void throw_foreign() const;

  std::unique_ptr<io::RandomAccessFile> file_;
  bool packed_ = false;
  int64_t offset_ = 0;        // of the next block
  int64_t block_offset_ = 0;  // of this block
  std::vector<Element> block_;
  size_t next_ = 0;    // in the block
  int64_t given_ = 0;  // in all blocks up to here
  bool ended_ = false;
};

}  // namespace systolic::data::detail
