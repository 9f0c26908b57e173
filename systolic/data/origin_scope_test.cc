#include "systolic/data/origin_scope.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "systolic/base/bytes_place.h"
#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/element_origin.h"
#include "systolic/data/element_traits.h"
#include "systolic/data/test_helpers.h"
#include "systolic/data/thread_tuner.h"

namespace systolic::data::detail {
namespace {

// Long enough for memory of their own, and short.
const std::string kLong(100, 'x');

Array record(const std::string& bytes, int64_t number) {
  const auto path = std::make_shared<const std::string>("a");
  return with_origin(bytes, {path, number, 10 * number});
}

Array batch(std::vector<std::string> rows) {
  const auto path = std::make_shared<const std::string>("a");
  std::vector<ElementOrigin> origins;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto number = static_cast<int64_t>(i);
    origins.push_back({path, number, 10 * number});
  }
  return with_origins(std::move(rows), std::move(origins));
}

std::string place_of(std::string_view bytes) {
  return origin_text(string_of_record(bytes));
}

TEST(OriginScopeTest, FindsRowsByTheirBytes) {
  Array rows = batch({kLong, "b", "", kLong, "e"});
  const std::span<const std::string> strings = rows.span<std::string>();
  const std::string_view fourth = strings[3];
  EXPECT_EQ(place_of(fourth), "");
  {
    Element element(std::pair(Array::scalar(1), std::move(rows)));
    const OriginScope scope(element);
    element = Element();  // as functions do that take its parts
    for (const size_t row : {0, 1, 2, 3, 4, 4, 1, 0}) {
      EXPECT_EQ(place_of(strings[row]), "a, record " + std::to_string(row) +
                                            " at byte " +
                                            std::to_string(10 * row));
    }
    EXPECT_EQ(place_of(fourth.substr(50)), "a, record 3 at byte 30");
    EXPECT_EQ(string_of_record(fourth.substr(50)).item<std::string>(), kLong);
    EXPECT_EQ(place_of(std::string(fourth)), "") << "a copy is another string";
    EXPECT_EQ(scope.text(), "") << "it is no single record";
    std::thread([&] { EXPECT_EQ(place_of(fourth), ""); }).join();
  }
}

// The seconds that this thread computes while a batch of so many rows is asked
// for bytes of elsewhere, and for its rows in any order.
double seconds_for(size_t count) {
  const std::vector<std::string> copies(count, "row");
  const Array rows = batch(copies);
  const std::span<const std::string> strings = rows.span<std::string>();
  const OriginScope scope{Element(rows)};
  const int64_t begin = ThreadUsage::now().cpu;
  for (const std::string& copy : copies) {
    EXPECT_FALSE(string_of_record(copy).is_set());
  }
  for (size_t i = 0; i < count; ++i) {
    const size_t row = i * 77'777 % count;
    EXPECT_EQ(string_of_record(strings[row]).span<std::string>().data(),
              &strings[row]);
  }
  return static_cast<double>(ThreadUsage::now().cpu - begin) / 1e9;
}

// As both are done as often as a batch has rows, a search of every row would
// be the square of their number: 1600 times as much for 40 times the rows.
TEST(OriginScopeTest, AskingForAllRowsIsNoSquareOfTheirNumber) {
  const double few = seconds_for(5'000);
  EXPECT_LT(seconds_for(200'000), 400 * few);
}

TEST(OriginScopeTest, ScopesNest) {
  const Array outer = record(kLong, 1);
  const Array inner = record("inner", 2);
  const std::string_view outer_bytes = outer.span<std::string>()[0];
  const std::string_view inner_bytes = inner.span<std::string>()[0];
  const OriginScope outer_scope{Element(outer)};
  {
    const OriginScope empty{Element(Array::scalar("plain"))};
    EXPECT_EQ(empty.text(), "\"plain\"");
    const OriginScope scope{Element(std::pair(batch({"one", "two"}), inner))};
    EXPECT_EQ(scope.text(), "a, record 2 at byte 20");
    EXPECT_EQ(place_of(inner_bytes), "a, record 2 at byte 20");
    EXPECT_EQ(place_of(outer_bytes), "a, record 1 at byte 10");
  }
  EXPECT_EQ(place_of(inner_bytes), "");
  EXPECT_EQ(place_of(outer_bytes), "a, record 1 at byte 10");
}

TEST(OriginScopeTest, PathsNameTheirElements) {
  const auto text_of = [](const char* text) {
    return OriginScope(Element(std::pair(1, Array::scalar(text)))).text();
  };
  EXPECT_EQ(text_of("a b/1.jpg"), "\"a b/1.jpg\"");
  EXPECT_EQ(text_of("two\nlines"), "");
  EXPECT_EQ(text_of("\xff\xd8\xff\x01"), "");
  EXPECT_EQ(text_of(""), "");
  EXPECT_EQ(text_of(std::string(251, 'x').c_str()), "");
  const auto text_for = [](const char* text) {
    const Dataset paths =
        Dataset::from_tensor_slices(Array::from_strings({"d/1.jpg"}))
            .map([text](const std::string& path) -> int64_t {
              throw DataError(*text == '+' ? text + path : text);
            });
    try {
      for (auto& element : paths) static_cast<void>(element);
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(text_for("no"), "map (element 0; \"d/1.jpg\"): no");
  EXPECT_EQ(text_for("+"), "map (element 0): +d/1.jpg") << "it is said once";
  EXPECT_EQ(text_of("https://user:word@h/f?sig=key"),
            "\"https://...@h/f?sig=...\"")
      << "what lets somebody in is in no error";
}

// What several maps in a row make of a path or a record comes from there.
TEST(OriginScopeTest, WhatWasMadeOfAnElementComesFromWhereItComes) {
  const std::string bytes = "\xff\xd8\n" + kLong;
  const auto read = [&bytes](const std::string&) { return bytes; };
  const auto error_of = [](const Dataset& dataset) {
    return text_of<DataError>(
        [&] { static_cast<void>(dataset.iterator().next()); });
  };
  const auto refuse = [](const std::string&) -> int64_t {
    throw DataError("no");
  };
  const Dataset paths =
      Dataset::from_tensor_slices(Array::from_strings({"d/1.jpg"}));
  EXPECT_EQ(error_of(paths.map(read).map(refuse)),
            "map (element 0; \"d/1.jpg\"): no");
  EXPECT_EQ(error_of(paths.map(read)
                         .map([](std::string text) { return text + "\n"; })
                         .map(refuse)),
            "map (element 0; \"d/1.jpg\"): no");
  EXPECT_EQ(
      error_of(paths.map(read).map([](const Array& array) -> int64_t {
        const std::string_view read_bytes = array.span<std::string>()[0];
        throw DataError("no\n  from: " + internal::place_of_bytes(read_bytes));
      })),
      "map (element 0; \"d/1.jpg\"): no")
      << "bytes are found, and their place is said once";
  EXPECT_EQ(
      error_of(
          paths.map([](const std::string&) { return "d/2.jpg"; }).map(refuse)),
      "map (element 0; \"d/2.jpg\"): no")
      << "another path is the element's own";
  EXPECT_EQ(error_of(paths.map([](const std::string&) { return "Not Found"; })
                         .map(refuse)),
            "map (element 0; \"d/1.jpg\"): no")
      << "a short file is no path";
  // In a tuple beside a label; and of a record, names too.
  EXPECT_EQ(error_of(paths
                         .map([&bytes](const std::string&) {
                           return std::pair(int64_t{3}, bytes);
                         })
                         .map([](int64_t, const std::string&) -> int64_t {
                           throw DataError("no");
                         })),
            "map (element 0; \"d/1.jpg\"): no");
  const Dataset records = Dataset::from_tensors(record("a record", 1));
  EXPECT_EQ(
      error_of(
          records.map([](const std::string& text) { return text.substr(2); })
              .map(refuse)),
      "map (element 0; a, record 1 at byte 10): no");
  EXPECT_EQ(values(paths.map(read).map([&](const std::string& text) {
              return static_cast<int64_t>(text == bytes);
            })),
            std::vector<int64_t>{1});
}

TEST(OriginScopeTest, WhatSeveralPlacesMadeComesFromNone) {
  // Where the string comes from that a function makes of the element.
  const auto place_of_made = [](const Element& element) {
    Element made(Array::scalar(kLong + "\n"));
    OriginScope(element).place(&made);
    return origin_text(made.array());
  };
  const auto text = [](const char* text) { return Array::scalar(text); };
  EXPECT_EQ(place_of_made(std::pair(text("d/1.jpg"), text("d/2.png"))), "");
  EXPECT_EQ(place_of_made(std::pair(text("cat"), text("d/2.png"))),
            "\"d/2.png\"");
  EXPECT_EQ(place_of_made(std::tuple(text("d/1.jpg"), text("cat"), 3)),
            "\"d/1.jpg\"");
  EXPECT_EQ(place_of_made(text("2.png")), "\"2.png\"");
  EXPECT_EQ(place_of_made(text("A sentence.")), "");
  EXPECT_EQ(place_of_made(std::pair(text("1.png"), text("2.png"))), "");
  EXPECT_EQ(place_of_made(std::pair(record("one", 1), record("two", 2))), "");
  const Array one = record("one", 1);
  EXPECT_EQ(place_of_made(std::pair(one, one)), "a, record 1 at byte 10");
  EXPECT_EQ(place_of_made(std::pair(one, text("d/1.jpg"))),
            "a, record 1 at byte 10");
  EXPECT_EQ(place_of_made(std::pair(batch({"one"}), text("d/1.jpg"))), "");
  // What others have too is of elsewhere.
  const Array shared = text("shared\nwith others");
  Element made(shared);
  OriginScope(Element(one)).place(&made);
  EXPECT_EQ(origin_text(made.array()), "");
  EXPECT_EQ(made.array().span<std::string>().data(),
            shared.span<std::string>().data());
}

TEST(OriginScopeTest, TheLastElementOfAnIteratorIsFoundAsLongAsItIsThere) {
  std::optional<Element> element = Element(batch({"one", kLong}));
  note_given(*element);
  const std::string_view bytes = element->array().span<std::string>()[1];
  EXPECT_EQ(place_of(bytes), "a, record 1 at byte 10");
  element.reset();
  EXPECT_EQ(place_of(kLong), "");
  const Dataset rows = Dataset::from_tensors(batch({"one", "two"}));
  for (const Array& given : rows.as<Array>()) {
    EXPECT_EQ(place_of(given.span<std::string>()[1]), "a, record 1 at byte 10");
  }
}

}  // namespace
}  // namespace systolic::data::detail
