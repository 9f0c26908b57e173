// What a pass leaves behind that does not go to its end: no thread and no
// descriptor, for each source of files below each node with threads of its own.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "systolic/data/test_helpers.h"
#include "systolic/io/arrow_module.h"
#include "systolic/io/file_system.h"
#include "systolic/records/csv_dataset.h"
#include "systolic/records/fixed_length_record_dataset.h"
#include "systolic/records/record_writer.h"
#include "systolic/records/table_dataset.h"
#include "systolic/records/text_line_dataset.h"
#include "systolic/records/tf_record_dataset.h"
#include "systolic/testing/dataset_contract.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::data {
namespace {

namespace fs = std::filesystem;

constexpr int kFiles = 6;
constexpr int kRows = 300;  // of a file; files are larger than one read

// The threads and descriptors of this process.
struct Held {
  int64_t threads = 0;
  int64_t descriptors = 0;

  static Held now() {
    return {testing::process_threads(),
            std::distance(fs::directory_iterator("/proc/self/fd"),
                          fs::directory_iterator())};
  }
};

// The kernel may count a thread for a moment after it was joined.
std::string left_behind(const Held& before, int64_t kept_threads) {
  int64_t threads = 0;
  int64_t descriptors = 0;
  // Looks are counted, no time: a machine may be held up.
  for (int looks = 0; looks < 5000; ++looks) {
    const Held after = Held::now();
    threads = after.threads - before.threads;
    descriptors = after.descriptors - before.descriptors;
    if (threads <= kept_threads && descriptors <= 0) return "";
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return std::to_string(threads) + " threads, " + std::to_string(descriptors) +
         " descriptors";
}

// A folder with the files of every source.
class Files {
 public:
  Files() {
    std::string line(500, 'x');
    for (int f = 0; f < kFiles; ++f) {
      TFRecordWriter plain(path("tf", f));
      TFRecordWriter packed(path("gz", f), {.compression_type = "GZIP"});
      std::string text, rows;
      for (int i = 0; i < kRows; ++i) {
        line[0] = static_cast<char>('a' + i % 26);
        plain.write(line);
        packed.write(line);
        text += line + '\n';
        rows += std::to_string(i) + ',' + line + '\n';
      }
      plain.close();
      packed.close();
      io::write_file(path("txt", f), text);
      io::write_file(path("csv", f), rows);
    }
    Dataset::range(kRows).save(path("saved", 0));
  }

  std::vector<std::string> all(const std::string& kind) const {
    std::vector<std::string> paths;
    for (int f = 0; f < kFiles; ++f) paths.push_back(path(kind, f));
    return paths;
  }
  std::string path(const std::string& kind, int number) const {
    return (folder_.path() / (kind + std::to_string(number))).string();
  }
  void remove() const {
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      fs::remove_all(entry.path());
    }
  }

 private:
  testing::TemporaryFolder folder_;
};

struct Source {
  std::string name;
  std::function<Dataset(const Files&)> open;
  // Threads that a library starts as it needs them and keeps for all readers.
  int64_t kept_threads = 0;
};

std::vector<Source> sources() {
  std::vector<Source> all{
      {"TFRecord", [](const Files& f) { return TFRecordDataset(f.all("tf")); }},
      {"TFRecordAutotune",
       [](const Files& f) {
         return TFRecordDataset(f.all("tf"), {.num_parallel_reads = AUTOTUNE});
       }},
      {"TFRecordGzip",
       [](const Files& f) {
         return TFRecordDataset(f.all("gz"), {.compression_type = "GZIP",
                                              .num_parallel_reads = 3});
       }},
      {"TextLine",
       [](const Files& f) {
         return TextLineDataset(f.all("txt"), {.num_parallel_reads = 3});
       }},
      {"FixedLengthRecord",
       [](const Files& f) {
         return FixedLengthRecordDataset(f.all("txt"), 100,
                                         {.num_parallel_reads = 3});
       }},
      {"Csv",
       [](const Files& f) {
         return CsvDataset(f.all("csv"), {DType::int64, DType::string});
       }},
      {"Saved",
       [](const Files& f) { return Dataset::load(f.path("saved", 0)); }},
      {"FileCache",
       [](const Files& f) {
         return TFRecordDataset(f.all("tf")).cache(f.path("cache", 0));
       }},
      {"Snapshot",
       [](const Files& f) {
         return TextLineDataset(f.all("txt")).snapshot(f.path("snapshot", 0));
       }},
  };
  if (io::detail::has_arrow_module()) {
    const auto id = [](const Element& row) { return row["id"]; };
    const std::string folder = "systolic/records/testdata/";
    // Arrow's pools: one for each hardware thread, eight for files.
    const auto pools =
        static_cast<int64_t>(std::thread::hardware_concurrency()) + 8;
    const auto parquet = [=](const Files&) {
      return ParquetDataset(folder + "rows.parquet").map(id);
    };
    const auto arrow = [=](const Files&) {
      return ArrowFileDataset(folder + "rows.arrow").map(id);
    };
    all.push_back({"Parquet", parquet, pools});
    all.push_back({"ArrowFile", arrow, pools});
  }
  return all;
}

// Pipelines that end in a node with threads of its own, or in one that holds
// other iterators. `call` is called with each element.
std::vector<Dataset> pipelines(const Dataset& source, const Files& files,
                               const std::function<Element(Element)>& call) {
  const auto one = [call](Element element) {
    return Dataset::from_tensors(call(std::move(element)));
  };
  const auto interleaved = [&](int64_t calls, bool deterministic) {
    return source.interleave(one, {.cycle_length = 3,
                                   .num_parallel_calls = calls,
                                   .deterministic = deterministic});
  };
  const Dataset called = source.map(call);
  return {
      called,
      source.map(call, {.num_parallel_calls = 3}),
      source.map(call, {.num_parallel_calls = 3, .deterministic = false}),
      source.map(call, {.num_parallel_calls = AUTOTUNE}).prefetch(AUTOTUNE),
      called.batch(2, {.num_parallel_calls = 3}),
      called.batch(2, {.num_parallel_calls = AUTOTUNE}),
      interleaved(1, true),
      interleaved(3, true),
      interleaved(3, false),
      interleaved(AUTOTUNE, true).batch(2).prefetch(2),
      called.prefetch(3),
      called.shuffle(20, {.seed = 1}).repeat().take(50),
      Dataset::zip(called, source.prefetch(1)),
      Dataset::sample_from_datasets({called, source.prefetch(1)}),
      called.concatenate(source),
      called.window(2).flat_map([](Dataset window) { return window; }),
      called.ignore_errors(),
      called.cache(),
      called.cache(files.path("cache", 1)),
      called.snapshot(files.path("snapshot", 1)),
  };
}

class EarlyEndTest : public ::testing::TestWithParam<Source> {
 protected:
  void SetUp() override {
    // Threads and files that libraries keep: they are made once.
    const auto same = [](Element element) { return element; };
    Element element;
    for (const Dataset& dataset :
         pipelines(GetParam().open(files_), files_, same)) {
      EXPECT_TRUE(dataset.iterator().get_next(&element));
    }
    before_ = Held::now();
  }

