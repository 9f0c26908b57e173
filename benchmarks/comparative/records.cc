// Times reading of record files; tf_records.py is the peer.
//   records FOLDER --make    writes the files, plain and GZIP
//   records FOLDER           reads them
// Examples with an image's worth of bytes and a class, in eight files. Prints
// one JSON line: microseconds a record in the best of the passes, for records
// as they are, parsed one by one, parsed in batches, and of GZIP.
#include <systolic/systolic.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <random>

namespace {

using namespace systolic;

constexpr int kFiles = 8;
constexpr int kRecords = 1500;  // a file
constexpr int kImageBytes = 16'000;
constexpr int kPasses = 5;
constexpr int64_t kBatch = 32;

std::string path_of(const std::string& folder, const char* kind, int file) {
  return folder + "/" + kind + std::to_string(file) + ".tfrec";
}

void make(const std::string& folder) {
  std::mt19937_64 random(1);
  for (int file = 0; file < kFiles; ++file) {
    data::TFRecordWriter plain(path_of(folder, "plain", file));
    data::TFRecordWriter gzip(path_of(folder, "gzip", file),
                              {.compression_type = "GZIP"});
    for (int i = 0; i < kRecords; ++i) {
      // Half of it packs, as pixels do and JPEG does not.
      std::string image(kImageBytes, '\0');
      for (size_t at = 0; at < image.size(); at += 2) {
        image[at] = static_cast<char>(random());
      }
      const std::string record = data::ExampleBuilder()
                                     .add("image", image)
                                     .add("class", i % 5)
                                     .serialize();
      plain.write(record);
      gzip.write(record);
    }
  }
}

data::Dataset read(const std::string& folder, const char* kind,
                   const char* compression_type) {
  std::vector<std::string> paths;
  for (int file = 0; file < kFiles; ++file) {
    paths.push_back(path_of(folder, kind, file));
  }
  return data::TFRecordDataset(paths, {.compression_type = compression_type,
                                       .num_parallel_reads = data::AUTOTUNE})
      .with_options({.deterministic = false});
}

// Microseconds a record in the best of the passes.
double best(const data::Dataset& dataset) {
  double least = std::numeric_limits<double>::infinity();
  const data::Dataset ahead = dataset.prefetch(data::AUTOTUNE);
  for (int i = 0; i < kPasses; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    int64_t seen = 0;
    data::Iterator iterator = ahead.iterator();
    for (data::Element element; iterator.get_next(&element);) ++seen;
    const std::chrono::duration<double, std::micro> took =
        std::chrono::steady_clock::now() - begin;
    if (seen == 0) throw InternalError("no records were read");
    least = std::min(least, took.count() / (kFiles * kRecords));
  }
  return least;
}

void measure(const std::string& folder) {
  const data::Features features{
      {"image", data::FixedLenFeature({}, DType::string)},
      {"class", data::FixedLenFeature({}, DType::int64)}};
  const data::Dataset plain = read(folder, "plain", "");
  const double records = best(plain);
  const double parsed = best(plain.map(
      [&](std::string_view record) {
        return data::parse_single_example(record, features);
      },
      {.num_parallel_calls = data::AUTOTUNE}));
  const double batches = best(plain.batch(kBatch).map(
      [&](Array batch) { return data::parse_example(batch, features); },
      {.num_parallel_calls = data::AUTOTUNE}));
  const double gzip = best(read(folder, "gzip", "GZIP"));
  std::printf(
      "{\"program\": \"systolic\", \"records_us\": %.3f, \"parsed_us\": %.3f, "
      "\"batches_us\": %.3f, \"gzip_us\": %.3f}\n",
      records, parsed, batches, gzip);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Times reading of record files.");
  std::string folder;
  bool makes = false;
  app.add_option("folder", folder, "Where the files are")->required();
  app.add_flag("--make", makes, "Writes them");
  CLI11_PARSE(app, argc, argv);
  try {
    if (makes) {
      make(folder);
    } else {
      measure(folder);
    }
  } catch (const Error& e) {
    std::fprintf(stderr, "records: %s\n", e.what());
    return 1;
  }
  return 0;
}
