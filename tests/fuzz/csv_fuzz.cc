// CSV files: bits of the first byte are options, the rest is the file. Reading
// goes on behind rows that cannot be read.
#include <string>

#include "systolic/records/csv_dataset.h"
#include "systolic/records/text_line_dataset.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace systolic;

void read_all(const data::Dataset& dataset) {
  data::Iterator iterator = dataset.iterator();
  data::Element element;
  for (bool more = true; more;) {
    try {
      more = iterator.get_next(&element);
    } catch (const DataError&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const unsigned bits = data[0];
  const fuzz::FileOfBytes file(fuzz::text(data + 1, size - 1));
  data::CsvDatasetOptions options{
      .compression_type = (bits & 1) != 0 ? "AUTO" : "",
      .buffer_size = (bits & 2) != 0 ? 3 : 4096,
      .header = (bits & 4) != 0,
      .use_quote_delim = (bits & 8) == 0,
  };
  if ((bits & 16) != 0) options.select_cols = {{0, 2, 3}};
  read_all(data::CsvDataset(
      file.path(), {7, DType::float32, data::CsvColumn("x")}, options));
  read_all(data::TextLineDataset(file.path(),
                                 {.compression_type = options.compression_type,
                                  .buffer_size = options.buffer_size}));
  return 0;
}
