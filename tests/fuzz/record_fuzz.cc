// Record files: the first byte says how they are packed, the rest is the file.
// Reading goes on behind damage.
#include <array>
#include <memory>
#include <string>

#include "systolic/base/log.h"
#include "systolic/records/record_reader.h"
#include "systolic/records/test_files.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace systolic;

constexpr std::array<const char*, 4> kTypes{"", "GZIP", "ZLIB", "AUTO"};

// The whole records of a file, over what is damaged.
void read(const std::string& bytes, const char* type) {
  data::RecordReader reader(
      std::make_unique<data::MemoryFile>(bytes),
      data::RecordReaderOptions{.compression_type = type, .buffer_size = 64});
  while (true) {
    try {
      const int64_t before = reader.offset();
      std::string_view record;
      if (!reader.read(&record)) return;
      fuzz::require(reader.offset() ==
                    before + static_cast<int64_t>(record.size()) + 16);
    } catch (const data::RecordError&) {
      if (!reader.resync()) return;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const LogSink before = set_log_sink([](LogLevel, std::string_view) {});
  if (size == 0) return 0;
  try {
    read(std::string(fuzz::text(data + 1, size - 1)),
         kTypes[data[0] % kTypes.size()]);
  } catch (const DataError&) {
  }
  return 0;
}
