#include "systolic/datasets/file.h"

#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <span>
#include <utility>

#include "systolic/base/message.h"

namespace systolic::datasets::detail {
namespace {

constexpr const char* kWho = "datasets";
// zlib's window of 32 KiB, with a gzip header.
constexpr int kGzipWindow = 15 + 16;
// zlib counts in 32 bits.
constexpr size_t kMostAtOnce = size_t{1} << 30;

// An inflate stream that is ended whatever happens.
class Inflater {
 public:
  Inflater() {
    if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream* operator->() { return &stream_; }
  z_stream* get() { return &stream_; }

 private:
  z_stream stream_{};
};

}  // namespace

void throw_damaged(const Damage& damage) {
  internal::Message(kWho)
      .expected(damage.expected)
      .got(damage.got)
      .detail("file", damage.file)
      .detail("check", damage.check)
      .detail("offset", damage.offset)
      .hint(damage.hint)
      .raise<DataError>();
}

bool is_packed(std::span<const std::byte> bytes) {
  return bytes.size() > 2 && bytes[0] == std::byte{0x1f} &&
         bytes[1] == std::byte{0x8b};
}

Bytes read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  Bytes bytes;
  if (file) {
    bytes.resize(static_cast<size_t>(std::max<std::streamoff>(
        static_cast<std::streamoff>(file.tellg()), 0)));
    file.seekg(0);
    file.read(reinterpret_cast<char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
  }
  if (!file) {
    internal::Message(kWho)
        .expected("a file that can be read")
        .got(path.string())
        .raise<NotFoundError>();
  }
  return bytes;
}

Bytes read_file(const std::filesystem::path& path, const std::string& hint) {
  return unpack(read_bytes(path), path.string(), hint);
}

Bytes unpack(Bytes bytes, const std::string& file, const std::string& hint) {
  if (!is_packed(bytes)) return bytes;
  Inflater inflater;
  std::span<std::byte> rest = bytes;
  Bytes unpacked;
  std::vector<std::byte> part(size_t{1} << 18);
  int status = Z_OK;
  while (status == Z_OK) {
    if (inflater->avail_in == 0) {
      const auto count = std::min(rest.size(), kMostAtOnce);
      inflater->next_in = reinterpret_cast<Bytef*>(rest.data());
      inflater->avail_in = static_cast<uInt>(count);
      rest = rest.subspan(count);
    }
    inflater->next_out = reinterpret_cast<Bytef*>(part.data());
    inflater->avail_out = static_cast<uInt>(part.size());
    status = inflate(inflater.get(), Z_NO_FLUSH);
    const size_t got = part.size() - inflater->avail_out;
    unpacked.insert(unpacked.end(), part.begin(),
                    part.begin() + static_cast<std::ptrdiff_t>(got));
    // Files of several packed ones behind each other are common: bgzip's.
    const std::span<std::byte> left =
        std::span(bytes).last(inflater->avail_in + rest.size());
    if (status == Z_STREAM_END && is_packed(left)) {
      status = inflateReset(inflater.get());
    }
  }
  if (status != Z_STREAM_END) {
    const bool cut = inflater->avail_in == 0;
    throw_damaged({.file = file,
                   .check = "gzip",
                   .offset = bytes.size() - inflater->avail_in - rest.size(),
                   .expected = "a whole gzip file",
                   .got = cut ? "its end" : "damaged data",
                   .hint = hint});
  }
  return unpacked;
}

}  // namespace systolic::datasets::detail
