// AUTOTUNE against a grid of hand-set numbers.
//   autotune --files FOLDER [--only light|decode|latency]
// The record files are those of `pictures --make`. Three pipelines without
// end: a cheap map over a range; JPEG records that are decoded; 16 slow files
// through interleave and map. The best of the grid is found first, then it and
// AUTOTUNE run in turn, so that other work hits both, each from its start:
// a second for the tuner, then the measured part. Prints one JSON line:
// microseconds an element of both, their ratio (the median of the pairs), and
// what AUTOTUNE chose.
#include <systolic/systolic.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace systolic;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int64_t kBatch = 32;
constexpr int64_t kSlowFiles = 16;
constexpr milliseconds kSearch{300};
constexpr milliseconds kTuning{1000};
constexpr milliseconds kMeasured{700};
constexpr int kPairs = 7;

// The numbers of one pipeline.
struct Numbers {
  int64_t reads = data::AUTOTUNE;
  int64_t calls = data::AUTOTUNE;
  int64_t ahead = data::AUTOTUNE;
};

using Build = std::function<data::Dataset(const Numbers&)>;

struct Pipeline {
  std::string name;
  Build build;
  std::vector<Numbers> grid;
};

double microseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin)
      .count();
}

data::Dataset light(const Numbers& choice) {
  return data::Dataset::range(int64_t{1} << 40)
      .map([](int64_t x) { return 3 * x + 1; },
           {.num_parallel_calls = choice.calls})
      .batch(kBatch)
      .prefetch(choice.ahead);
}

data::Dataset decode(const std::vector<std::string>& files,
                     const Numbers& choice) {
  const data::Features features{
      {"image", data::FixedLenFeature({}, DType::string)}};
  return data::TFRecordDataset(files, {.num_parallel_reads = choice.reads})
      .repeat()
      .map(
          [features](std::string_view record) {
            const auto example = data::parse_single_example(record, features);
            return image::random_crop(
                image::decode_jpeg(example["image"].to<std::string_view>(),
                                   {.channels = 3}),
                {128, 128, 3});
          },
          {.num_parallel_calls = choice.calls})
      .batch(kBatch)
      .prefetch(choice.ahead);
}

// Files of which each element is waited for, as from a distant store, and then
// worked on.
data::Dataset latency(const Numbers& choice) {
  return data::Dataset::range(kSlowFiles)
      .repeat()
      .interleave(
          [](int64_t file) {
            return data::Dataset::range(file, file + 200).map([](int64_t x) {
              std::this_thread::sleep_for(milliseconds(4));
              return x;
            });
          },
          {.cycle_length = kSlowFiles, .num_parallel_calls = choice.reads})
      .map(
          [](int64_t x) {
            const Clock::time_point begin = Clock::now();
            while (microseconds_since(begin) < 50) {
            }
            return x;
          },
          {.num_parallel_calls = choice.calls})
      .batch(kBatch)
      .prefetch(choice.ahead);
}

std::vector<Numbers> grid(const std::vector<int64_t>& reads,
                          const std::vector<int64_t>& calls) {
  std::vector<Numbers> all;
  for (const int64_t r : reads) {
    for (const int64_t c : calls) {
      for (const int64_t ahead : {2, 16}) all.push_back({r, c, ahead});
    }
  }
  return all;
}

// Microseconds an element of a new pass, behind its first part.
double measure(const data::Dataset& dataset, milliseconds before,
               milliseconds measured, std::string* chosen = nullptr) {
  data::Iterator it = dataset.iterator();
  data::Element batch;
  Clock::time_point begin = Clock::now();
  while (Clock::now() - begin < before) it.get_next(&batch);
  begin = Clock::now();
  int64_t batches = 0;
  while (Clock::now() - begin < measured) {
    it.get_next(&batch);
    ++batches;
  }
  if (chosen != nullptr) *chosen = it.report().choices_text();
  return microseconds_since(begin) / static_cast<double>(batches * kBatch);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// The part of the JSON line about one pipeline.
std::string compare(const Pipeline& pipeline) {
  Numbers best;
  double least = 0;
  for (const Numbers& choice : pipeline.grid) {
    const double took = measure(pipeline.build(choice), kSearch, kSearch);
    if (least == 0 || took < least) best = choice;
    least = least == 0 ? took : std::min(least, took);
  }
  std::vector<double> tuned, by_hand, ratios;
  std::string chosen;
  for (int i = 0; i < kPairs; ++i) {
    by_hand.push_back(measure(pipeline.build(best), kTuning, kMeasured));
    tuned.push_back(measure(pipeline.build({}), kTuning, kMeasured, &chosen));
    ratios.push_back(by_hand.back() / tuned.back());
  }
  char text[512];
  std::snprintf(text, sizeof(text),
                "\"%s_us\": %.3f, \"%s_grid_us\": %.3f, \"%s_ratio\": %.3f, "
                "\"%s_chosen\": \"%s\", \"%s_grid\": "
                "\"%lld reads, %lld calls, %lld ahead\"",
                pipeline.name.c_str(), median(tuned), pipeline.name.c_str(),
                median(by_hand), pipeline.name.c_str(), median(ratios),
                pipeline.name.c_str(), chosen.c_str(), pipeline.name.c_str(),
                static_cast<long long>(best.reads),
                static_cast<long long>(best.calls),
                static_cast<long long>(best.ahead));
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("AUTOTUNE against a grid of hand-set numbers.");
  std::string folder, only;
  app.add_option("--files", folder, "The folder with the record files")
      ->required();
  app.add_option("--only", only, "One of light, decode, latency");
  CLI11_PARSE(app, argc, argv);
  try {
    const std::vector<std::string> files =
        io::glob(io::join_path(folder, "*.tfrec"));
    const std::vector<Pipeline> pipelines{
        {"light", light, grid({1}, {1, 2, 4})},
        {"decode", [&](const Numbers& choice) { return decode(files, choice); },
         grid({1, 4}, {1, 2, 4, 8})},
        {"latency", latency, grid({4, 8, 16}, {1, 2, 4})}};
    std::string line = "{\"program\": \"systolic\"";
    for (const Pipeline& pipeline : pipelines) {
      if (!only.empty() && only != pipeline.name) continue;
      line += ", " + compare(pipeline);
    }
    std::printf("%s}\n", line.c_str());
  } catch (const Error& e) {
    std::fprintf(stderr, "autotune: %s\n", e.what());
    return 1;
  }
  return 0;
}
