// Times a pipeline that decodes pictures; tf_pictures.py is its peer.
//   pictures --make FOLDER           writes the record files for both
//   pictures --files FOLDER [--threads N]
//   pictures --files FOLDER --autotuned
// JPEG records -> decode, crop, flip -> batch, on N threads (all); once decoded
// as a whole, once only the part that is wanted; and the bare loop of
// libjpeg-turbo over the same bytes on one thread. Prints one JSON line:
// microseconds a picture, and the part of N such loops that the pipeline
// reaches. --autotuned: the whole as a program would have it, in any order:
// decode, from 0 to 1 as floats, crop, flip, shuffle, batch, AUTOTUNE.
#include <systolic/systolic.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <thread>
#include <vector>
// After cstdio, whose types it needs.
#include <jpeglib.h>

namespace {

using namespace systolic;

constexpr int64_t kBatch = 32;
constexpr int kPasses = 5;
constexpr int64_t kCrop = 256;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - begin;
  return took.count();
}

// A part of the picture, of which only that is decoded.
Array decode_part(std::string_view bytes) {
  const Array shape = image::extract_jpeg_shape(bytes);
  const auto start = [](int64_t size) {
    const uint64_t drawn = data::random_seed();
    return static_cast<int64_t>(drawn %
                                static_cast<uint64_t>(size - kCrop + 1));
  };
  return image::decode_and_crop_jpeg(
      bytes,
      {start(shape[0].item<int64_t>()), start(shape[1].item<int64_t>()), kCrop,
       kCrop},
      {.channels = 3});
}

Array decode_whole(std::string_view bytes) {
  return image::random_crop(image::decode_jpeg(bytes, {.channels = 3}),
                            {kCrop, kCrop, 3});
}

data::Dataset pipeline(const std::vector<std::string>& files, int64_t threads,
                       Array (*decode)(std::string_view)) {
  const data::Features features{
      {"image", data::FixedLenFeature({}, DType::string)},
      {"class", data::FixedLenFeature({}, DType::int64)}};
  return data::TFRecordDataset(files, {.num_parallel_reads = data::AUTOTUNE})
      .map(
          [features, decode](std::string_view record) {
            const auto example = data::parse_single_example(record, features);
            const Array picture =
                decode(example["image"].to<std::string_view>());
            return std::pair(image::random_flip_left_right(picture),
                             example["class"].array());
          },
          {.num_parallel_calls = threads})
      .batch(kBatch)
      .prefetch(data::AUTOTUNE);
}

data::Dataset autotuned(const std::vector<std::string>& files) {
  const data::Features features{
      {"image", data::FixedLenFeature({}, DType::string)},
      {"class", data::FixedLenFeature({}, DType::int64)}};
  return data::TFRecordDataset(files, {.num_parallel_reads = data::AUTOTUNE})
      .with_options({.deterministic = false})
      .map(
          [features](std::string_view record) {
            const auto example = data::parse_single_example(record, features);
            const Array picture = image::decode_jpeg(
                example["image"].to<std::string_view>(), {.channels = 3});
            const Array part = image::random_crop(cast<float>(picture) / 255.f,
                                                  {kCrop, kCrop, 3});
            return std::pair(image::random_flip_left_right(part),
                             example["class"].array());
          },
          {.num_parallel_calls = data::AUTOTUNE})
      .shuffle(512)
      .batch(kBatch, {.drop_remainder = true})
      .prefetch(data::AUTOTUNE);
}

// Seconds of one pass.
double pass(const data::Dataset& dataset, int64_t pictures) {
  const auto begin = std::chrono::steady_clock::now();
  int64_t seen = 0;
  for (const auto& batch : dataset) seen += batch[0].array().shape()[0];
  if (seen != pictures) throw InternalError("the pipeline lost pictures");
  return seconds_since(begin);
}

// Seconds of libjpeg-turbo alone, with TensorFlow's settings.
double bare(const std::vector<std::string>& pictures) {
  std::vector<JSAMPLE> out;
  const auto begin = std::chrono::steady_clock::now();
  for (const std::string& bytes : pictures) {
    jpeg_decompress_struct info;
    jpeg_error_mgr error;
    info.err = jpeg_std_error(&error);
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()),
                 bytes.size());
    jpeg_read_header(&info, TRUE);
    info.dct_method = JDCT_IFAST;
    jpeg_start_decompress(&info);
    const size_t stride = size_t{info.output_width} * 3;
    out.resize(stride * info.output_height);
    while (info.output_scanline < info.output_height) {
      JSAMPROW row = out.data() + info.output_scanline * stride;
      jpeg_read_scanlines(&info, &row, 1);
    }
    jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
  }
  return seconds_since(begin);
}

void measure_autotuned(const std::vector<std::string>& files) {
  const data::Dataset dataset = autotuned(files);
  int64_t count = 0;
  for (const auto& batch : dataset) count += batch[0].array().shape()[0];
  double ours = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kPasses; ++i) ours = std::min(ours, pass(dataset, count));
  std::printf(
      "{\"program\": \"systolic\", \"autotuned_us_per_picture\": %.1f}\n",
      1e6 * ours / static_cast<double>(count));
}

void measure(const std::vector<std::string>& files, int64_t threads) {
  const data::Features image{
      {"image", data::FixedLenFeature({}, DType::string)}};
  std::vector<std::string> pictures;
  for (const auto& record : data::TFRecordDataset(files).as<std::string>()) {
    pictures.push_back(
        data::parse_single_example(record, image)["image"].to<std::string>());
  }
  const auto count = static_cast<int64_t>(pictures.size());
  const data::Dataset whole = pipeline(files, threads, decode_whole);
  const data::Dataset part = pipeline(files, threads, decode_part);
  double ours = std::numeric_limits<double>::infinity();
  double parts = ours, alone = ours;
  for (int i = 0; i < kPasses; ++i) {
    alone = std::min(alone, bare(pictures));
    ours = std::min(ours, pass(whole, count));
    parts = std::min(parts, pass(part, count));
  }
  const double each = 1e6 / static_cast<double>(count);
  std::printf(
      "{\"program\": \"systolic\", \"threads\": %lld, "
      "\"us_per_picture\": %.1f, \"part_us_per_picture\": %.1f, "
      "\"bare_us_per_picture\": %.1f, \"of_bare_threads\": %.3f}\n",
      static_cast<long long>(threads), ours * each, parts * each, alone * each,
      alone / ours / static_cast<double>(threads));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Times a pipeline that decodes pictures.");
  std::string make, folder;
  int64_t threads = std::thread::hardware_concurrency();
  bool autotune = false;
  app.add_option("--make", make, "Writes the record files here, and ends");
  app.add_option("--files", folder, "The folder with the record files");
  app.add_option("--threads", threads, "Threads that decode (all)")
      ->check(CLI::PositiveNumber);
  app.add_flag("--autotuned", autotune, "The whole, with AUTOTUNE");
  CLI11_PARSE(app, argc, argv);
  try {
    if (!make.empty()) {
      datasets::flowers::write_drawn(make, {.files = 4, .per_file = 250});
      return 0;
    }
    const std::vector<std::string> files =
        io::glob(io::join_path(folder, "*.tfrec"));
    autotune ? measure_autotuned(files) : measure(files, threads);
  } catch (const Error& e) {
    std::fprintf(stderr, "pictures: %s\n", e.what());
    return 1;
  }
  return 0;
}
