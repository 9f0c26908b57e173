#include "systolic/base/wire.h"

#include <gtest/gtest.h>

#include <string>

#include "systolic/base/error.h"

namespace systolic::internal {
namespace {

using std::string_literals::operator""s;

constexpr WireMessage kTest{"test", "a serialized message", "a part"};

TEST(WireReader, ReadsNumbersTextAndPackedNumbers) {
  // Field 1: 300; field 2: "hi"; field 3: packed 1, 300; field 3: 7;
  // fields 4 and 5: eight and four bytes that are passed over.
  const std::string bytes =
      "\x08\xac\x02\x12\x02hi\x1a\x03\x01\xac\x02\x18\x07"
      "\x21\0\0\0\0\0\0\0\0\x2d\0\0\0\0"s;
  WireReader reader(bytes, kTest);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.field(), 1);
  EXPECT_EQ(reader.number(), 300);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.field(), 2);
  EXPECT_EQ(reader.bytes(), "hi");
  std::vector<int64_t> numbers;
  ASSERT_TRUE(reader.next());
  reader.add_numbers(numbers);
  ASSERT_TRUE(reader.next());
  reader.add_numbers(numbers);
  EXPECT_EQ(numbers, (std::vector<int64_t>{1, 300, 7}));
  ASSERT_TRUE(reader.next());
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.field(), 5);
  EXPECT_FALSE(reader.next());
}

TEST(WireReader, NumbersOfFixedSizeAreNoVarints) {
  for (const std::string& bytes :
       {"\x09\x07\0\0\0\0\0\0\0"s, "\x0d\x07\0\0\0"s}) {
    WireReader reader(bytes, kTest);
    ASSERT_TRUE(reader.next());
    std::vector<int64_t> numbers;
    EXPECT_THROW(reader.number(), WireError);
    EXPECT_THROW(reader.add_numbers(numbers), WireError);
    EXPECT_TRUE(numbers.empty());
  }
}

TEST(WireReader, NegativeNumbersHaveTenBytes) {
  const std::string bytes = "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s;
  WireReader reader(bytes, kTest);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.number(), -1);
}

void read_all(const std::string& bytes) {
  for (WireReader reader(bytes, kTest); reader.next();) {
  }
}

TEST(WireReader, RefusesWhatIsNoMessage) {
  EXPECT_THROW(read_all("\x08"s), DataError);        // no number
  EXPECT_THROW(read_all("\x08\xac"s), DataError);    // half a number
  EXPECT_THROW(read_all("\x12\x05hi"s), DataError);  // half a text
  EXPECT_THROW(read_all("\x00\x01"s), DataError);    // field 0
  EXPECT_THROW(read_all("\x0b"s), DataError);        // a group
  EXPECT_THROW(read_all("\x21\x01"s), DataError);    // half of 8 bytes
  EXPECT_THROW(read_all("\x08" + std::string(11, '\xff')), DataError);
}

TEST(WireReader, SaysWhatItWasAndWhere) {
  const std::string bytes = "\x12\x05hi"s;
  WireReader reader(bytes, {"plan",
                            "a serialized HloModuleProto from the "
                            "compiler",
                            "an instruction"});
  try {
    reader.next();
    FAIL() << "nothing was thrown";
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(),
                 "plan: expected a serialized HloModuleProto from the "
                 "compiler, got bytes that are none\n"
                 "  in: an instruction\n"
                 "  problem: it ends within a field");
  }
}

TEST(WireReader, RefusesTheWrongKind) {
  const std::string bytes = "\x08\x01\x12\x02hi"s;
  WireReader reader(bytes, kTest);
  ASSERT_TRUE(reader.next());
  EXPECT_THROW(reader.bytes(), DataError);
  ASSERT_TRUE(reader.next());
  EXPECT_THROW(reader.number(), DataError);
}

}  // namespace
}  // namespace systolic::internal
