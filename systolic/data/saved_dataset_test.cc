#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "systolic/base/error.h"
#include "systolic/base/seed.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/io/file_system.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::data {
namespace {

class SavedDatasetTest : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
  const std::string path_ = (folder_.path() / "saved").string();
};

int64_t third(const Element& element) { return element.to<int64_t>() % 3; }

TEST_F(SavedDatasetTest, LoadsWhatWasSaved) {
  const Dataset dataset = Dataset::range(5).map([](int64_t x) {
    return Element::dict({{"length", x},
                          {"row", Array::full({x}, double(x))},
                          {"text", std::to_string(x)}});
  });
  dataset.save(path_);
  const Dataset loaded = Dataset::load(path_);
  EXPECT_EQ(text(loaded), text(dataset));
  EXPECT_EQ(loaded.cardinality(), 5);
  EXPECT_EQ(loaded.element_spec().to_string(),
            "{\"length\": int64[], \"row\": float32[None], "
            "\"text\": string[]}");
  EXPECT_EQ(resume_failure([this] { return Dataset::load(path_); }), "");
}

TEST_F(SavedDatasetTest, SeveralFilesAreReadInTurn) {
  Dataset::range(9).save(path_, {.shard_func = third});
  EXPECT_EQ(text(Dataset::load(path_)), "0 1 2 3 4 5 6 7 8");
  const Dataset reversed = Dataset::load(
      path_, {.reader_func = [](const Dataset& shards) {
        return shards.flat_map([](Dataset shard) { return shard; });
      }});
  EXPECT_EQ(text(reversed), "0 3 6 1 4 7 2 5 8");
  EXPECT_EQ(resume_failure([&] { return reversed; }), "");
  EXPECT_EQ(resume_failure([this] { return Dataset::load(path_); }), "");
}

TEST_F(SavedDatasetTest, SavingAgainReplacesAllAtOnce) {
  Dataset::range(3).save(path_);
  const Dataset fails = Dataset::range(9).map([](int64_t x) {
    if (x == 5) throw ValueError("five");
    return x;
  });
  EXPECT_THROW(fails.save(path_), ValueError);
  EXPECT_EQ(text(Dataset::load(path_)), "0 1 2");
  Dataset::range(7, 9).save(path_);
  EXPECT_EQ(text(Dataset::load(path_)), "7 8");
  EXPECT_EQ(io::list_directory(path_).size(), 2u);  // metadata and one run
  Dataset::range(0).save(path_);
  EXPECT_EQ(text(Dataset::load(path_)), "");
  EXPECT_EQ(Dataset::load(path_).cardinality(), 0);
}

TEST_F(SavedDatasetTest, MistakesAreNamed) {
  const std::string expected =
      "load: expected a folder that Dataset::save() or snapshot() wrote, got ";
  const auto load = [this] { Dataset::load(path_); };
  EXPECT_EQ(text_of<NotFoundError>(load),
            expected + path_ + ", which is not there");
  io::make_dirs(path_);
  EXPECT_EQ(text_of<NotFoundError>(load),
            expected + path_ + ", which has no file `metadata`");
  const std::string metadata = io::join_path(path_, "metadata");
  io::write_file(metadata, "something else");
  EXPECT_EQ(text_of<DataError>(load),
            expected + metadata +
                ", which is a file of something else\n"
                "  hint: give the name of another folder");
  Dataset::range(3).save(path_);
  std::string bytes = io::read_file(metadata);
  bytes.back() ^= 1;
  io::write_file(metadata, bytes);
  EXPECT_EQ(text_of<DataError>(load), expected + metadata +
                                          ", which is damaged\n"
                                          "  hint: write the data set again");
  const std::string damaged =
      text_of<DataError>([this] { text(Dataset::range(2).snapshot(path_)); });
  EXPECT_TRUE(damaged.starts_with("snapshot: expected a folder")) << damaged;
}

TEST_F(SavedDatasetTest, AFileIsNoFolder) {
  io::write_file(path_, "notes");
  const std::string rest = ": expected the name of a folder, got " + path_ +
                           ", which is a file\n  hint: give another name";
  EXPECT_EQ(text_of<ValueError>([this] { Dataset::load(path_); }),
            "load" + rest);
  EXPECT_EQ(text_of<ValueError>([this] { Dataset::range(2).save(path_); }),
            "save" + rest);
  EXPECT_EQ(
      text_of<ValueError>([this] { text(Dataset::range(2).snapshot(path_)); }),
      "snapshot" + rest);
  EXPECT_EQ(io::read_file(path_), "notes");
}

