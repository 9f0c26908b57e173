#include "systolic/records/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace systolic::data::detail {
namespace {

TEST(Crc32cTest, IsThePublishedOne) {
  // RFC 3720, B.4, and the usual check value.
  std::string rising;
  for (int i = 0; i < 32; ++i) rising.push_back(static_cast<char>(i));
  for (const auto& sum : {&crc32c, &crc32c_of_table}) {
    EXPECT_EQ(sum("", 0), 0U);
    EXPECT_EQ(sum("123456789", 0), 0xe3069283U);
    EXPECT_EQ(sum(std::string(32, '\0'), 0), 0x8a9136aaU);
    EXPECT_EQ(sum(std::string(32, '\xff'), 0), 0x62a8ab43U);
    EXPECT_EQ(sum(rising, 0), 0x46dd794eU);
  }
}

TEST(Crc32cTest, AllLengthsAndPiecesAgree) {
  std::string bytes;
  uint32_t random = 1;
  for (int i = 0; i < 100; ++i) {
    random = random * 1664525 + 1013904223;
    bytes.push_back(static_cast<char>(random >> 24));
    const std::string_view all = bytes;
    EXPECT_EQ(crc32c(all), crc32c_of_table(all)) << i;
    const size_t part = all.size() / 3;
    EXPECT_EQ(crc32c(all.substr(part), crc32c(all.substr(0, part))),
              crc32c(all));
  }
}

TEST(Crc32cTest, LongOnesAgree) {
  std::string bytes(20'000, '\0');
  uint32_t random = 1;
  for (char& byte : bytes) {
    random = random * 1664525 + 1013904223;
    byte = static_cast<char>(random >> 24);
  }
  const std::string_view all = bytes;
  for (const size_t length : {3071, 3072, 3073, 6143, 6144, 6151, 19'990}) {
    for (const uint32_t before : {0U, 1U, 0xdeadbeefU}) {
      const std::string_view part = all.substr(length % 7, length);
      EXPECT_EQ(crc32c(part, before), crc32c_of_table(part, before)) << length;
    }
  }
}

TEST(Crc32cTest, MaskIsUndone) {
  EXPECT_NE(mask_crc32c(0xe3069283U), 0xe3069283U);
  for (const uint32_t value : {0U, 1U, 0xe3069283U, 0xffffffffU}) {
    EXPECT_EQ(unmask_crc32c(mask_crc32c(value)), value);
  }
}

}  // namespace
}  // namespace systolic::data::detail
