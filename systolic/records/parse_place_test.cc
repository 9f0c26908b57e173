// Errors of parsing say which record of which file it is.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "systolic/data/element_origin.h"
#include "systolic/data/test_helpers.h"
#include "systolic/image/decode.h"
#include "systolic/records/decode_raw.h"
#include "systolic/records/example_builder.h"
#include "systolic/records/parse_example.h"
#include "systolic/records/test_files.h"
#include "systolic/records/tf_record_dataset.h"

namespace systolic::data {
namespace {

constexpr DType kInt = DType::int64;

std::string ints(const std::string& key, const std::vector<int64_t>& values) {
  return ExampleBuilder().add(key, values).serialize();
}
const std::string kNone = ExampleBuilder().serialize();

// C071: in a pipeline the file and the record are named too.
TEST(ParsePlaceTest, RecordsOfFilesAreNamed) {
  const RecordFolder folder;
  const std::string path =
      folder.write_records("a", {ints("a", {1}), ints("b", {1})});
  const Features features{{"a", FixedLenFeature({}, kInt)}};
  const Dataset records = TFRecordDataset(path);
  const std::string place = path + ", record 1 at byte ";
  Iterator by_array = records
                          .map([features](Array record) {
                            return parse_single_example(record, features);
                          })
                          .iterator();
  by_array.next();
  EXPECT_NE(text_of<DataError>([&] { by_array.next(); }).find(place),
            std::string::npos);
  const auto in_a_loop = [&] {
    for (const std::string_view record : records.as<std::string_view>()) {
      parse_single_example(record, features);
    }
  };
  EXPECT_NE(text_of<DataError>(in_a_loop).find("\n  from: " + place),
            std::string::npos);
  for (const int64_t calls : {1, 2}) {
    Iterator by_view = records
                           .map(
                               [features](std::string_view record) {
                                 return parse_single_example(record, features);
                               },
                               {.num_parallel_calls = calls})
                           .iterator();
    by_view.next();
    EXPECT_EQ(text_of<DataError>([&] {
                by_view.next();
              }).find("map (element 1; " + place),
              0u);
  }
}

// Through batch() too.
TEST(ParsePlaceTest, RecordsOfBatchesAreNamed) {
  const RecordFolder folder;
  const std::string path =
      folder.write_records("a", {ints("a", {1}), kNone, "\x0a\x7f"});
  for (const int64_t skipped : {0, 2}) {
    Iterator batches =
        TFRecordDataset(path)
            .skip(skipped)
            .batch(2)
            .map([](Array records) {
              return parse_example(records, {{"a", FixedLenFeature({}, kInt)}});
            })
            .iterator();
    const std::string place = "\n  from: " + path + ", record " +
                              (skipped == 0 ? "1" : "2") + " at byte ";
    EXPECT_NE(text_of<DataError>([&] { batches.next(); }).find(place),
              std::string::npos);
  }
}

// Row by row too: by the bytes of a row, by the row, in a loop over the batches
// and behind unbatch().
TEST(ParsePlaceTest, RowsOfBatchesAreNamed) {
  const RecordFolder folder;
  const std::string path = folder.write_records(
      "a", {ints("a", {1}), ints("a", {2}), kNone, ints("a", {3}), "\x0a\x7f"});
  const Features features{{"a", FixedLenFeature({}, kInt)}};
  using Parse = std::function<void(const Array&, size_t)>;
  const std::map<std::string, Parse> ways{
      {"view",
       [&](const Array& batch, size_t row) {
         parse_single_example(batch.span<std::string>()[row], features);
       }},
      {"row",
       [&](const Array& batch, size_t row) {
         parse_single_example(batch[static_cast<int64_t>(row)], features);
       }},
      {"sequence", [&](const Array& batch, size_t row) {
         parse_single_sequence_example(batch.span<std::string>()[row], features,
                                       Features());
       }}};
  for (const int64_t skipped : {0, 3}) {
    const Dataset batches = TFRecordDataset(path).skip(skipped).batch(3);
    const std::string place = "\n  from: " + path + ", record " +
                              (skipped == 0 ? "2" : "4") + " at byte ";
    for (const auto& [name, parse] : ways) {
      const auto parse_rows = [parse = parse](Array batch) {
        for (size_t i = 0; i < static_cast<size_t>(batch.size()); ++i) {
          parse(batch, i);
        }
        return batch;
      };
      for (const int64_t calls : {1, 2}) {
        Iterator mapped =
            batches.map(parse_rows, {.num_parallel_calls = calls}).iterator();
        const std::string text = text_of<DataError>([&] { mapped.next(); });
        EXPECT_NE(text.find(place), std::string::npos) << name << ": " << text;
      }
      EXPECT_NE(text_of<DataError>([&] {
                  for (const Array& batch : batches.as<Array>()) {
                    parse_rows(batch);
                  }
                }).find(place),
                std::string::npos)
          << name;
    }
  }
  Iterator rows = TFRecordDataset(path)
                      .batch(3)
                      .unbatch()
                      .skip(2)
                      .map([features](std::string_view bytes) {
                        return parse_single_example(bytes, features);
                      })
                      .iterator();
  EXPECT_EQ(text_of<DataError>([&] {
              rows.next();
            }).find("map (element 0; " + path + ", record 2 at byte "),
            0u);
}

// Pictures and numbers out of the rows of a batch: by the bytes, or the row; in
// a function, and in a loop over the batches.
TEST(ParsePlaceTest, DecodedRowsOfBatchesAreNamed) {
  const RecordFolder folder;
  const std::string path = folder.write_records("a", {"ab", "cd", "e", "fg"});
  using Decode = std::function<void(const Array&, size_t)>;
  const auto view = [](const Array& batch, size_t row) -> std::string_view {
    return batch.span<std::string>()[row];
  };
  const auto at = [](const Array& batch, size_t row) {
    return batch[static_cast<int64_t>(row)];
  };
  const std::map<std::string, Decode> ways{
      {"raw view",
       [&](const Array& batch, size_t row) {
         decode_raw(view(batch, row), DType::int16);
       }},
      {"raw part",
       [&](const Array& batch, size_t row) {
         decode_raw(view(batch, row).substr(0, 2), DType::int16);
       }},
      {"raw row",
       [&](const Array& batch, size_t row) {
         decode_raw(at(batch, row), DType::int16);
       }},
      {"raw batch",
       [&](const Array& batch, size_t) { decode_raw(batch, DType::int16); }},
      {"picture view",
       [&](const Array& batch, size_t row) {
         if (row == 2) image::decode_jpeg(view(batch, row));
       }},
      {"picture row", [&](const Array& batch, size_t row) {
         if (row == 2) image::decode_image(at(batch, row));
       }}};
  const Dataset batches = TFRecordDataset(path).batch(4);
  const std::string place = "\n  from: " + path + ", record 2 at byte ";
  for (const auto& [name, decode] : ways) {
    const auto decode_rows = [decode = decode](Array batch) {
      for (size_t i = 0; i < static_cast<size_t>(batch.size()); ++i) {
        decode(batch, i);
      }
      return batch;
    };
    Iterator mapped =
        batches.map(decode_rows, {.num_parallel_calls = 2}).iterator();
    const std::string text = text_of<Error>([&] { mapped.next(); });
    EXPECT_NE(text.find(place), std::string::npos) << name << ": " << text;
    EXPECT_NE(text_of<Error>([&] {
                for (const Array& batch : batches.as<Array>()) {
                  decode_rows(batch);
                }
              }).find(place),
              std::string::npos)
        << name;
  }
}

// A picture that was parsed goes to another map(), which names the file.
TEST(ParsePlaceTest, StringsKnowTheirRecord) {
  const RecordFolder folder;
  const std::string path = folder.write_records(
      "a", {ExampleBuilder().add("a", "no picture").serialize()});
  const Features features{{"a", FixedLenFeature({}, DType::string)}};
  const auto by_view = [features](std::string_view record) {
    return parse_single_example(record, features)["a"];
  };
  EXPECT_EQ(
      detail::origin_text(TFRecordDataset(path).map(by_view).iterator().next()),
      path + ", record 0 at byte 0");
  Iterator strings =
      TFRecordDataset(path)
          .map([](Array record) {
            return parse_single_example(
                record, {{"a", FixedLenFeature({}, DType::string)}})["a"];
          })
          .map([](std::string_view text) -> int64_t {
            throw DataError(std::string(text));
          })
          .iterator();
  EXPECT_TRUE(text_of<DataError>([&] { strings.next(); })
                  .starts_with("map (element 0; " + path +
                               ", record 0 at byte 0): no picture"));
}

}  // namespace
}  // namespace systolic::data
