#include "systolic/data/packed_block.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/testing/error_text.h"

namespace systolic::data::detail {
namespace {

TEST(PackedBlockTest, ComesBackAsItWas) {
  std::string mixed;
  for (int i = 0; i < 5000; ++i) mixed += static_cast<char>(i * i % 251);
  for (const std::string& bytes :
       {std::string(), std::string("a"), std::string(100'000, 'x'), mixed}) {
    EXPECT_EQ(unpack_block(pack_block(bytes)), bytes);
  }
  EXPECT_LT(pack_block(std::string(100'000, 'x')).size(), 500u);
}

TEST(PackedBlockTest, DamageIsNoticed) {
  const std::string packed = pack_block("some bytes, some bytes, some bytes");
  for (size_t size = 0; size < packed.size(); ++size) {
    EXPECT_THROW(unpack_block(packed.substr(0, size)), DataError) << size;
  }
  for (size_t bit = 0; bit < 8 * packed.size(); ++bit) {
    std::string damaged = packed;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    try {
      // Some bits of a stream's first bytes say nothing about its contents.
      EXPECT_EQ(unpack_block(damaged), "some bytes, some bytes, some bytes");
    } catch (const DataError&) {
      continue;
    }
  }
  EXPECT_EQ(internal::text_of<DataError>([] { unpack_block("short"); }),
            "packed block: expected a block that was packed with GZIP, got too "
            "few bytes");
}

}  // namespace
}  // namespace systolic::data::detail
