#include "systolic/records/decode_raw.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/testing/error_text.h"

namespace systolic::data {
namespace {

using internal::text_of;
using std::string_view_literals::operator""sv;

TEST(DecodeRawTest, GivesNumbers) {
  EXPECT_EQ(decode_raw("\x01\x02\xff"sv, DType::uint8).to_string(),
            "[  1   2 255]");
  EXPECT_EQ(decode_raw("\x01\0\xff\xff"sv, DType::int16).to_string(),
            "[ 1 -1]");
  EXPECT_EQ(decode_raw("\0\0\x80\x3f"sv, DType::float32).to_string(), "[1.]");
  EXPECT_EQ(decode_raw("", DType::float32).shape(), Shape({0}));
}

TEST(DecodeRawTest, TakesBigEndianAndFixedLengths) {
  EXPECT_EQ(decode_raw("\0\x01\x01\0"sv, DType::int16, {.little_endian = false})
                .to_string(),
            "[  1 256]");
  EXPECT_EQ(decode_raw("\x3f\x80\0\0\x40\0\0\0"sv, DType::complex64,
                       {.little_endian = false})
                .to_string(),
            "[1.+2.j]");
  const Array texts = Array::from_strings({"abc", "d"});
  EXPECT_EQ(decode_raw(texts, DType::uint8, {.fixed_length = 2}).to_string(),
            "[[ 97  98]\n [100   0]]");
}

TEST(DecodeRawTest, StringsKeepTheirAxes) {
  const Array texts = Array::from_strings({"ab", "cd", "ef"}, {3, 1});
  const Array numbers = decode_raw(texts, DType::uint8);
  EXPECT_EQ(numbers.shape(), Shape({3, 1, 2}));
  EXPECT_EQ((numbers[{2, 0, 1}].item<uint8_t>()), 'f');
}

TEST(DecodeRawTest, MistakesAreNamed) {
  EXPECT_EQ(text_of<ValueError>([] { decode_raw("abc", DType::int16); }),
            "decode_raw: expected a multiple of 2 bytes, the size of int16, "
            "got 3");
  EXPECT_EQ(text_of<ValueError>([] {
              decode_raw(Array::from_strings({"ab", "c"}), DType::uint8);
            }),
            "decode_raw: expected strings of one length, got 2 and 1 bytes\n"
            "  hint: fixed_length cuts and fills up");
  EXPECT_EQ(
      text_of<TypeError>([] { decode_raw(Array::zeros({2}), DType::uint8); }),
      "decode_raw: expected strings, and a dtype of numbers to make of "
      "them, got float32[2] and uint8");
  EXPECT_THROW(decode_raw("a", DType::string), TypeError);
}

}  // namespace
}  // namespace systolic::data
