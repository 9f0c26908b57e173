#include "systolic/testing/golden.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "systolic/base/error.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::golden {
namespace {

// Writes a family by hand and reads it.
class GoldenFile : public ::testing::Test {
 protected:
  std::vector<Case> read(const std::string& text) {
    std::ofstream(path_) << text;
    return load_file(path_);
  }

  const testing::TemporaryFolder folder_;
  const std::string path_ = folder_.path() / "golden.json";
};

constexpr const char* kSmall = R"({"family": "x", "cases": [
  {"name": "first", "options": {"units": 4, "rate": 0.5, "bias": false,
   "strides": [1, 2], "one": 3, "activation": "relu", "unset": null,
   "shape": [null, 2]},
   "expected": {"keys": ["loss", "mae"]}, "texts": {"summary": "a\nb"},
   "arrays": {
    "input": {"dtype":"float32","shape":[2, 2],"data":[1,0.1,"nan","-inf"]},
    "weights/kernel": {"dtype":"bfloat16","shape":[2],"data":[1.5,-2]},
    "weights/bias": {"dtype":"int64","shape":[],"data":[9007199254740993]},
    "mask": {"dtype":"bool","shape":[3],"data":[true,false,true]},
    "names": {"dtype":"string","shape":[1],"data":["a"]}}}]})";

TEST_F(GoldenFile, ReadsOptionsUnderKerasNames) {
  const Case c = read(kSmall).at(0);
  EXPECT_EQ(c.name(), "first");
  EXPECT_EQ(c.options()["units"].integer(), 4);
  EXPECT_EQ(c.options()["units"].number(), 4.0);
  EXPECT_EQ(c.options().get("rate", 0.0), 0.5);
  EXPECT_FALSE(c.options().get("bias", true));
  EXPECT_EQ(c.options().get("activation", "linear"), "relu");
  EXPECT_EQ(c.options().get("absent", "linear"), "linear");
  EXPECT_EQ(c.options().get("absent", 7), 7);
  EXPECT_EQ(c.options()["strides"].integers(), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(c.options()["one"].integers(), std::vector<int64_t>{3});
  EXPECT_EQ(c.options()["shape"].integers(), (std::vector<int64_t>{-1, 2}));
  EXPECT_TRUE(c.options()["unset"].is_null());
  EXPECT_EQ(c.expected()["keys"].texts(),
            (std::vector<std::string>{"loss", "mae"}));
  EXPECT_EQ(c.text("summary"), "a\nb");
}

TEST_F(GoldenFile, ReadsArraysOfEveryKind) {
  const Case c = read(kSmall).at(0);
  const Array input = c.array("input");
  EXPECT_EQ(input.spec().to_string(), "float32[2, 2]");
  EXPECT_EQ(input.span<float>()[1], 0.1f);
  EXPECT_TRUE(std::isnan(input.span<float>()[2]));
  EXPECT_EQ(input.span<float>()[3], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(c.array("mask").span<bool>()[2]);
  EXPECT_EQ(c.array("names").item<std::string>(), "a");

  const Arrays weights = c.group("weights");
  ASSERT_EQ(weights.size(), 2u);
  EXPECT_EQ(weights[0].first, "kernel");
  EXPECT_EQ(float(weights[0].second.span<bfloat16>()[1]), -2.f);
  EXPECT_EQ(weights[1].second.rank(), 0);
  EXPECT_EQ(weights[1].second.item<int64_t>(), 9007199254740993);
  EXPECT_TRUE(c.group("absent").empty());
}

TEST_F(GoldenFile, SaysWhatThereIsWhenANameIsWrong) {
  const Case c = read(kSmall).at(0);
  try {
    c.array("output");
    FAIL() << "no exception";
  } catch (const NotFoundError& e) {
    EXPECT_STREQ(e.what(),
                 "golden case \"first\": expected one of the arrays input, "
                 "weights/kernel, weights/bias, mask, names, got \"output\"");
  }
  EXPECT_THROW(c.options()["filters"], NotFoundError);
  EXPECT_THROW(c.options()["units"].text(), TypeError);
  EXPECT_THROW(read("{"), DataError);
  EXPECT_THROW(load("no_such_family"), NotFoundError);
}

TEST(GoldenDifference, NamesTheWorstElement) {
  const Array wanted = Array::from({1.f, 2.f, 3.f, 4.f}, {2, 2});
  EXPECT_EQ(difference(wanted, wanted), "");
  EXPECT_EQ(difference(Array::from({1.f, 2.f, 3.5f, 4.1f}, {2, 2}), wanted),
            "expected 3 at [1, 0], got 3.5; 2 of 4 differ by more than 1e-06 "
            "+ 1e-05 * |expected|");
  EXPECT_EQ(difference(Array::from({1.f, 2.f, 3.f, 4.1f}, {2, 2}), wanted,
                       {.relative = 0.1}),
            "");
  EXPECT_EQ(difference(Array::from({1.f, 2.f, 3.f, 4.f}), wanted),
            "expected float32[2, 2], got float32[4]");
}

TEST(GoldenDifference, NeverTakesNanForANumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(difference(Array::from({nan, inf}), Array::from({nan, inf})), "");
  EXPECT_NE(difference(Array::from({nan}), Array::from({1.f})), "");
  EXPECT_NE(difference(Array::from({1.f}), Array::from({nan})), "");
  EXPECT_NE(difference(Array::from({inf}), Array::from({-inf})), "");
}

// Every file in the source tree reads, and has cases.
TEST(Goldens, AllRead) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().string());
    EXPECT_FALSE(load_file(entry.path()).empty());
    ++files;
  }
  EXPECT_GE(files, 14);
}

}  // namespace
}  // namespace systolic::golden