TEST_F(SavedDatasetTest, WhatHasNoEndIsRefused) {
  const Dataset endless = Dataset::range(3).repeat();
  const std::string expected =
      ": expected a data set that ends, since all of it is written, got one "
      "without an end\n  hint: ";
  EXPECT_EQ(text_of<ValueError>([&] { endless.save(path_); }),
            "save" + expected +
                "take(n) gives the first n; repeat() goes behind load()");
  EXPECT_EQ(text_of<ValueError>([&] { endless.snapshot(path_); }),
            "snapshot" + expected +
                "put repeat() behind snapshot(), or take(n) before it");
  EXPECT_FALSE(io::exists(path_));
  endless.take(4).save(path_);
  EXPECT_EQ(text(Dataset::load(path_)), "0 1 2 0");
}

TEST_F(SavedDatasetTest, AnEmptyOneKeepsItsSpec) {
  const auto spec_of = [this](const Dataset& dataset) {
    dataset.save(path_);
    return Dataset::load(path_).element_spec().to_string();
  };
  for (const Dataset& dataset :
       {Dataset::range(0), Dataset::range(0).batch(2),
        Dataset::range(3).take(0),
        Dataset::from_tensor_slices(Array::zeros({0, 2, 3}), Array::zeros({0})),
        Dataset::range(0).window(2)}) {
    const std::string spec = dataset.element_spec().to_string();
    EXPECT_NE(spec, "?");
    EXPECT_EQ(spec_of(dataset), spec);
    EXPECT_EQ(Dataset::load(path_).cardinality(), 0);
  }
}

TEST_F(SavedDatasetTest, WhatFailsLeavesNothing) {
  const Dataset fails = Dataset::range(9).map([](int64_t x) {
    if (x == 5) throw ValueError("five");
    return x;
  });
  const std::string inner = io::join_path(path_, "a/b");
  EXPECT_THROW(fails.save(inner), ValueError);
  EXPECT_FALSE(io::exists(path_));
  text(Dataset::range(5).snapshot(inner).take(2));
  EXPECT_FALSE(io::exists(path_));
  io::make_dirs(path_);
  EXPECT_THROW(fails.save(inner), ValueError);
  EXPECT_EQ(io::list_directory(path_).size(), 0u);
}

TEST_F(SavedDatasetTest, ANegativeShardIsRefused) {
  const auto minus = [](const Element& element) {
    return 1 - element.to<int64_t>();
  };
  EXPECT_EQ(text_of<ValueError>(
                [&] { Dataset::range(5).save(path_, {.shard_func = minus}); }),
            "save: expected shard_func to give a number from 0 on, got -1");
  EXPECT_FALSE(io::exists(path_));
}

