// Tested by: systolic/records/record_reader_test.cc
#include "systolic/records/byte_reader.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "systolic/base/message.h"

namespace systolic::data::detail {
namespace {

constexpr size_t kFirstBytes = 16;

Compression compression_of_file(io::RandomAccessFile& file) {
  char first[kFirstBytes];
  const size_t count =
      file.read_at(0, std::as_writable_bytes(std::span<char>(first)));
  return guess_compression({first, count});
}

}  // namespace

ReadFileOptions check_file_options(std::string_view who,
                                   std::string_view compression_type,
                                   int64_t buffer_size) {
  if (buffer_size < 1) {
    internal::Message(std::string(who))
        .expected("buffer_size of 1 byte or more")
        .got(buffer_size)
        .raise<ValueError>();
  }
  constexpr int64_t kMost = int64_t{1} << 30;
  if (buffer_size > kMost) {
    internal::Message(std::string(who))
        .expected("buffer_size of ", kMost, " bytes or less")
        .got(buffer_size)
        .hint("so many bytes of each open file stay in memory")
        .raise<ValueError>();
  }
  return {compression_of(who, compression_type), buffer_size};
}

ByteReader::ByteReader(std::string who, const std::string& path,
                       const ReadFileOptions& options)
    : ByteReader(std::move(who), io::open_file(path), options) {}

ByteReader::ByteReader(std::string who,
                       std::unique_ptr<io::RandomAccessFile> file,
                       const ReadFileOptions& options)
    : who_(std::move(who)),
      file_(std::move(file)),
      buffer_size_(options.buffer_size),
      compression_(options.compression) {
  if (compression_ == Compression::automatic) {
    compression_ = compression_of_file(*file_);
  }
  inflater_ = make_inflater();
}

std::unique_ptr<Inflater> ByteReader::make_inflater() const {
  if (compression_ == Compression::none) return nullptr;
  return std::make_unique<Inflater>(who_, *file_, compression_, buffer_size_);
}

std::optional<int64_t> ByteReader::left() const {
  if (inflater_ != nullptr) return std::nullopt;
  return std::max<int64_t>(file_->size() - offset(), 0);
}

// Reads behind what is in the buffer, whose end is that of the bytes so far.
size_t ByteReader::read_more(char* out, size_t size) {
  const std::span<char> space(out, size);
  if (inflater_ != nullptr) return inflater_->read(space);
  return file_->read_at(buffer_offset_ + static_cast<int64_t>(end_),
                        std::as_writable_bytes(space));
}

// Makes `size` bytes stand in the buffer, unless the file ends before. It
// grows with what is really there, whatever a damaged file claims.
void ByteReader::fill(size_t size) {
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    buffer_offset_ += static_cast<int64_t>(begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  while (end_ < size) {
    const size_t wanted =
        std::max(std::min(size, 2 * end_), static_cast<size_t>(buffer_size_));
    if (capacity_ < wanted) {
      auto larger = std::make_unique_for_overwrite<char[]>(wanted);
      if (end_ > 0) std::memcpy(larger.get(), buffer_.get(), end_);
      buffer_ = std::move(larger);
      capacity_ = wanted;
    }
    const size_t got = read_more(buffer_.get() + end_, capacity_ - end_);
    if (got == 0) return;
    end_ += got;
  }
}

void ByteReader::seek(int64_t offset) {
  const int64_t ahead = offset - this->offset();
  if (ahead >= 0 && ahead <= static_cast<int64_t>(end_ - begin_)) {
    begin_ += static_cast<size_t>(ahead);
    return;
  }
  if (inflater_ == nullptr || ahead < 0) {
    begin_ = end_ = 0;
    buffer_offset_ = inflater_ == nullptr ? offset : 0;
    inflater_ = make_inflater();
  }
  while (this->offset() < offset) {
    const std::string_view view = window();
    if (view.empty()) return;
    skip(std::min(view.size(), static_cast<size_t>(offset - this->offset())));
  }
}

std::string ByteReader::read_again(int64_t offset, size_t size) {
  std::string bytes(size, '\0');
  if (inflater_ == nullptr) {
    bytes.resize(
        file_->read_at(offset, std::as_writable_bytes(std::span(bytes))));
    return bytes;
  }
  const std::unique_ptr<Inflater> anew = make_inflater();
  std::string passed(static_cast<size_t>(buffer_size_), '\0');
  while (offset > 0) {
    const size_t part = std::min(passed.size(), static_cast<size_t>(offset));
    const size_t got = anew->read(std::span(passed).first(part));
    if (got < part) return {};
    offset -= static_cast<int64_t>(got);
  }
  bytes.resize(anew->read(bytes));
  return bytes;
}

}  // namespace systolic::data::detail
