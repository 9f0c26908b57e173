#include "systolic/records/compression.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/testing/error_text.h"

namespace systolic::data::detail {
namespace {

using internal::text_of;
using std::string_view_literals::operator""sv;

TEST(CompressionTest, NamesAreTfDatas) {
  EXPECT_EQ(compression_of("x", ""), Compression::none);
  EXPECT_EQ(compression_of("x", "GZIP"), Compression::gzip);
  EXPECT_EQ(compression_of("x", "ZLIB"), Compression::zlib);
  EXPECT_EQ(compression_of("x", "AUTO"), Compression::automatic);
  EXPECT_EQ(name(Compression::none), "none");
  EXPECT_EQ(name(Compression::gzip), "GZIP");
  EXPECT_EQ(
      text_of<ValueError>([] { compression_of("TextLineDataset", "gzip"); }),
      "TextLineDataset: expected compression_type \"\", \"GZIP\", "
      "\"ZLIB\" or \"AUTO\", got \"gzip\"");
}

TEST(CompressionTest, FirstBytesTell) {
  EXPECT_EQ(guess_compression(""), Compression::none);
  EXPECT_EQ(guess_compression("a"), Compression::none);
  EXPECT_EQ(guess_compression("a,b\n"), Compression::none);
  EXPECT_EQ(guess_compression("\x1f\x8b\x08"), Compression::gzip);
  EXPECT_EQ(guess_compression("\x78\x9c\x4b"), Compression::zlib);
  EXPECT_EQ(guess_compression("\x78\x01\x4b"), Compression::zlib);
  // A record of 0x9c78 bytes, and a text.
  EXPECT_EQ(guess_compression("\x78\x9c\0\0\0\0\0\0"sv), Compression::none);
  // A record of 0x088b1f bytes: its length has the checksum.
  EXPECT_EQ(guess_compression("\x1f\x8b\x08\0\0\0\0\0\xd0\x91\x84\xea"sv),
            Compression::none);
  EXPECT_EQ(guess_compression("x^2 + y^2"), Compression::zlib);
  EXPECT_EQ(guess_compression("x^nothing"), Compression::none);
}

}  // namespace
}  // namespace systolic::data::detail
