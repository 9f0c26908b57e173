#include "systolic/records/table_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systolic/io/arrow_module.h"
#include "systolic/io/file_system.h"
#include "systolic/io/test_storage_options.h"
#include "systolic/records/test_iterators.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/http_server.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::data {
namespace {

using internal::text_of;

// Tests run in the repository's root.
const std::string kFolder = "systolic/records/testdata/";
const std::string kParquet = kFolder + "rows.parquet";
const std::string kArrow = kFolder + "rows.arrow";

// Of testdata/make_tables.py.
Element expected_row(int64_t i) {
  std::vector<int32_t> list;
  for (int32_t k = 0; k < i % 4; ++k) list.push_back(k);
  const auto real = static_cast<double>(i);
  return Element::dict({
      {"id", Array::scalar(i)},
      {"small", Array::scalar(static_cast<int8_t>(-i))},
      {"real", Array::scalar(static_cast<float>(i) / 4)},
      {"odd", Array::scalar(i % 2 == 1)},
      {"text", std::string(static_cast<size_t>(i), 't')},
      {"bytes", std::string{static_cast<char>(i), '\0', '\xff'}},
      {"list", Array::from(list)},
      {"pair", Array::from({real, real + 0.5})},
      {"time", Array::scalar(i * 1000)},
  });
}

class TableDatasetTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!io::detail::has_arrow_module()) {
      GTEST_SKIP() << "run scripts/install-arrow and build again";
    }
  }
};

TEST_F(TableDatasetTest, GivesEveryRowWithItsTypes) {
  for (const Dataset& rows :
       {Dataset(ParquetDataset(kParquet, {.batch_rows = 3})),
        Dataset(ArrowFileDataset(kArrow))}) {
    int64_t i = 0;
    for (const Element& row : rows) {
      EXPECT_TRUE(element_equal(row, expected_row(i))) << row;
      EXPECT_TRUE(row.spec().is_compatible_with(rows.element_spec()));
      ++i;
    }
    EXPECT_EQ(i, 10);
    EXPECT_TRUE(rows.element_spec().is_complete());
  }
}

TEST_F(TableDatasetTest, OnlyTheColumnsAskedFor) {
  const ParquetDataset rows(kParquet, {.columns = {"text", "list"}});
  EXPECT_EQ(rows.element_spec().to_string(),
            ParquetDataset(kParquet, {.columns = {"list", "text"}})
                .element_spec()
                .to_string());
  const Element row = rows.skip(3).iterator().next();
  EXPECT_EQ(row.size(), 2u);
  EXPECT_EQ(row["text"].to<std::string>(), "ttt");
  EXPECT_TRUE(
      text_of<NotFoundError>(
          [] { ParquetDataset(kParquet, {.columns = {"txt"}}).element_spec(); })
          .starts_with("read_table: expected a column of the table, got "
                       "\"txt\"\n  file: " +
                       kParquet + "\n  columns: id, small, real"));
}

TEST_F(TableDatasetTest, FilesOneAfterTheOtherOrSideBySide) {
  std::vector<int64_t> ids;
  const TableDatasetOptions beside = {.columns = {"id"},
                                      .num_parallel_reads = 2};
  for (const Element& row : ParquetDataset({kParquet, kParquet}, beside)) {
    ids.push_back(row["id"].to<int64_t>());
  }
  ASSERT_EQ(ids.size(), 20u);
  EXPECT_EQ(ids[18], 9);
  EXPECT_EQ(ids[19], 9);
  int64_t rows = 0;
  for ([[maybe_unused]] const Element& row :
       ParquetDataset({kParquet, kParquet})) {
    ++rows;
  }
  EXPECT_EQ(rows, 20);
}

TEST_F(TableDatasetTest, PositionsAreSavedAndRestored) {
  EXPECT_EQ(
      saved_anywhere(ParquetDataset({kParquet, kParquet}, {.batch_rows = 3})),
      "");
  EXPECT_EQ(saved_anywhere(ArrowFileDataset({kArrow, kArrow})), "");
}

