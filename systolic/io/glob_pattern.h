// Patterns for paths, as shells have them; io::glob says what they mean.
//   GlobPattern("train-*.tfrec").matches("train-07.tfrec")
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace systolic::io::detail {

// The patterns that `{one,two}` in a pattern stands for. Throws ValueError for
// more than 10000 of them.
std::vector<std::string> expand_braces(const std::string& pattern);

// A pattern without braces.
class GlobPattern {
 public:
  // Throws ValueError for a `[` without its `]`.
  explicit GlobPattern(std::string_view pattern);

  // Whether the whole of `path` matches.
  bool matches(std::string_view path) const;
  // Whether it stands for one path, which is then literal_prefix().
  bool is_literal() const { return literal_; }
  // What every path that matches begins with.
  const std::string& literal_prefix() const { return prefix_; }
  // Whether it has a `**`, which matches slashes too.
  bool crosses_folders() const { return crosses_; }

 private:
  enum class Kind { character, any, set, star, folders, everything };
  struct Token {
    Kind kind;
    char character = 0;
    bool begins_name = false;  // of a character: whether it is a name's first
    std::string set = {};      // all characters of a set
    bool negated = false;
  };

  static bool accepts(const Token& token, char c, bool begins_name);
  size_t parse_set(std::string_view pattern, size_t begin);
  void follow_empty(std::vector<char>* states) const;

  std::vector<Token> tokens_;
  std::string prefix_;
  bool literal_ = true;
  bool crosses_ = false;
};

}  // namespace systolic::io::detail
