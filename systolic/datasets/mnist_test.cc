#include "systolic/datasets/mnist.h"

#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/datasets/sources.h"
#include "systolic/datasets/test_files.h"

namespace systolic::datasets::detail {
namespace {

// A small MNIST in a cache of its own.
class MnistTest : public ::testing::Test {
 protected:
  MnistTest() {
    add("train-images-idx3-ubyte", idx_text({20, 28, 28}, 256));
    add("train-labels-idx1-ubyte", idx_text({20}, 10));
    add("t10k-images-idx3-ubyte", idx_text({5, 28, 28}, 256));
    add("t10k-labels-idx1-ubyte", idx_text({5}, 10));
  }

  void add(const std::string& file, const std::string& text) {
    write_text(path(file), text);
    sources_.push_back(source_of(file, text));
  }
  std::filesystem::path path(const std::string& file) const {
    return folder_.path() / "mnist" / file;
  }
  std::string failure() const {
    return text_of<DataError>([&] { load_mnist(sources_, places_); });
  }

  const TemporaryFolder folder_;
  const Places places_{.cache = folder_.path(), .data_dir = {}};
  std::vector<SourceFile> sources_;
};

TEST_F(MnistTest, GivesImagesAndLabelsAsKerasDoes) {
  auto [train, test] = load_mnist(sources_, places_);
  EXPECT_EQ(train.first.spec().to_string(), "uint8[20, 28, 28]");
  EXPECT_EQ(train.second.spec().to_string(), "uint8[20]");
  EXPECT_EQ(test.first.spec().to_string(), "uint8[5, 28, 28]");
  EXPECT_EQ(test.second.spec().to_string(), "uint8[5]");
  EXPECT_EQ(train.first.span<uint8_t>()[700], 700 % 256);
}

TEST_F(MnistTest, GoesThroughThePipeline) {
  auto [train, test] = load_mnist(sources_, places_);
  const auto prepare = [](Array image, Array label) {
    return std::pair(expand_dims(cast<float>(image) / 255.f, -1), label);
  };
  const data::Dataset dataset =
      data::Dataset::from_tensor_slices(train)
          .map(prepare, {.num_parallel_calls = data::AUTOTUNE})
          .cache()
          .batch(8);
  EXPECT_EQ(dataset.element_spec().to_string(),
            "(float32[None, 28, 28, 1], uint8[None])");
  int64_t seen = 0;
  for (auto [x, y] : dataset.as<Array, Array>()) {
    EXPECT_EQ(y.span<uint8_t>()[0], seen % 10);
    EXPECT_EQ(x.span<float>()[255 - static_cast<size_t>(seen * 784 % 256)],
              1.f);
    seen += y.size();
  }
  EXPECT_EQ(seen, 20);
}

TEST_F(MnistTest, ADamagedFileIsNamed) {
  const std::string file = "train-images-idx3-ubyte";
  std::string text = read_text(path(file));
  text[500] ^= 1;
  write_text(path(file), text);
  EXPECT_EQ(failure(), "datasets: expected " + sources_[0].sha256 + ", got " +
                           sha256(std::as_bytes(std::span(text))) +
                           "\n  file: " + path(file).string() +
                           "\n  check: SHA-256 of the unpacked file\n"
                           "  offset: 0\n"
                           "  hint: remove the file; it is then fetched again");
  write_text(path(file), text.substr(0, 400));
  EXPECT_EQ(failure(),
            "datasets: expected 15696 bytes for uint8[20, 28, 28], got 400\n"
            "  file: " +
                path(file).string() +
                "\n  check: size\n"
                "  offset: 400\n"
                "  hint: remove the file; it is then fetched again");
}

TEST_F(MnistTest, LabelsAreDigits) {
  const std::string file = "train-labels-idx1-ubyte";
  const std::string text = idx_text({20}, 12);
  write_text(path(file), text);
  sources_[1] = source_of(file, text);
  EXPECT_EQ(failure(),
            "datasets: expected a digit 0 ... 9, got 10\n"
            "  file: " +
                path(file).string() +
                "\n  check: labels\n"
                "  offset: 18\n"
                "  hint: remove the file; it is then fetched again");
}

TEST_F(MnistTest, CountsAndRanksMustFit) {
  const std::string labels = idx_text({19}, 10);
  write_text(path("train-labels-idx1-ubyte"), labels);
  sources_[1] = source_of("train-labels-idx1-ubyte", labels);
  EXPECT_EQ(failure(),
            "datasets::mnist: expected as many labels as images, got 19 and "
            "20\n"
            "  files: train-images-idx3-ubyte and train-labels-idx1-ubyte");
  write_text(path("train-images-idx3-ubyte"), labels);
  EXPECT_NE(failure().find("expected uint8 with 3 axes, got uint8[19]"),
            std::string::npos);
}

TEST(MnistDataTest, TheRealOne) {
  Places places = default_places();
  for (SourceFile& file : source_files("mnist")) {
    file.addresses.clear();  // a test fetches nothing
    try {
      find_file(file, places);
    } catch (const NotFoundError&) {
      GTEST_SKIP() << "MNIST is not in the cache";
    }
  }
  auto [train, test] = mnist::load_data();
  EXPECT_EQ(train.first.spec().to_string(), "uint8[60000, 28, 28]");
  EXPECT_EQ(train.second.spec().to_string(), "uint8[60000]");
  EXPECT_EQ(test.first.spec().to_string(), "uint8[10000, 28, 28]");
  EXPECT_EQ(test.second.spec().to_string(), "uint8[10000]");
  EXPECT_EQ(train.second.span<uint8_t>()[0], 5);
  EXPECT_EQ(test.second.span<uint8_t>()[0], 7);
}

}  // namespace
}  // namespace systolic::datasets::detail