  // Elements and errors up to `most`, and then what is left behind.
  std::string read(const Dataset& dataset, int most) {
    {
      Iterator it = dataset.iterator();
      Element element;
      for (bool more = true; more && most > 0; --most) {
        try {
          more = it.get_next(&element);
        } catch (const Error&) {
          ++errors_;
        }
      }
    }
    return left_behind(before_, GetParam().kept_threads);
  }

  LogCapture log_;  // of ignore_errors
  const Files files_;
  Held before_;
  int errors_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Sources, EarlyEndTest, ::testing::ValuesIn(sources()),
                         [](const auto& test) { return test.param.name; });

TEST_P(EarlyEndTest, AReaderThatStops) {
  const auto same = [](Element element) { return element; };
  for (const int count : {0, 1, 7}) {
    int number = 0;
    for (const Dataset& dataset :
         pipelines(GetParam().open(files_), files_, same)) {
      EXPECT_EQ(read(dataset, count), "")
          << "pipeline " << number++ << ", " << count << " elements";
    }
  }
  EXPECT_EQ(errors_, 0);
}

TEST_P(EarlyEndTest, AFunctionThatThrows) {
  const auto thrower = [](Element) -> Element {
    throw ValueError("the user's");
  };
  int number = 0;
  for (const Dataset& dataset :
       pipelines(GetParam().open(files_), files_, thrower)) {
    EXPECT_EQ(read(dataset, 5), "") << "pipeline " << number++;
  }
  EXPECT_GT(errors_, number);
}

TEST_P(EarlyEndTest, FilesThatAreDeletedMeanwhile) {
  const auto same = [](Element element) { return element; };
  const std::vector<Dataset> all =
      pipelines(GetParam().open(files_), files_, same);
  std::vector<Iterator> begun;
  Element element;
  for (const Dataset& dataset : all) {
    begun.push_back(dataset.iterator());
    begun.back().get_next(&element);
  }
  files_.remove();
  const auto read_on = [&](Iterator& it) {
    for (int i = 0; i < 10'000; ++i) {
      try {
        if (!it.get_next(&element)) return;
      } catch (const Error&) {
        ++errors_;
      }
    }
    ADD_FAILURE() << "it does not end";
  };
  for (Iterator& it : begun) read_on(it);
  begun.clear();
  EXPECT_EQ(left_behind(before_, GetParam().kept_threads), "");
  int number = 0;
  for (const Dataset& dataset : all) {
    EXPECT_EQ(read(dataset, 20), "") << "pipeline " << number++;
  }
}

}  // namespace
}  // namespace systolic::data
