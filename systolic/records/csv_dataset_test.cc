#include "systolic/records/csv_dataset.h"

#include <gtest/gtest.h>

#include "systolic/data/test_helpers.h"
#include "systolic/records/test_files.h"
#include "systolic/records/test_iterators.h"

namespace systolic::data {
namespace {

constexpr DType kInt = DType::int32;
constexpr DType kFloat = DType::float32;
constexpr DType kString = DType::string;

class CsvDatasetTest : public ::testing::Test {
 protected:
  // The rows of a file of `bytes` as text.
  std::string rows(const std::string& bytes,
                   const std::vector<CsvColumn>& columns,
                   const CsvDatasetOptions& options = {}) const {
    std::string text;
    const CsvDataset dataset(folder_.write("c", bytes), columns, options);
    for (const Element& row : dataset) text += row.to_string() + " ";
    return text;
  }
  // What reading the first row that cannot be read says, without the file.
  std::string complaint(const std::string& bytes,
                        const std::vector<CsvColumn>& columns,
                        const CsvDatasetOptions& options = {}) const {
    std::string text =
        text_of<CsvError>([&] { rows(bytes, columns, options); });
    const size_t file = text.find("\n  file: ");
    if (file != std::string::npos) {
      text.erase(file, text.find('\n', file + 1) - file);
    }
    return text;
  }
  const RecordFolder folder_;
};

TEST_F(CsvDatasetTest, FieldsAreOfTheirColumnsTypes) {
  const CsvDataset dataset(
      folder_.write("c", "1,2,2.5,1e3,x\n-1, +2,nan,inf,\"a,\"\"b\"\"\n\"\n"),
      {kInt, DType::int64, kFloat, DType::float64, kString});
  EXPECT_EQ(dataset.element_spec().to_string(),
            "(int32[], int64[], float32[], float64[], string[])");
  Iterator it = dataset.iterator();
  const Element first = it.next();
  EXPECT_EQ(first[0].array().item<int32_t>(), 1);
  EXPECT_EQ(first[3].array().item<double>(), 1000.0);
  const Element second = it.next();
  EXPECT_EQ(second[1].array().item<int64_t>(), 2);
  EXPECT_TRUE(std::isnan(second[2].array().item<float>()));
  EXPECT_EQ(second[4].to<std::string>(), "a,\"b\"\n");
}

// The values are those of tf.io.decode_csv.
TEST_F(CsvDatasetTest, FloatsOutOfRangeAndHexAreTensorFlows) {
  EXPECT_EQ(
      rows("1e-50\n-1e39\n0xF\n-0Xf\n0.0001e-60\n1000e36\n0x1.8p1\n", {kFloat}),
      rows("0\n-inf\n15\n-15\n0\ninf\n3\n", {kFloat}));
  EXPECT_EQ(rows("1e-400\n1e400\n1e39\n0x10\n", {DType::float64}),
            rows("0\ninf\n1000e36\n16\n", {DType::float64}));
  for (const char* text : {"0x", "0xg", "0xinf", "0xnan", "--1", "-", "1e"}) {
    EXPECT_THROW(rows(std::string(text) + "\n", {kFloat}), CsvError) << text;
  }
  EXPECT_THROW(rows("0xF\n", {kInt}), CsvError);
  EXPECT_THROW(rows("99999999999\n", {kInt}), CsvError);
}

TEST_F(CsvDatasetTest, DefaultsFillWhatIsEmpty) {
  EXPECT_EQ(rows("1,2.5,x\n,,\n", {7, 0.5f, "none"}),
            rows("1,2.5,x\n7,0.5,none\n", {kInt, kFloat, kString}));
  EXPECT_EQ(rows("1,NA\n", {kInt, 7}, {.na_value = "NA"}),
            rows("1,7\n", {kInt, kInt}));
  EXPECT_EQ(rows("\"\",1\n", {"d", kInt}), rows("d,1\n", {kString, kInt}));
}

TEST_F(CsvDatasetTest, LineEndsAndDelimitersAreThoseOfTfData) {
  const std::string two = rows("1,2\n3,4\n", {kInt, kInt});
  EXPECT_EQ(rows("1,2\r\n3,4\r\n", {kInt, kInt}), two);
  EXPECT_EQ(rows("1,2\r3,4\r", {kInt, kInt}), two);
  EXPECT_EQ(rows("1,2\n3,4", {kInt, kInt}), two);
  EXPECT_EQ(rows("h,g\n1,2\n3,4", {kInt, kInt}, {.header = true}), two);
  EXPECT_EQ(rows("1\t2\n3\t4", {kInt, kInt}, {.field_delim = '\t'}), two);
  EXPECT_EQ(rows("1,2\n3,4\n", {kInt, kInt}, {.buffer_size = 1}), two);
  EXPECT_EQ(rows("", {kInt}), "");
  EXPECT_EQ(rows("a\"b,c\n", {kString, kString}, {.use_quote_delim = false}),
            "(b'a\"b', b'c') ");
}

TEST_F(CsvDatasetTest, ColumnsAreChosenOrLeftOut) {
  EXPECT_EQ(rows("1,x,3\n", {kInt}, {.select_cols = {{2}}}),
            rows("3\n", {kInt}));
  EXPECT_EQ(rows("1,x,3\n", {kInt, kInt}, {.exclude_cols = {{1}}}),
            rows("1,3\n", {kInt, kInt}));
}

// C073.
TEST_F(CsvDatasetTest, PackedFilesAreUnpacked) {
  const std::string text = "1,2\n3,4\n";
  for (const char* type : {"GZIP", "ZLIB"}) {
    EXPECT_EQ(
        rows(packed(text, type), {kInt, kInt}, {.compression_type = type}),
        rows(text, {kInt, kInt}));
    EXPECT_EQ(
        rows(packed(text, type), {kInt, kInt}, {.compression_type = "AUTO"}),
        rows(text, {kInt, kInt}));
  }
}

TEST_F(CsvDatasetTest, RowsThatCannotBeReadAreNamed) {
  const std::string one = "\n  line: 1 (counted from 1), at byte 0";
  EXPECT_EQ(complaint("1,2\n\"a\nb\",2\n3,x\n", {kString, kInt}),
            "CsvDataset: expected field 1 to be of int32, got \"x\"\n"
            "  line: 4 (counted from 1), at byte 12");
  EXPECT_EQ(complaint("1,\n", {kInt, kInt}),
            "CsvDataset: expected a value in field 1, got none, and its "
            "column has no default" +
                one);
  EXPECT_EQ(complaint("1\n", {kInt, kInt}),
            "CsvDataset: expected 2 fields, got 1" + one);
  EXPECT_EQ(complaint("1,2,3\n", {kInt, kInt}),
            "CsvDataset: expected 2 fields, got 3" + one);
  EXPECT_EQ(
      complaint("1,2\n", {kInt}, {.select_cols = {{4}}}),
      "CsvDataset: expected a field 4 (counted from 0), got 2 fields" + one);
  EXPECT_EQ(complaint("a\"b,c\n", {kString, kString}),
            "CsvDataset: expected rows of fields as in RFC 4180, got a quote "
            "within a field that does not begin with one (field 0)" +
                one);
  EXPECT_EQ(complaint("a,\"b\"c\n", {kString, kString}),
            "CsvDataset: expected rows of fields as in RFC 4180, got "
            "characters between a closing quote and the delimiter (field 1)" +
                one);
  EXPECT_EQ(complaint("\"abc\n", {kString}),
            "CsvDataset: expected rows of fields as in RFC 4180, got the file "
            "ends before a closing quote (field 0)" +
                one);
  EXPECT_EQ(complaint("99999999999\n", {kInt}).substr(0, 42),
            "CsvDataset: expected field 0 to be of int3");
}

TEST_F(CsvDatasetTest, ReadingGoesOnBehindABadRow) {
  Iterator it = CsvDataset(folder_.write("c", "1\nx\n3\n"), {kInt}).iterator();
  it.next();
  EXPECT_THROW(it.next(), CsvError);
  EXPECT_EQ(it.next()[0].array().item<int32_t>(), 3);
}

TEST_F(CsvDatasetTest, PositionIsSavedAnywhere) {
  const std::string text = "h\n1\n2\n\"3\"\n4";
  EXPECT_EQ(saved_anywhere(
                CsvDataset({folder_.write("a", text), folder_.write("b", text)},
                           {kInt}, {.buffer_size = 3, .header = true})),
            "");
}

TEST_F(CsvDatasetTest, RefusesOptionsThatMakeNoSense) {
  EXPECT_EQ(text_of<ValueError>([] { CsvDataset("c", {}); }),
            "CsvDataset: expected a dtype or default for each column, got "
            "none");
  EXPECT_EQ(text_of<TypeError>([] { CsvDataset("c", {DType::uint8}); }),
            "CsvDataset: expected columns of int32, int64, float32, float64 "
            "or string, got uint8 for column 0");
  EXPECT_EQ(text_of<ValueError>([] {
              CsvDataset("c", {kInt, kInt}, {.select_cols = {{2, 1}}});
            }),
            "CsvDataset: expected select_cols of 0 or more that rise, got 1 "
            "behind 2");
  EXPECT_EQ(text_of<ValueError>([] {
              CsvDataset("c", {kInt, kInt}, {.select_cols = {{1}}});
            }),
            "CsvDataset: expected as many select_cols as record_defaults, got "
            "1 and 2");
  EXPECT_THROW(
      CsvDataset("c", {kInt}, {.select_cols = {{1}}, .exclude_cols = {{0}}}),
      ValueError);
  EXPECT_THROW(CsvDataset("c", {Array::from({1, 2})}), ShapeError);
}

}  // namespace
}  // namespace systolic::data