TEST_F(TableDatasetTest, MissingValueNamesTheColumnAndRow) {
  const std::string path = kFolder + "missing.parquet";
  Iterator rows = ParquetDataset(path, {.columns = {"id"}}).iterator();
  const std::string text = text_of<DataError>([&] { rows.next(); });
  EXPECT_NE(text.find("expected a value in each row, got none in column "
                      "\"id\"\n  file: " +
                      path +
                      "\n  row: 2\n  hint: give it one with "
                      "`column_defaults`, or leave the column out with "
                      "`columns`"),
            std::string::npos)
      << text;
}

TEST_F(TableDatasetTest, RowsWithoutValuesHaveDefaults) {
  const TableDatasetOptions options{
      .columns = {"id", "real", "odd", "text", "name", "list", "pair"},
      .column_defaults = {{"id", -1},
                          {"real", 0.1},
                          {"odd", true},
                          {"text", "none"},
                          {"name", std::string("grey")},
                          {"list", Array::from({7, 8, 9})},
                          {"pair", Array::from({0.5, 0.5})}}};
  for (const Dataset& rows :
       {Dataset(ParquetDataset(kFolder + "gaps.parquet", options)),
        Dataset(ArrowFileDataset(kFolder + "gaps.arrow", options))}) {
    Iterator it = rows.iterator();
    const Element first = it.next();
    EXPECT_EQ(first["id"].to<int64_t>(), 0);
    EXPECT_EQ(first["real"].to<float>(), 0.1f);
    EXPECT_TRUE(
        element_equal(first["list"], Element(Array::from<int32_t>({1, 2}))));
    EXPECT_TRUE(element_equal(
        it.next(), Element::dict({{"id", Array::scalar(int64_t{-1})},
                                  {"real", Array::scalar(0.1f)},
                                  {"odd", Array::scalar(true)},
                                  {"text", std::string("none")},
                                  {"name", std::string("grey")},
                                  {"list", Array::from<int32_t>({7, 8, 9})},
                                  {"pair", Array::from<double>({0.5, 0.5})}})));
    const Element last = it.next();
    EXPECT_TRUE(last.spec().is_compatible_with(rows.element_spec()));
    EXPECT_EQ(last["real"].to<float>(), 2.5f);
    EXPECT_EQ(last["text"].to<std::string>(), "");
    EXPECT_EQ(last["name"].to<std::string>(), "red");
    EXPECT_EQ(last["list"].array().size(), 0);
    EXPECT_EQ(last["pair"].array().to_string(), "[3. 4.]");
    EXPECT_EQ(saved_anywhere(rows), "");
  }
}

// A snapshot of other columns or defaults is another one.
TEST(TableDatasetOptionsTest, ColumnsAndDefaultsAreParameters) {
  EXPECT_EQ(ParquetDataset("f").node()->parameters(), "columns");
  EXPECT_EQ(ParquetDataset("f", {.columns = {"a", "b"},
                                 .column_defaults = {{"b", 2}, {"a", "x"}}})
                .node()
                ->parameters(),
            "columns a b, a else b'x', b else 2");
}

// Default values are those of their columns, and no cure for lists with gaps.
TEST_F(TableDatasetTest, DefaultsThatDoNotFitAreTold) {
  const std::string path = kFolder + "gaps.parquet";
  const auto read = [&](const std::string& column, const TableDefault& value) {
    const ParquetDataset rows(
        path, {.columns = {column}, .column_defaults = {{column, value}}});
    for (const Element& row : rows) EXPECT_EQ(row.size(), 1u);
  };
  read("id", 3.0);
  EXPECT_EQ(text_of<ValueError>([&] { read("id", 0.5); }),
            "ParquetDataset: expected column_defaults of \"id\" to be a value "
            "of int64, got float64[] 0.5");
  EXPECT_THROW(read("text", 1), ValueError);
  EXPECT_THROW(read("list", 1), ValueError);
  EXPECT_THROW(read("id", Array::from<int64_t>({1})), ValueError);
  const ParquetDataset other(
      path, {.columns = {"id"}, .column_defaults = {{"real", 0.f}}});
  EXPECT_EQ(text_of<NotFoundError>([&] { other.iterator().next(); }),
            "ParquetDataset: expected column_defaults of columns that are "
            "read, got \"real\"");
  const std::string inner =
      text_of<DataError>([&] { read("inner", Array::from<int32_t>({})); });
  EXPECT_THAT(inner, ::testing::StartsWith(
                         "read_table: expected no missing value in a list, got "
                         "one in column \"inner\"\n  file: " +
                         path + "\n  row: 2\n"));
}

