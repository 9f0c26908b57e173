// Tested by: systolic/records/record_reader_test.cc
#include "systolic/records/inflater.h"

#include <zlib.h>

#include <algorithm>
#include <new>
#include <utility>

#include "systolic/base/message.h"

namespace systolic::data::detail {
namespace {

constexpr int kWindowBits = 15;  // both formats' largest
constexpr int kGzip = 16;        // added: zlib's sign for GZIP's frame

}  // namespace

struct Inflater::Stream {
  z_stream z{};

  explicit Stream(Compression kind) {
    const int bits = kWindowBits + (kind == Compression::gzip ? kGzip : 0);
    if (inflateInit2(&z, bits) != Z_OK) throw std::bad_alloc();
  }
  ~Stream() { inflateEnd(&z); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
};

Inflater::Inflater(std::string who, io::RandomAccessFile& file,
                   Compression kind, int64_t buffer_size)
    : who_(std::move(who)),
      file_(file),
      kind_(kind),
      buffer_size_(std::max<int64_t>(buffer_size, 1)),
      input_(std::make_unique_for_overwrite<char[]>(
          static_cast<size_t>(buffer_size_))),
      stream_(std::make_unique<Stream>(kind)) {}

Inflater::~Inflater() = default;

// Reads the next packed bytes; false at the end of the file.
bool Inflater::refill() {
  const std::span<char> space(input_.get(), static_cast<size_t>(buffer_size_));
  const size_t got = file_.read_at(input_end_, std::as_writable_bytes(space));
  input_end_ += static_cast<int64_t>(got);
  stream_->z.next_in = reinterpret_cast<Bytef*>(input_.get());
  stream_->z.avail_in = static_cast<uInt>(got);
  return got > 0;
}

// Goes to a further member; false where there is none.
bool Inflater::start_member() {
  z_stream& z = stream_->z;
  if (z.avail_in == 0 && !refill()) {
    if (input_end_ == 0) fail("the file has no bytes");
    return false;
  }
  if (kind_ == Compression::zlib && input_end_ > z.avail_in) {
    fail("there are bytes behind its end");
  }
  inflateReset(&z);
  in_member_ = true;
  return true;
}

size_t Inflater::read(std::span<char> out) {
  if (damage_) std::rethrow_exception(damage_);
  size_t done = 0;
  try {
    unpack(out, &done);
  } catch (const DataError&) {
    // What was unpacked before is right.
    damage_ = std::current_exception();
    if (done == 0) throw;
  }
  return done;
}

void Inflater::unpack(std::span<char> out, size_t* count) {
  z_stream& z = stream_->z;
  size_t& done = *count;
  while (done < out.size() && !ended_) {
    if (!in_member_ && !start_member()) {
      ended_ = true;
      break;
    }
    if (z.avail_in == 0 && !refill()) fail("it ends too early");
    const size_t space = std::min(out.size() - done, size_t{1} << 30);
    z.next_out = reinterpret_cast<Bytef*>(out.data() + done);
    z.avail_out = static_cast<uInt>(space);
    const int result = inflate(&z, Z_NO_FLUSH);
    done += space - z.avail_out;
    if (result == Z_STREAM_END) {
      in_member_ = false;
    } else if (result == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      fail(z.msg != nullptr ? z.msg : "it needs a preset dictionary");
    }
  }
}

void Inflater::fail(const std::string& problem) const {
  const z_stream& z = stream_->z;
  internal::Message message(who_);
  const int64_t at = input_end_ - static_cast<int64_t>(z.avail_in);
  char first[16];
  const size_t count =
      file_.read_at(0, std::as_writable_bytes(std::span<char>(first)));
  const Compression looks = guess_compression({first, count});
  if (looks != kind_ && count > 0) {
    message
        .expected("a file packed with ", name(kind_),
                  ", as compression_type says")
        .got(looks == Compression::none
                 ? "one that starts with other bytes"
                 : internal::concatenate_text("one that starts as ",
                                              name(looks), " does"));
    message.hint("give compression_type = \"",
                 looks == Compression::none ? "" : name(looks),
                 "\", or \"AUTO\", which finds out");
    message.detail("file", file_.path())
        .detail("byte", at, " of the packed file")
        .raise<DataError>();
  }
  message.expected("whole bytes packed with ", name(kind_))
      .got("damaged ones")
      .detail("check", problem)
      .detail("file", file_.path())
      .detail("byte", at, " of the packed file");
  throw UnpackError(message.str(), problem, at);
}

}  // namespace systolic::data::detail
