#include "systolic/base/auto_name.h"

#include <cctype>
#include <map>
#include <mutex>

namespace systolic {
namespace {

struct NameCounts {
  std::mutex mutex;
  std::map<std::string, int, std::less<>> used;
};

NameCounts& name_counts() {
  static NameCounts counts;
  return counts;
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

}  // namespace

void clear_session() {
  NameCounts& counts = name_counts();
  const std::lock_guard lock(counts.mutex);
  counts.used.clear();
}

namespace internal {

std::string to_snake_case(std::string_view name) {
  std::string word;
  for (char c : name) {
    if (is_word(c)) word += c;
  }
  // Keras's two patterns: "_" before a capital that starts a word of small
  // letters, and between a small letter and a capital.
  std::string out;
  for (size_t i = 0; i < word.size(); ++i) {
    const bool starts_word = i > 0 && is_upper(word[i]) &&
                             i + 1 < word.size() && is_lower(word[i + 1]);
    const bool after_small =
        i > 0 && is_upper(word[i]) && is_lower(word[i - 1]);
    if (starts_word || after_small) out += '_';
    out += is_upper(word[i]) ? static_cast<char>(word[i] - 'A' + 'a') : word[i];
  }
  return out;
}

std::string unique_name(std::string_view name) {
  NameCounts& counts = name_counts();
  const std::lock_guard lock(counts.mutex);
  const int used = counts.used[std::string(name)]++;
  std::string out(name);
  if (used > 0) out += "_" + std::to_string(used);
  return out;
}

std::string auto_name(std::string_view class_name) {
  return unique_name(to_snake_case(class_name));
}

}  // namespace internal
}  // namespace systolic