TEST_F(TableDatasetTest, CategoriesAreTheirValues) {
  const std::string path = kFolder + "categories.parquet";
  std::vector<std::string> names;
  std::vector<int32_t> years;
  const ParquetDataset rows(path);
  for (const Element& row : rows) {
    names.push_back(row["name"].to<std::string>());
    years.push_back(row["year"].to<int32_t>());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"red", "blue", "red", "red"}));
  EXPECT_EQ(years, (std::vector<int32_t>{2001, 1999, 2001, 1999}));
  EXPECT_EQ(rows.element_spec().to_string(),
            R"({"name": string[], "year": int32[]})");
  Iterator missing = ArrowFileDataset(kFolder + "categories.arrow").iterator();
  EXPECT_THAT(text_of<DataError>([&] { missing.next(); }),
              ::testing::HasSubstr("\n  row: 2\n"));
}

TEST_F(TableDatasetTest, TypesWithoutADtypeAreNamed) {
  const std::string path = kFolder + "missing.parquet";
  const std::string text =
      text_of<DataError>([&] { ParquetDataset(path).element_spec(); });
  EXPECT_NE(text.find("got column \"map\" of struct<"), std::string::npos)
      << text;
}

TEST_F(TableDatasetTest, OtherFilesAreDamage) {
  EXPECT_THROW(ParquetDataset(kArrow).iterator().next(), DataError);
  EXPECT_THROW(ArrowFileDataset(kParquet).iterator().next(), DataError);
  EXPECT_THROW(ParquetDataset("none").iterator().next(), NotFoundError);
  // Cut anywhere: an error, never fewer rows.
  const std::string bytes = io::read_file(kParquet);
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "cut").string();
  for (size_t size = 0; size < bytes.size(); size += 97) {
    io::write_file(path, bytes.substr(0, size));
    EXPECT_THROW(ParquetDataset(path).iterator().next(), DataError) << size;
  }
}

TEST(TableDatasetOptionsTest, WrongOnesAreNamed) {
  EXPECT_EQ(text_of<ValueError>([] { ParquetDataset("f", {.batch_rows = 0}); }),
            "ParquetDataset: expected batch_rows of at least 1, got 0");
}

TEST_F(TableDatasetTest, FlippedBitIsNeverReadOutOfBounds) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "f.arrow").string();
  const std::string good = io::read_file(kArrow);
  int refused = 0;
  for (size_t at = 0; at < good.size(); at += 7) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ (0x80 >> (at / 7 % 8)));
    io::write_file(path, bytes);
    try {
      int64_t size = 0;
      for (const Element& row : ArrowFileDataset(path)) {
        size += static_cast<int64_t>(row.spec().to_string().size());
        if (row["text"].to<std::string>().size() > bytes.size()) size = -1;
      }
      EXPECT_GE(size, 0) << at;
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

TEST_F(TableDatasetTest, NetworkThatFailsIsNoDamage) {
  const std::string bytes = io::read_file(kParquet);
  const testing::HttpServer server([&](const auto& request) {
    if (!request.header("range").starts_with("bytes=0-")) {
      return testing::HttpServer::Reply{.status = 503};
    }
    return testing::file_reply(request, bytes);
  });
  const io::detail::StorageOptionsGuard options(
      {.max_retries = 0, .first_retry_wait = 0, .longest_retry_wait = 0});
  for (const auto format :
       {io::detail::TableFormat::parquet, io::detail::TableFormat::arrow}) {
    auto file = io::open_file(server.url("/f"), {.block_size = 100});
    EXPECT_THROW(io::detail::arrow_module("test", "f")
                     .read_table(std::move(file), format, {}),
                 io::StorageError);
  }
}

}  // namespace
}  // namespace systolic::data
