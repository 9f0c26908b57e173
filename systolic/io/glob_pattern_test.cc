#include "systolic/io/glob_pattern.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/testing/error_text.h"

namespace systolic::io::detail {
namespace {

struct Case {
  const char* pattern;
  const char* path;
  bool matches;
};

TEST(GlobPatternTest, Matches) {
  const std::vector<Case> cases = {
      {"a.x", "a.x", true},
      {"a.x", "aax", false},
      {"*.x", "a.x", true},
      {"*.x", "a/b.x", false},
      {"*.x", ".x", false},
      {".*", ".x", true},
      {"*", "", true},
      {"a*c*e", "abcde", true},
      {"a*c*e", "abcdf", false},
      {"?", "a", true},
      {"?", "/", false},
      {"?", ".", false},
      {"a?c", "a.c", true},
      {"[a-c]", "b", true},
      {"[a-c]", "d", false},
      {"[!a-c]", "d", true},
      {"[^a-c]", "b", false},
      {"[]x]", "]", true},
      {"[a-]", "-", true},
      {"x[!a]y", "x/y", false},
      {"**", "a/b/c", true},
      {"**", "a/.b", false},
      {"**.x", "a/b.x", true},
      {"**/b.x", "b.x", true},
      {"**/b.x", "a/a/b.x", true},
      {"**/b.x", "ab.x", false},
      {"a/**/b", "a/b", true},
      {"a/**/b", "a/x/y/b", true},
      {"a/**/b", "a/xb", false},
      {"**/**/b", "b", true},
      {"a/**", "a/b/c", true},
      {"a**z", "ab/yz", true},
      {"\\*", "*", true},
      {"\\*", "a", false},
      {"\\[a]", "[a]", true},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(GlobPattern(c.pattern).matches(c.path), c.matches)
        << c.pattern << " and " << c.path;
  }
}

TEST(GlobPatternTest, SaysWhatEveryMatchBeginsWith) {
  EXPECT_EQ(GlobPattern("train-*.x").literal_prefix(), "train-");
  EXPECT_EQ(GlobPattern("a\\*b?").literal_prefix(), "a*b");
  EXPECT_TRUE(GlobPattern("a/b").is_literal());
  EXPECT_FALSE(GlobPattern("a/?").is_literal());
  EXPECT_TRUE(GlobPattern("a/**").crosses_folders());
}

TEST(GlobPatternTest, BracesStandForPatterns) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(expand_braces("a"), (Texts{"a"}));
  EXPECT_EQ(expand_braces("{b,a}.x"), (Texts{"a.x", "b.x"}));
  EXPECT_EQ(expand_braces("{a,b{c,d}}e"), (Texts{"ae", "bce", "bde"}));
  EXPECT_EQ(expand_braces("{a,}"), (Texts{"", "a"}));
  EXPECT_EQ(expand_braces("\\{a,b}"), (Texts{"\\{a,b}"}));
  EXPECT_EQ(expand_braces("{a"), (Texts{"{a"}));
  // Those that stand for one text stay as they are, as in a shell.
  EXPECT_EQ(expand_braces("{a}"), (Texts{"{a}"}));
  EXPECT_EQ(expand_braces("{x}{a,b}"), (Texts{"{x}a", "{x}b"}));
  EXPECT_EQ(expand_braces("{x{a,b}}"), (Texts{"{xa}", "{xb}"}));
  EXPECT_EQ(expand_braces("{{a,b}"), (Texts{"{a", "{b"}));
}

TEST(GlobPatternTest, SetWithoutAnEndIsNamed) {
  EXPECT_EQ(internal::text_of<ValueError>([] { GlobPattern("a[b"); }),
            "glob: expected a `]` for each `[`, got \"a[b\"\n"
            "  hint: write \\[ for the character itself");
}

TEST(GlobPatternTest, BracesHaveALimit) {
  std::string many;
  for (int i = 0; i < 20; ++i) many += "{a,b}";
  EXPECT_THROW(expand_braces(many), ValueError);
}

}  // namespace
}  // namespace systolic::io::detail
