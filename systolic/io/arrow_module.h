// What the shared object that links Arrow does: places of storage for which
// Arrow has a client, and files of tables. io opens it at the first use.
//   arrow_module("open_file", path).open(path)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/io/file_system.h"
#include "systolic/io/range_source.h"
#include "systolic/io/storage_options.h"

namespace systolic::io::detail {

// What a file of a table is opened with.
struct TableOptions {
  // The columns that are read, in this order; empty: all.
  std::vector<std::string> columns = {};
  // The rows that come at once.
  int64_t batch_rows = 1024;
  // The columns of which rows may have no value; of others that is an error.
  std::vector<std::string> may_lack = {};
};

// One column of some rows.
struct TableColumn {
  // The values of all rows, one behind the other.
  Array values;
  // For lists: where each row begins in `values`, and the end. Empty for one
  // value a row.
  std::vector<int64_t> splits;
  // Which rows have no value; empty where all have one.
  std::vector<bool> missing = {};
};

// A table that is read from its begin to its end; one thread at a time.
class TableReader {
 public:
  virtual ~TableReader() = default;

  // A column's name and type.
  struct Column {
    std::string name;
    DType dtype;
    // Whether a row holds any number of values.
    bool is_list;
  };

  virtual const std::vector<Column>& columns() const = 0;
  // The number of rows of the whole table.
  virtual int64_t rows() const = 0;
  // Puts the next rows into `*out`, a TableColumn a column, and returns their
  // number; 0 at the end. Throws DataError.
  virtual int64_t next(std::vector<TableColumn>* out) = 0;
  // Leaves the next `count` rows out, or those that are left.
  virtual void skip(int64_t count) = 0;
};

// The kinds of files of tables.
enum class TableFormat { parquet, arrow };

// The functions of the shared object; safe to use from any thread.
class ArrowModule {
 public:
  virtual ~ArrowModule() = default;

  // As those of FileSystem, for s3://, abfs://, abfss:// and hdfs://.
  virtual std::shared_ptr<RangeSource> open(const std::string& path) = 0;
  virtual std::unique_ptr<WritableFile> create(const std::string& path) = 0;
  virtual std::optional<FileStat> find(const std::string& path) = 0;
  virtual void list(const std::string& folder, const ListOptions& options,
                    const EntryVisitor& visit) = 0;
  virtual void make_dirs(const std::string& folder) = 0;
  virtual void remove(const std::string& path) = 0;
  // Gives the two paths where the files of a folder have to be moved one by
  // one; nothing where all is done.
  struct FolderMove {
    std::string from;
    std::string to;
  };
  virtual std::optional<FolderMove> rename(const std::string& from,
                                           const std::string& to) = 0;
  virtual void copy(const std::string& from, const std::string& to) = 0;

  // Reads a table. Throws DataError for a file of another kind, NotFoundError
  // for a column that it has not.
  virtual std::unique_ptr<TableReader> read_table(
      std::unique_ptr<RandomAccessFile> file, TableFormat format,
      const TableOptions& options) = 0;
};

// The C function of the shared object; null for a library of another version.
// `options` says how patient requests are, each time that a client is needed.
using ArrowModuleFunction = ArrowModule*(const char* version,
                                         StorageOptions (*options)());

// The shared object's functions. Throws StorageError, which names `who` and
// `path` and says how to get it, where it is not there.
ArrowModule& arrow_module(const std::string& who, const std::string& path);

// Whether the shared object is there.
bool has_arrow_module();

}  // namespace systolic::io::detail
