#include "systolic/datasets/idx.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/datasets/test_files.h"

namespace systolic::datasets {
namespace {

using detail::idx_text;
using detail::TemporaryFolder;
using detail::text_of;
using detail::write_gzip;
using detail::write_text;

Array parse(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return detail::parse_idx(
      std::make_shared<const detail::Bytes>(bytes.begin(), bytes.end()),
      "digits", "get it again");
}

std::string failure(const std::string& text) {
  return text_of<DataError>([&] { parse(text); });
}

TEST(IdxTest, ReadsBytesWithoutACopy) {
  const Array array = parse(idx_text({2, 3}, 100));
  EXPECT_EQ(array.spec().to_string(), "uint8[2, 3]");
  EXPECT_EQ(array.span<uint8_t>()[5], 5);
}

TEST(IdxTest, ReadsBigEndianNumbers) {
  const std::string shorts("\0\0\x0b\x01\0\0\0\x02\x01\x02\xff\xfe", 12);
  const Array array = parse(shorts);
  EXPECT_EQ(array.spec().to_string(), "int16[2]");
  EXPECT_EQ(array.span<int16_t>()[0], 0x0102);
  EXPECT_EQ(array.span<int16_t>()[1], -2);
  const std::string one("\0\0\x0d\x01\0\0\0\x01\x3f\x80\0\0", 12);
  EXPECT_EQ(parse(one).item<float>(), 1.f);
}

TEST(IdxTest, LoadsPlainAndGzipFiles) {
  const TemporaryFolder folder;
  const std::string text = idx_text({4, 2, 2}, 100);
  write_text(folder.path() / "plain", text);
  write_gzip(folder.path() / "packed.gz", text);
  for (const char* name : {"plain", "packed.gz"}) {
    const Array array = load_idx((folder.path() / name).string());
    EXPECT_EQ(array.shape(), (Shape{4, 2, 2}));
    EXPECT_EQ(array.span<uint8_t>()[15], 15);
  }
  EXPECT_THROW(load_idx("no/such/file"), NotFoundError);
}

TEST(IdxTest, DamageIsNamedWithItsOffset) {
  EXPECT_EQ(failure("<html>"),
            "datasets: expected 00 00, a type (08 09 0b 0c 0d 0e) and a rank, "
            "got 3c 68 74 6d\n"
            "  file: digits\n"
            "  check: magic number\n"
            "  offset: 0\n"
            "  hint: get it again");
  const std::string whole = idx_text({2, 3}, 100);
  EXPECT_EQ(failure(whole.substr(0, 15)),
            "datasets: expected 18 bytes for uint8[2, 3], got 15\n"
            "  file: digits\n"
            "  check: size\n"
            "  offset: 15\n"
            "  hint: get it again");
  EXPECT_NE(failure(whole + "x").find("expected 18 bytes"), std::string::npos);
  EXPECT_NE(failure(whole.substr(0, 9)).find("check: header"),
            std::string::npos);
  EXPECT_NE(failure("").find("expected 4 bytes, got 0"), std::string::npos);
  std::string huge = whole;
  huge[4] = '\x7f';
  EXPECT_NE(failure(huge).find("check: axis 0\n  offset: 4"),
            std::string::npos);
}

}  // namespace
}  // namespace systolic::datasets
