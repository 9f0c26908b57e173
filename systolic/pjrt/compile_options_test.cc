#include "systolic/pjrt/compile_options.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"

namespace systolic::internal::pjrt {
namespace {

std::string hex(const std::string& bytes) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text;
  for (unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

TEST(CompileOptions, SmallestIsOneReplicaOnePartition) {
  EXPECT_EQ(hex(encode({})), "1A0420012801");
}

TEST(CompileOptions, EightReplicasNameTheirDevices) {
  const CompileOptions options{.num_replicas = 8,
                               .device_ids = {0, 1, 2, 3, 4, 5, 6, 7}};
  EXPECT_EQ(hex(encode(options)),
            "1A16200828014A10080810011A0A0A080001020304050607");
}

TEST(CompileOptions, LargeDeviceIdsAreVarints) {
  const CompileOptions options{.num_replicas = 1, .device_ids = {300}};
  EXPECT_EQ(hex(encode(options)), "1A10200128014A0A080110011A040A02AC02");
}

TEST(CompileOptions, PortableIsFieldFour) {
  EXPECT_EQ(hex(encode({.portable = true})), "1A04200128012001");
}

TEST(CompileOptions, OverridesAreAMapOfOneOfFour) {
  EXPECT_EQ(hex(encode({.overrides = {{"ab", true}}})),
            "1A0420012801"
            "3A08"
            "0A026162"
            "12021001");
  EXPECT_EQ(hex(encode({.overrides = {{"ab", int64_t{300}}}})),
            "1A0420012801"
            "3A09"
            "0A026162"
            "120318AC02");
  EXPECT_EQ(hex(encode({.overrides = {{"ab", std::string("x")}}})),
            "1A0420012801"
            "3A09"
            "0A026162"
            "12030A0178");
  EXPECT_EQ(hex(encode({.overrides = {{"ab", 1.0}}})),
            "1A0420012801"
            "3A0F"
            "0A026162"
            "1209"
            "21000000000000F03F");
}

// What plugins would abort the process for never reaches them.
TEST(CompileOptions, ReplicasWithoutSenseAreRefused) {
  EXPECT_THROW(encode({.num_replicas = 0}), InternalError);
  EXPECT_THROW(encode({.num_replicas = 2, .device_ids = {0}}), InternalError);
  EXPECT_THROW(encode({.num_replicas = 2, .portable = true}), InternalError);
  EXPECT_THROW(encode({.device_ids = {0}, .portable = true}), InternalError);
}

}  // namespace
}  // namespace systolic::internal::pjrt
