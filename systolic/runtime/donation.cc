#include "systolic/runtime/donation.h"

namespace systolic::internal::runtime {
namespace {

constexpr std::string_view kMain = "@main(";

// The text between the parentheses that start at `open`.
std::string_view inside_parentheses(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) {
      return text.substr(open + 1, i - open - 1);
    }
  }
  return {};
}

bool is_donated(std::string_view argument) {
  return argument.find("tf.aliasing_output") != std::string_view::npos ||
         argument.find("jax.buffer_donor = true") != std::string_view::npos;
}

}  // namespace

std::vector<int64_t> donated_arguments(std::string_view stablehlo_text) {
  std::vector<int64_t> donated;
  const size_t main = stablehlo_text.find(kMain);
  if (main == std::string_view::npos) return donated;
  const std::string_view list =
      inside_parentheses(stablehlo_text, main + kMain.size() - 1);
  int depth = 0;
  int64_t position = 0;
  size_t start = 0;
  for (size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '<' || c == '{' || c == '[' || c == '(') ++depth;
    if (c == '>' || c == '}' || c == ']' || c == ')') --depth;
    if (c != ',' || depth != 0) continue;
    if (is_donated(list.substr(start, i - start))) donated.push_back(position);
    start = i + 1;
    ++position;
  }
  return donated;
}

}  // namespace systolic::internal::runtime
