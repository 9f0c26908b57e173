#include "systolic/datasets/idx.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/datasets/file.h"

namespace systolic::datasets {
namespace detail {
namespace {

std::optional<DType> dtype_of_code(int code) {
  switch (code) {
    case 0x08:
      return DType::uint8;
    case 0x09:
      return DType::int8;
    case 0x0B:
      return DType::int16;
    case 0x0C:
      return DType::int32;
    case 0x0D:
      return DType::float32;
    case 0x0E:
      return DType::float64;
    default:
      return std::nullopt;
  }
}

// Reads one file's parts and says where something is wrong.
class Reader {
 public:
  Reader(std::shared_ptr<const Bytes> bytes, const std::string& path,
         const std::string& hint)
      : bytes_(std::move(bytes)), path_(path), hint_(hint) {}

  Array read() const {
    const TensorSpec spec = header();
    const size_t offset = 4 + 4 * static_cast<size_t>(spec.shape.rank());
    const size_t expected = offset + spec.nbytes();
    if (bytes_->size() != expected) {
      fail("size", std::min(bytes_->size(), expected),
           std::to_string(expected) + " bytes for " + spec.to_string(),
           std::to_string(bytes_->size()));
    }
    const std::byte* data = bytes_->data() + offset;
    if (size_of(spec.dtype) == 1) return Array::share(spec, data, bytes_);
    return swapped(spec, data);
  }

 private:
  TensorSpec header() const {
    if (bytes_->size() < 4) {
      fail("magic number", 0, "4 bytes", std::to_string(bytes_->size()));
    }
    const std::optional<DType> dtype = dtype_of_code(byte(2));
    const int rank = byte(3);
    if (byte(0) != 0 || byte(1) != 0 || !dtype || rank == 0 ||
        rank > kMaxRank) {
      fail("magic number", 0, "00 00, a type (08 09 0b 0c 0d 0e) and a rank",
           hex(byte(0)) + " " + hex(byte(1)) + " " + hex(byte(2)) + " " +
               hex(byte(3)));
    }
    const size_t length = 4 + 4 * static_cast<size_t>(rank);
    if (bytes_->size() < length) {
      fail("header", bytes_->size(), std::to_string(length) + " bytes",
           std::to_string(bytes_->size()));
    }
    Shape shape = Shape::scalar();
    for (int axis = 0; axis < rank; ++axis) {
      const size_t at = 4 + 4 * static_cast<size_t>(axis);
      uint32_t size = 0;
      for (size_t i = 0; i < 4; ++i) {
        size = size << 8 | static_cast<uint32_t>(byte(at + i));
      }
      // No more than the file can hold, so that the product below fits.
      if (size > bytes_->size()) {
        fail("axis " + std::to_string(axis), at, "a size within the file",
             std::to_string(size));
      }
      shape.push_back(size);
    }
    return {*dtype, shape};
  }

  // The numbers are big-endian in the file.
  static Array swapped(const TensorSpec& spec, const std::byte* data) {
    Array array = Array::from_bytes(spec, {data, spec.nbytes()});
    const size_t width = size_of(spec.dtype);
    std::byte* p = array.mutable_data();
    for (int64_t i = 0; i < array.size(); ++i, p += width) {
      std::reverse(p, p + width);
    }
    return array;
  }

  int byte(size_t index) const {
    return std::to_integer<int>((*bytes_)[index]);
  }
  static std::string hex(int value) {
    constexpr const char* kDigits = "0123456789abcdef";
    return {kDigits[value / 16], kDigits[value % 16]};
  }

  [[noreturn]] void fail(const std::string& check, size_t offset,
                         const std::string& expected,
                         const std::string& got) const {
    throw_damaged({.file = path_,
                   .check = check,
                   .offset = offset,
                   .expected = expected,
                   .got = got,
                   .hint = hint_});
  }

  const std::shared_ptr<const Bytes> bytes_;
  const std::string& path_;
  const std::string& hint_;
};

}  // namespace

Array parse_idx(std::shared_ptr<const Bytes> bytes, const std::string& path,
                const std::string& hint) {
  return Reader(std::move(bytes), path, hint).read();
}

}  // namespace detail

Array load_idx(const std::string& path) {
  const std::string hint = "get the file again from where it came from";
  return detail::parse_idx(
      std::make_shared<const detail::Bytes>(detail::read_file(path, hint)),
      path, hint);
}

}  // namespace systolic::datasets
