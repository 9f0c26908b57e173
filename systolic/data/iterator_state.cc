#include "systolic/data/iterator_state.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/rows_dataset.h"
#include "systolic/data/shard_file.h"
#include "systolic/data/spec_state.h"

namespace systolic::data {
namespace {

constexpr const char* kWho = "iterator state";
constexpr const char* kSamePipeline =
    "a state is restored into a pipeline of the same nodes and parameters as "
    "the one that saved it";
constexpr std::string_view kMagic = "SYIS";
constexpr char kVersion = 2;
constexpr size_t kHeader = 5;
constexpr size_t kCheckSum = 8;

constexpr char kTag = 'n';
constexpr char kInt = 'i';
constexpr char kString = 's';
constexpr char kElement = 'e';
constexpr char kError = 'x';
// Kinds of data sets that are elements.
constexpr char kRows = 'r';
constexpr char kShard = 'f';

// FNV-1a over words: notices damage, keeps up with big shuffle buffers.
uint64_t check_sum(std::string_view bytes) {
  constexpr uint64_t kPrime = 0x100000001B3u;
  uint64_t sum = 0xCBF29CE484222325u;
  while (bytes.size() >= sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, bytes.data(), sizeof word);
    sum = (sum ^ word) * kPrime;
    sum ^= sum >> 29;
    bytes.remove_prefix(sizeof word);
  }
  for (const char byte : bytes) {
    sum = (sum ^ static_cast<unsigned char>(byte)) * kPrime;
  }
  return sum ^ (sum >> 32);
}

void append_varint(std::string* out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) {
    out->push_back(static_cast<char>((value & 0x7F) | 0x80));
  }
  out->push_back(static_cast<char>(value));
}

// Small numbers of either sign take few bytes.
uint64_t zigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^
         static_cast<uint64_t>(value >> 63);
}
int64_t unzigzag(uint64_t value) {
  return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

void append_string(std::string* out, std::string_view text) {
  append_varint(out, text.size());
  out->append(text);
}

const char* describe_mark(char mark) {
  switch (mark) {
    case kTag:
      return "a node";
    case kInt:
      return "a number";
    case kString:
      return "a string";
    case kElement:
      return "an element";
    case kError:
      return "an error";
    default:
      return "an unknown field";
  }
}

[[noreturn]] void throw_damaged(std::string_view what) {
  internal::Message(kWho)
      .expected("the bytes that Iterator::save() returned")
      .got(what)
      .raise<DataError>();
}

template <class E>
bool is_error(const std::exception& error) {
  return dynamic_cast<const E*>(&error) != nullptr;
}

// What stands for the class of an error; the most derived first.
int error_class(const std::exception& error) {
  if (is_error<ShapeError>(error)) return 1;
  if (is_error<ValueError>(error)) return 2;
  if (is_error<TypeError>(error)) return 3;
  if (is_error<NotFoundError>(error)) return 4;
  if (is_error<DataError>(error)) return 5;
  if (is_error<OutOfRangeError>(error)) return 6;
  if (is_error<PlatformError>(error)) return 7;
  return 0;
}

std::exception_ptr make_error(int64_t kind, const std::string& text) {
  switch (kind) {
    case 1:
      return std::make_exception_ptr(ShapeError(text));
    case 2:
      return std::make_exception_ptr(ValueError(text));
    case 3:
      return std::make_exception_ptr(TypeError(text));
    case 4:
      return std::make_exception_ptr(NotFoundError(text));
    case 5:
      return std::make_exception_ptr(DataError(text));
    case 6:
      return std::make_exception_ptr(OutOfRangeError(text));
    case 7:
      return std::make_exception_ptr(PlatformError(text));
    default:
      return std::make_exception_ptr(Error(text));
  }
}

}  // namespace

StateWriter::StateWriter() {
  bytes_ = kMagic;
  bytes_ += kVersion;
}

void StateWriter::begin(std::string_view tag) {
  tag_ = tag;
  bytes_ += kTag;
  append_string(&bytes_, tag);
}

void StateWriter::write_int(int64_t value) {
  bytes_ += kInt;
  append_varint(&bytes_, zigzag(value));
}

