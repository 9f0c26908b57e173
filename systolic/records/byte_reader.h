// Reads a file from front to back through a buffer, unpacked.
//   while (!(view = reader.peek(12)).empty()) reader.skip(view.size());
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "systolic/io/file_system.h"
#include "systolic/records/compression.h"
#include "systolic/records/inflater.h"

namespace systolic::data::detail {

// How all readers of this room open their files.
struct ReadFileOptions {
  Compression compression = Compression::none;
  // The bytes read at once.
  int64_t buffer_size = int64_t{256} << 10;
};

// The options of a data set or reader that `who` names. Throws ValueError for
// another compression_type than tf.data's or "AUTO", or no buffer.
ReadFileOptions check_file_options(std::string_view who,
                                   std::string_view compression_type,
                                   int64_t buffer_size);

// One file. Offsets count unpacked bytes.
class ByteReader {
 public:
  // Opens `path`; `who` is named by errors. Throws NotFoundError,
  // io::StorageError.
  ByteReader(std::string who, const std::string& path,
             const ReadFileOptions& options);
  // The same of an open file.
  ByteReader(std::string who, std::unique_ptr<io::RandomAccessFile> file,
             const ReadFileOptions& options);

  const std::string& path() const { return file_->path(); }
  const std::string& who() const { return who_; }
  // What the file is packed with: never `automatic`.
  Compression compression() const { return compression_; }

  // The next `size` bytes, or at the end of the file fewer; they stay where
  // they are until the next peek() or window(). Throws DataError.
  std::string_view peek(size_t size) {
    if (end_ - begin_ < size) fill(size);
    return {buffer_.get() + begin_,
            size < end_ - begin_ ? size : end_ - begin_};
  }
  // Whatever is in the buffer, at least one byte; empty at the end.
  std::string_view window() {
    if (begin_ == end_) fill(1);
    return {buffer_.get() + begin_, end_ - begin_};
  }
  // Passes over bytes that peek() or window() showed.
  void skip(size_t size) { begin_ += size; }

  // The offset of the next byte.
  int64_t offset() const {
    return buffer_offset_ + static_cast<int64_t>(begin_);
  }
  // How many bytes follow; nothing where only unpacking tells.
  std::optional<int64_t> left() const;
  // Goes to another place; one behind the end is the end. Packed files are
  // unpacked up to there, from their start where it lies behind.
  void seek(int64_t offset);
  // `size` bytes from `offset`, read from the file anew and beside the buffer;
  // fewer at the end.
  std::string read_again(int64_t offset, size_t size);

 private:
  void fill(size_t size);
  size_t read_more(char* out, size_t size);
  std::unique_ptr<Inflater> make_inflater() const;

  const std::string who_;
  const std::unique_ptr<io::RandomAccessFile> file_;
  const int64_t buffer_size_;
  Compression compression_;
  std::unique_ptr<Inflater> inflater_;  // where the file is packed
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
  int64_t buffer_offset_ = 0;  // of buffer_[0]
};

}  // namespace systolic::data::detail
