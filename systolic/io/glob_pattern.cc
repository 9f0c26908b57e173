#include "systolic/io/glob_pattern.h"

#include <algorithm>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/message.h"

namespace systolic::io::detail {
namespace {

constexpr size_t kMostPatterns = 10000;

// A `{` of a pattern, its `,`s and its `}`.
struct Brace {
  size_t open = std::string::npos;
  std::vector<size_t> commas;
  size_t close = std::string::npos;
};

// Where the character is that the one at `i` begins: behind a `\\`.
size_t skip_escape(const std::string& pattern, size_t i) {
  return pattern[i] == '\\' ? i + 1 : i;
}

// The brace that begins at `open`.
Brace brace_at(const std::string& pattern, size_t open) {
  Brace brace{.open = open};
  int depth = 0;
  for (size_t i = open; i < pattern.size(); i = skip_escape(pattern, i) + 1) {
    const char c = pattern[i];
    if (c == '{') {
      ++depth;
    } else if (c == ',' && depth == 1) {
      brace.commas.push_back(i);
    } else if (c == '}' && --depth == 0) {
      brace.close = i;
      return brace;
    }
  }
  return brace;
}

// The first one that stands for several texts: others stay as they are, as in
// a shell.
Brace find_brace(const std::string& pattern) {
  for (size_t i = 0; i < pattern.size(); i = skip_escape(pattern, i) + 1) {
    if (pattern[i] != '{') continue;
    Brace brace = brace_at(pattern, i);
    if (brace.close != std::string::npos && !brace.commas.empty()) return brace;
  }
  return {};
}

}  // namespace

std::vector<std::string> expand_braces(const std::string& pattern) {
  std::vector<std::string> done;
  std::vector<std::string> open = {pattern};
  while (!open.empty()) {
    const std::string text = std::move(open.back());
    open.pop_back();
    const Brace brace = find_brace(text);
    if (brace.close == std::string::npos) {
      done.push_back(text);
      continue;
    }
    std::vector<size_t> ends = brace.commas;
    ends.push_back(brace.close);
    size_t begin = brace.open + 1;
    for (const size_t end : ends) {
      open.push_back(text.substr(0, brace.open) +
                     text.substr(begin, end - begin) +
                     text.substr(brace.close + 1));
      begin = end + 1;
    }
    if (open.size() + done.size() > kMostPatterns) {
      internal::Message("glob")
          .expected("braces that stand for at most ", kMostPatterns,
                    " patterns")
          .got('"', pattern, '"')
          .raise<ValueError>();
    }
  }
  std::sort(done.begin(), done.end());
  return done;
}

GlobPattern::GlobPattern(std::string_view pattern) {
  const auto special = [this](Kind kind) {
    literal_ = false;
    tokens_.push_back({kind});
  };
  for (size_t i = 0; i < pattern.size(); ++i) {
    char c = pattern[i];
    const bool begins_name = i == 0 || pattern[i - 1] == '/';
    if (c == '*' && pattern.substr(i, 2) == "**") {
      crosses_ = true;
      const bool folders = begins_name && pattern.substr(i, 3) == "**/";
      special(folders ? Kind::folders : Kind::everything);
      i += folders ? 2 : 1;
    } else if (c == '*') {
      special(Kind::star);
    } else if (c == '?') {
      special(Kind::any);
    } else if (c == '[') {
      special(Kind::set);
      i = parse_set(pattern, i);
    } else {
      if (c == '\\' && i + 1 < pattern.size()) c = pattern[++i];
      tokens_.push_back({Kind::character, c, begins_name});
      if (literal_) prefix_ += c;
    }
  }
}

// Reads "[a-c]" into the last token and returns where its `]` is.
size_t GlobPattern::parse_set(std::string_view pattern, size_t begin) {
  Token& token = tokens_.back();
  size_t i = begin + 1;
  if (i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^')) {
    token.negated = true;
    ++i;
  }
  // A `]` that comes first is one of the characters.
  for (const size_t first = i; i < pattern.size(); ++i) {
    if (pattern[i] == ']' && i > first) return i;
    if (i + 2 < pattern.size() && pattern[i + 1] == '-' &&
        pattern[i + 2] != ']') {
      const auto low = static_cast<unsigned char>(pattern[i]);
      const auto high = static_cast<unsigned char>(pattern[i + 2]);
      for (int c = low; c <= high; ++c) token.set += static_cast<char>(c);
      i += 2;
    } else {
      token.set += pattern[i];
    }
  }
  internal::Message("glob")
      .expected("a `]` for each `[`")
      .got('"', pattern, '"')
      .hint("write \\[ for the character itself")
      .raise<ValueError>();
}

bool GlobPattern::accepts(const Token& token, char c, bool begins_name) {
  // A name's first dot is matched only by a name's first dot, as in a shell.
  const bool hidden = c == '.' && begins_name;
  switch (token.kind) {
    case Kind::character:
      return c == token.character && (!hidden || token.begins_name);
    case Kind::any:
    case Kind::star:
      return c != '/' && !hidden;
    case Kind::set:
      return c != '/' && !hidden &&
             (token.set.find(c) != std::string::npos) != token.negated;
    case Kind::folders:
    case Kind::everything:
      return !hidden;
  }
  return false;
}

// Adds the states that are reached without a character: behind a `*`.
void GlobPattern::follow_empty(std::vector<char>* states) const {
  for (size_t i = 0; i < tokens_.size(); ++i) {
    const Kind kind = tokens_[i].kind;
    if ((*states)[i] != 0 && (kind == Kind::star || kind == Kind::everything)) {
      (*states)[i + 1] = 1;
    }
  }
}

bool GlobPattern::matches(std::string_view path) const {
  // states[i]: whether the tokens before i match what was read so far.
  std::vector<char> states(tokens_.size() + 1, 0);
  std::vector<char> next(states.size(), 0);
  const auto enter = [this](std::vector<char>* into, size_t i) {
    (*into)[i] = 1;
    // `**/` may stand for no folder at all.
    while (i < tokens_.size() && tokens_[i].kind == Kind::folders) {
      (*into)[++i] = 1;
    }
  };
  enter(&states, 0);
  for (size_t at = 0; at < path.size(); ++at) {
    const char c = path[at];
    const bool begins_name = at == 0 || path[at - 1] == '/';
    follow_empty(&states);
    std::fill(next.begin(), next.end(), 0);
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (states[i] == 0 || !accepts(tokens_[i], c, begins_name)) continue;
      switch (tokens_[i].kind) {
        case Kind::star:
        case Kind::everything:
          next[i] = 1;
          break;
        case Kind::folders:
          // Goes on inside of a name; behind a slash the rest may begin.
          next[i] = 1;
          if (c == '/') enter(&next, i + 1);
          break;
        default:
          enter(&next, i + 1);
      }
    }
    states.swap(next);
  }
  follow_empty(&states);
  return states.back() != 0;
}

}  // namespace systolic::io::detail