void StateWriter::write_string(std::string_view bytes) {
  bytes_ += kString;
  append_string(&bytes_, bytes);
}

void StateWriter::write_element(const Element& element) {
  bytes_ += kElement;
  bytes_ += static_cast<char>(element.kind());
  if (element.is_array()) return write_array(element.array());
  if (element.kind() == ElementKind::dataset) {
    return write_window(*element.dataset());
  }
  append_varint(&bytes_, element.size());
  for (size_t i = 0; i < element.size(); ++i) {
    if (element.kind() == ElementKind::dict) {
      append_string(&bytes_, element.keys()[i]);
    }
    write_element(element.items()[i]);
  }
}

void StateWriter::write_window(const DatasetBase& dataset) {
  if (const detail::ShardFile* shard = detail::shard_of(dataset)) {
    bytes_ += kShard;
    write_string(shard->path);
    write_int(shard->count);
    return detail::write_spec(shard->spec, *this);
  }
  const auto rows = detail::rows_of(dataset);
  if (!rows) {
    internal::Message(kWho)
        .rule(
            "an element that is a data set cannot be saved unless it is a "
            "window")
        .got(dataset.name())
        .detail("kept by", tag_)
        .hint("flat_map() the data sets before this node")
        .raise<TypeError>();
  }
  bytes_ += kRows;
  append_string(&bytes_, dataset.name());
  append_varint(&bytes_, rows->size());
  for (const Element& row : *rows) write_element(row);
}

void StateWriter::write_array(const Array& array) {
  append_string(&bytes_, name(array.dtype()));
  append_varint(&bytes_, static_cast<uint64_t>(array.rank()));
  for (const int64_t length : array.shape()) {
    append_varint(&bytes_, static_cast<uint64_t>(length));
  }
  if (array.dtype() != DType::string) {
    bytes_.append(reinterpret_cast<const char*>(array.data()), array.nbytes());
    return;
  }
  for (const std::string& text : array.span<std::string>()) {
    append_string(&bytes_, text);
  }
}

void StateWriter::write_error(const std::exception_ptr& error) {
  bytes_ += kError;
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    append_varint(&bytes_, static_cast<uint64_t>(error_class(e)));
    append_string(&bytes_, e.what());
  } catch (...) {
    append_varint(&bytes_, 0);
    append_string(&bytes_, "an exception that is no std::exception");
  }
}

void StateWriter::throw_unsupported() const {
  internal::Message(kWho)
      .expected("a data set whose nodes can save their position")
      .got("one that cannot, below ", tag_)
      .hint("override save and restore in the node's iterator")
      .raise<TypeError>();
}

void StateWriter::keep(std::shared_ptr<void> pause) {
  pauses_.push_back(std::move(pause));
}

std::string StateWriter::take() {
  const uint64_t sum = check_sum(bytes_);
  bytes_.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return std::exchange(*this, StateWriter()).bytes_;
}

StateReader::StateReader(std::string_view bytes) : bytes_(bytes) {
  if (bytes.size() < kHeader + kCheckSum || bytes.substr(0, 4) != kMagic) {
    throw_damaged(std::to_string(bytes.size()) + " other bytes");
  }
  if (bytes[4] != kVersion) {
    throw_damaged("version " + std::to_string(static_cast<int>(bytes[4])) +
                  " of them, where this library reads version " +
                  std::to_string(static_cast<int>(kVersion)));
  }
  uint64_t sum;
  std::memcpy(&sum, bytes.data() + bytes.size() - kCheckSum, sizeof sum);
  bytes_.remove_suffix(kCheckSum);
  if (sum != check_sum(bytes_)) {
    throw_damaged("damaged bytes: the check sum does not fit");
  }
  position_ = kHeader;
}

std::string StateReader::describe_next() const {
  if (position_ == bytes_.size()) return "the end of the state";
  if (bytes_[position_] != kTag) return describe_mark(bytes_[position_]);
  StateReader ahead(*this);
  ++ahead.position_;
  return std::string(ahead.read_bytes(ahead.read_varint()));
}

