#include "systolic/data/element_file.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/packed_block.h"

namespace systolic::data::detail {
namespace {

// The first line of a file, and of one whose blocks are packed.
constexpr std::string_view kMagic = "systolic data 1\n";
constexpr std::string_view kPackedMagic = "systolic gzip 1\n";
static_assert(kMagic.size() == kPackedMagic.size());
constexpr size_t kBlockBytes = size_t{1} << 20;
constexpr size_t kBlockElements = 4096;

void append_text(io::WritableFile& file, std::string_view text) {
  file.append(std::as_bytes(std::span(text)));
}

void append_number(io::WritableFile& file, int64_t value) {
  file.append(std::as_bytes(std::span(&value, 1)));
}

// How many of the characters that both have are not the same.
size_t differences(std::string_view a, std::string_view b) {
  size_t count = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    count += a[i] != b[i] ? 1 : 0;
  }
  return count;
}

}  // namespace

ElementFileWriter::ElementFileWriter(const std::string& path, bool packed)
    : file_(io::create_file(path)), packed_(packed) {
  append_text(*file_, packed_ ? kPackedMagic : kMagic);
}

void ElementFileWriter::append(const Element& element) {
  block_.push_back(element);
  block_bytes_ += element.nbytes();
  ++count_;
  if (block_bytes_ >= kBlockBytes || block_.size() >= kBlockElements) {
    write_block();
  }
}

void ElementFileWriter::write_block() {
  StateWriter state;
  state.write_int(static_cast<int64_t>(block_.size()));
  for (const Element& element : block_) state.write_element(element);
  std::string bytes = state.take();
  if (packed_) bytes = pack_block(bytes);
  append_number(*file_, static_cast<int64_t>(bytes.size()));
  append_text(*file_, bytes);
  block_.clear();
  block_bytes_ = 0;
}

void ElementFileWriter::close() {
  if (!block_.empty()) write_block();
  append_number(*file_, 0);
  append_number(*file_, count_);
  file_->close();
}

ElementFileReader::ElementFileReader(const std::string& path)
    : file_(io::open_file(path)) {
  const int64_t there =
      std::min(file_->size(), static_cast<int64_t>(kMagic.size()));
  const std::string magic = read_bytes(there, "its first line");
  packed_ = magic == kPackedMagic;
  if (packed_ || magic == kMagic) return;
  // A bit or two of the line changed is damage.
  const size_t wrong =
      std::min(differences(magic, kMagic), differences(magic, kPackedMagic));
  if (wrong > magic.size() / 8) throw_foreign();
  offset_ = 0;
  throw_damaged(wrong > 0 ? "its first line is not that of such a file"
                          : "it ends within its first line");
}

bool ElementFileReader::get_next(Element* out) {
  while (next_ == block_.size()) {
    if (ended_ || !read_block()) return false;
  }
  *out = std::move(block_[next_++]);
  ++given_;
  return true;
}

bool ElementFileReader::read_block() {
  block_offset_ = offset_;
  block_.clear();
  next_ = 0;
  const int64_t size = read_number("the length of a block");
  if (size == 0) {
    ended_ = true;
    const int64_t count = read_number("the number of elements");
    if (count != given_) {
      throw_damaged("it ends after " + std::to_string(given_) +
                    " elements and says " + std::to_string(count));
    }
    return false;
  }
  std::string bytes = read_bytes(size, "a block");
  try {
    if (packed_) bytes = unpack_block(bytes);
    StateReader state(bytes);
    const int64_t count = state.read_int();
    for (int64_t i = 0; i < count; ++i) block_.push_back(state.read_element());
  } catch (const Error& error) {
    block_.clear();
    ended_ = true;  // where the next block begins is not known
    offset_ = block_offset_;
    throw_damaged(error.what());
  }
  return true;
}

std::string ElementFileReader::read_bytes(int64_t count, const char* what) {
  if (count < 0 || count > file_->size() - offset_) {
    ended_ = true;
    throw_damaged(std::string("it ends within ") + what);
  }
  std::string bytes(static_cast<size_t>(count), '\0');
  const size_t got =
      file_->read_at(offset_, std::as_writable_bytes(std::span(bytes)));
  if (got < bytes.size()) {
    ended_ = true;
    throw_damaged(std::string("it ends within ") + what);
  }
  offset_ += count;
  return bytes;
}

int64_t ElementFileReader::read_number(const char* what) {
  const std::string bytes = read_bytes(sizeof(int64_t), what);
  int64_t value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

void ElementFileReader::throw_damaged(const std::string& what) const {
  internal::Message(file_->path())
      .rule("the file is damaged: ", what)
      .detail("byte", offset_)
      .hint("remove it: it is written again")
      .raise<DataError>();
}

void ElementFileReader::throw_foreign() const {
  internal::Message(file_->path())
      .rule("this is no file that cache(), save() or snapshot() wrote")
      .hint("give another name")
      .raise<DataError>();
}

void ElementFileReader::save(StateWriter& state) const {
  state.write_int(block_.empty() ? offset_ : block_offset_);
  state.write_int(static_cast<int64_t>(next_));
  state.write_int(given_);
  state.write_bool(ended_);
}

void ElementFileReader::restore(StateReader& state) {
  offset_ = state.read_int();
  const auto next = static_cast<size_t>(state.read_int());
  const int64_t given = state.read_int();
  const bool ended = state.read_bool();
  given_ = given - static_cast<int64_t>(next);
  if (ended) {
    ended_ = true;
    return;
  }
  if (next > 0 && (!read_block() || next > block_.size())) {
    throw_damaged("it has no element " + std::to_string(given));
  }
  next_ = next;
  given_ = given;
}

}  // namespace systolic::data::detail
