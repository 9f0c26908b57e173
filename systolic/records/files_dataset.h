// What data sets that read files share: one file after the other, or several
// at a time. A format opens a file, a cursor reads it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "systolic/data/dataset.h"
#include "systolic/io/file_system.h"
#include "systolic/records/file_names.h"

namespace systolic::data::detail {

// A position in one file.
class FileCursor {
 public:
  virtual ~FileCursor() = default;

  // Puts the next element into `*out`; false at the end of the file. Behind a
  // RecordError or CsvError the next call goes on; after anything else the
  // cursor is not used any more.
  virtual bool next(Element* out) = 0;
  // Writes the position, and takes it over.
  virtual void save(StateWriter& state) const = 0;
  virtual void restore(StateReader& state) = 0;
};

// How files of one kind are read. Shared by threads.
class FileFormat {
 public:
  virtual ~FileFormat() = default;

  // The data set's name, such as "TFRecordDataset".
  virtual std::string name() const = 0;
  // What each element is.
  virtual ElementSpec element_spec() const = 0;
  // As DatasetBase::parameters().
  virtual std::string parameters() const { return {}; }
  // A cursor at the start of a file. Throws io::StorageError, DataError.
  virtual std::unique_ptr<FileCursor> open(
      std::unique_ptr<io::RandomAccessFile> file) const = 0;
};

// The elements of all files. With `num_parallel_reads`, of that many files at
// a time, an element of each in turn; AUTOTUNE lets the machine choose.
// `user_name` is the one given in the data set's options. Throws ValueError for
// a number below 1.
Dataset read_files(const FileNames& files,
                   std::shared_ptr<const FileFormat> format,
                   std::optional<int64_t> num_parallel_reads,
                   const std::string& user_name);

}  // namespace systolic::data::detail