void StateReader::expect(std::string_view tag) {
  const std::string next = describe_next();
  if (next != tag || bytes_[position_] != kTag) {
    internal::Message(kWho)
        .expected("the state of ", tag)
        .got("that of ", next)
        .hint(kSamePipeline)
        .raise<ValueError>();
  }
  ++position_;
  read_bytes(read_varint());
  tag_ = tag;
}

void StateReader::expect_mark(char mark) {
  if (position_ == bytes_.size() || bytes_[position_] != mark) {
    throw_mismatch(describe_mark(mark), describe_next());
  }
  ++position_;
}

int64_t StateReader::read_int() {
  expect_mark(kInt);
  return unzigzag(read_varint());
}

std::string StateReader::read_string() {
  expect_mark(kString);
  return std::string(read_bytes(read_varint()));
}

Element StateReader::read_element() {
  expect_mark(kElement);
  const auto kind = static_cast<ElementKind>(read_bytes(1)[0]);
  if (kind == ElementKind::array) return Element(read_array());
  if (kind == ElementKind::dataset) return read_window();
  const uint64_t count = read_varint();
  std::vector<std::pair<std::string, Element>> entries;
  std::vector<Element> items;
  for (uint64_t i = 0; i < count; ++i) {
    if (kind == ElementKind::dict) {
      std::string key(read_bytes(read_varint()));
      entries.emplace_back(std::move(key), read_element());
    } else {
      items.push_back(read_element());
    }
  }
  return kind == ElementKind::dict ? Element::dict(std::move(entries))
                                   : Element::tuple(std::move(items));
}

Element StateReader::read_window() {
  if (read_bytes(1)[0] == kShard) {
    detail::ShardFile shard;
    shard.path = read_string();
    shard.count = read_int();
    shard.spec = detail::read_spec(*this);
    return Element::dataset(detail::shard_dataset(std::move(shard)));
  }
  const std::string name(read_bytes(read_varint()));
  auto rows = std::make_shared<std::vector<Element>>();
  for (uint64_t left = read_varint(); left > 0; --left) {
    rows->push_back(read_element());
  }
  return Element::dataset(detail::rows_dataset(name, std::move(rows)));
}

Array StateReader::read_array() {
  TensorSpec spec;
  spec.dtype = dtype_from_name(read_bytes(read_varint()));
  const uint64_t rank = read_varint();
  if (rank > systolic::kMaxRank) throw_damaged("an Array of too many axes");
  std::vector<int64_t> dims(rank);
  for (int64_t& length : dims) length = static_cast<int64_t>(read_varint());
  spec.shape = Shape(dims);
  if (spec.dtype != DType::string) {
    return Array::from_bytes(
        spec, std::as_bytes(std::span(read_bytes(spec.nbytes()))));
  }
  std::vector<std::string> strings;
  const int64_t count = spec.shape.elements();
  for (int64_t i = 0; i < count; ++i) {
    strings.emplace_back(read_bytes(read_varint()));
  }
  return Array::from_strings(std::move(strings), spec.shape);
}

std::exception_ptr StateReader::read_error() {
  expect_mark(kError);
  const auto kind = static_cast<int64_t>(read_varint());
  return make_error(kind, std::string(read_bytes(read_varint())));
}

void StateReader::expect_end() const {
  if (position_ != bytes_.size()) {
    throw_mismatch("the end of the state", describe_next());
  }
}

void StateReader::throw_unsupported() const {
  internal::Message(kWho)
      .expected("a data set whose nodes can restore their position")
      .got("one that cannot, below ", tag_)
      .hint("override save and restore in the node's iterator")
      .raise<TypeError>();
}

void StateReader::throw_mismatch(std::string_view expected,
                                 std::string_view got) const {
  internal::Message(kWho)
      .expected(expected, " in the state of ", tag_)
      .got(got)
      .hint(kSamePipeline)
      .raise<ValueError>();
}

uint64_t StateReader::read_varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(read_bytes(1)[0]);
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  throw_damaged("damaged bytes: a number without end");
}

std::string_view StateReader::read_bytes(uint64_t count) {
  if (count > bytes_.size() - position_)
    throw_damaged("bytes that are cut off");
  const std::string_view bytes = bytes_.substr(position_, count);
  position_ += count;
  return bytes;
}

}  // namespace systolic::data
