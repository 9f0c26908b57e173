#include "systolic/io/path.h"

#include <gtest/gtest.h>

#include "systolic/io/file_system.h"

namespace systolic::io {
namespace {

TEST(PathTest, SchemeIsWhatIsBeforeTheColonAndTwoSlashes) {
  EXPECT_EQ(detail::scheme_of("gs://b/f"), "gs");
  EXPECT_EQ(detail::scheme_of("HTTPS://b/f"), "https");
  EXPECT_EQ(detail::scheme_of("a/b://c"), "");
  EXPECT_EQ(detail::scheme_of("://c"), "");
  EXPECT_EQ(detail::without_scheme("gs://b/f"), "b/f");
  EXPECT_EQ(detail::without_scheme("/b/f"), "/b/f");
}

TEST(PathTest, JoinsWithOneSlash) {
  EXPECT_EQ(join_path("a", "b"), "a/b");
  EXPECT_EQ(join_path("a/", "b"), "a/b");
  EXPECT_EQ(join_path("", "b"), "b");
  EXPECT_EQ(join_path("gs://b", "f"), "gs://b/f");
}

TEST(PathTest, LastNameAndTheFolder) {
  EXPECT_EQ(base_name("gs://b/d/f.x"), "f.x");
  EXPECT_EQ(base_name("gs://b"), "b");
  EXPECT_EQ(base_name("d/"), "d");
  EXPECT_EQ(directory_name("gs://b/d/f.x"), "gs://b/d");
  EXPECT_EQ(directory_name("gs://b/f"), "gs://b");
  EXPECT_EQ(directory_name("gs://b"), "gs://");
  EXPECT_EQ(directory_name("f"), "");
  EXPECT_EQ(directory_name("/f"), "/");
  EXPECT_EQ(directory_name("d/f/"), "d");
}

}  // namespace
}  // namespace systolic::io