TEST_F(SavedDatasetTest, CompressedFilesAreSmallerAndReadAlike) {
  const Dataset zeros =
      Dataset::range(50).map([](int64_t) { return Array::zeros({1000}); });
  const auto bytes_of = [this] {
    int64_t bytes = 0;
    for (const std::string& path : io::glob(io::join_path(path_, "**"))) {
      if (path.ends_with(".shard")) bytes += io::stat(path).size;
    }
    return bytes;
  };
  const std::string all = text(zeros);
  zeros.save(path_);
  EXPECT_GT(bytes_of(), 200'000);
  zeros.save(path_, {.compression = "GZIP"});
  EXPECT_GT(bytes_of(), 0);
  EXPECT_LT(bytes_of(), 5'000);
  EXPECT_EQ(text(Dataset::load(path_)), all);
  EXPECT_EQ(text(Dataset::load(path_, {.compression = "GZIP"})), all);
  EXPECT_EQ(resume_failure([this] { return Dataset::load(path_); }), "");
  EXPECT_EQ(text_of<ValueError>(
                [this] { Dataset::load(path_, {.compression = ""}); }),
            "load: expected the compression that the data set was saved with: "
            "\"GZIP\", got \"\"\n"
            "  hint: leave .compression out: it is known");
  EXPECT_EQ(text_of<ValueError>(
                [&] { zeros.snapshot(path_, {.compression = "SNAPPY"}); }),
            "snapshot: expected compression \"\" or \"GZIP\", got "
            "\"SNAPPY\"");
}

TEST_F(SavedDatasetTest, ASnapshotKnowsItsPipeline) {
  const auto of = [this](int64_t size) {
    return Dataset::range(6).batch(size).snapshot(path_,
                                                  {.compression = "GZIP"});
  };
  LogCapture log;
  EXPECT_EQ(text(of(3)), "[0 1 2] [3 4 5]");
  EXPECT_EQ(log.lines.size(), 0u);
  EXPECT_EQ(text(of(4)), "[0 1 2 3] [4 5]");
  ASSERT_EQ(log.lines.size(), 1u);
  EXPECT_EQ(log.lines[0],
            "warning: snapshot: " + path_ +
                " is of a pipeline with other nodes or parameters; the next "
                "complete pass replaces it");
  EXPECT_EQ(text(of(4)), "[0 1 2 3] [4 5]");
  EXPECT_EQ(text(Dataset::load(path_)), "[0 1 2 3] [4 5]");
  EXPECT_EQ(log.lines.size(), 1u);
}

// Threads, buffers and options of the pipeline make no other elements.
TEST_F(SavedDatasetTest, ASnapshotIsNotOfItsThreads) {
  std::atomic<int> made = 0;
  const auto of = [&](int64_t calls, const std::string& name = "") {
    return Dataset::range(6)
        .map([&made](int64_t x) { return made++, x; },
             {.num_parallel_calls = calls, .name = name})
        .batch(3, {.num_parallel_calls = calls});
  };
  LogCapture log;
  EXPECT_EQ(text(of(1).snapshot(path_)), "[0 1 2] [3 4 5]");
  EXPECT_EQ(text(of(4).snapshot(path_)), "[0 1 2] [3 4 5]");
  EXPECT_EQ(text(of(AUTOTUNE)
                     .prefetch(2)
                     .with_options({.deterministic = true})
                     .snapshot(path_)),
            "[0 1 2] [3 4 5]");
  EXPECT_EQ(made, 6);
  EXPECT_EQ(log.lines.size(), 0u);
  EXPECT_EQ(text(of(1, "other").snapshot(path_)), "[0 1 2] [3 4 5]");
  EXPECT_EQ(made, 12);
  EXPECT_EQ(log.lines.size(), 1u);
}

// A reader_func that shuffles: other orders in each pass, all in the state, and
// nothing drawn from the program's sequence.
TEST_F(SavedDatasetTest, ASnapshotsReaderDrawsForItsPass) {
  const auto build = [this] {
    set_random_seed(5);
    return Dataset::range(20).snapshot(
        path_, {.shard_func = third, .reader_func = [](const Dataset& shards) {
                  return shards.flat_map([](Dataset shard) { return shard; })
                      .shuffle(20)
                      .repeat(2);
                }});
  };
  text(build());
  const Dataset dataset = build();
  const std::string first = text(dataset);
  EXPECT_NE(text(dataset), first);
  EXPECT_EQ(text(build()), first);
  const uint64_t drawn = internal::draw_seed();
  build();
  EXPECT_EQ(internal::draw_seed(), drawn);
}

TEST_F(SavedDatasetTest, ASnapshotIsReadInsteadOfItsInput) {
  auto reads = std::make_shared<std::atomic<int>>(0);
  const auto build = [&] {
    return Dataset::range(6)
        .map([reads](int64_t x) {
          ++*reads;
          return x;
        })
        .snapshot(path_, {.shard_func = third});
  };
  EXPECT_EQ(text(build().take(2)), "0 1");  // no complete pass
  EXPECT_FALSE(io::exists(io::join_path(path_, "metadata")));
  EXPECT_EQ(text(build()), "0 1 2 3 4 5");
  EXPECT_EQ(*reads, 8);
  EXPECT_EQ(text(build()), "0 1 2 3 4 5");
  EXPECT_EQ(*reads, 8);
  EXPECT_EQ(resume_failure(build), "");
}

}  // namespace
}  // namespace systolic::data
