#include "systolic/base/sha256.h"

#include <gtest/gtest.h>

namespace systolic::internal {
namespace {

TEST(Sha256Test, KnownValues) {
  EXPECT_EQ(sha256("abc"),
            "ba7816bf8f01cfea414140de5dae2223"
            "b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(""),
            "e3b0c44298fc1c149afbf4c8996fb924"
            "27ae41e4649b934ca495991b7852b855");
}

TEST(Sha256Test, PartsAreOneText) {
  Sha256 hash;
  hash.add("a");
  hash.add("");
  hash.add("bc");
  EXPECT_EQ(hash.finish(), sha256("abc"));
}

}  // namespace
}  // namespace systolic::internal
