#include "systolic/graph/miss_history.h"

#include <algorithm>
#include <sstream>

#include "systolic/graph/op.h"

namespace systolic::internal::graph {

namespace {

// Values that a reason names at most.
constexpr size_t kMostNamed = 4;

std::string place(const Node& node) {
  const std::string_view file = node.where.file_name();
  return std::string(node.op->name) + " at " +
         std::string(file.substr(file.rfind('/') + 1)) + ":" +
         std::to_string(node.where.line());
}

// The values in `words` that are not in `others`, by op and place.
std::string name_values(const Program& program, std::span<const uint64_t> words,
                        std::span<const uint64_t> others) {
  std::string text;
  size_t count = 0;
  for (uint64_t word : words) {
    if (std::ranges::find(others, word) != others.end()) continue;
    const auto number = static_cast<int32_t>(word >> 32);
    for (const Node* node : program.order()) {
      if (node->number != number) continue;
      if (++count > kMostNamed) return text + ", ...";
      text += (text.empty() ? "" : ", ") + place(*node);
    }
  }
  return text;
}

uint64_t hash_site(const Program& program) {
  std::vector<uint64_t> words;
  words.reserve(program.order().size() * 3);
  for (const Node* node : program.order()) {
    words.push_back(reinterpret_cast<uintptr_t>(node->op));
    words.push_back(reinterpret_cast<uintptr_t>(node->where.file_name()));
    words.push_back(node->where.line());
  }
  return hash_words(words);
}

}  // namespace

uint64_t hash_words(std::span<const uint64_t> words) {
  uint64_t hash = 1469598103934665603ull;
  for (uint64_t word : words) {
    hash ^= word;
    hash *= 1099511628211ull;
    hash ^= hash >> 29;
  }
  return hash;
}

std::string describe(const Program& program) {
  std::ostringstream text;
  const auto& order = program.order();
  text << order.size() << " operations, " << program.arguments().size()
       << " arguments, " << program.outputs().size() << " outputs kept";
  if (!order.empty()) text << ", last " << place(*order.back());
  return text.str();
}

std::string MissHistory::explain(const Program& program) {
  std::string reason = "new program";
  const auto now = program.output_words();
  auto [same, is_new] = outputs_.try_emplace(hash_words(program.structure()));
  if (!is_new) {
    const std::string more = name_values(program, now, same->second);
    const std::string less = name_values(program, same->second, now);
    reason = "other values are kept alive";
    if (!more.empty()) reason += ", now " + more;
    if (!less.empty()) reason += ", no longer " + less;
  }
  same->second.assign(now.begin(), now.end());

  Site site{{}, program.placement()};
  for (const Ref& ref : program.arguments()) {
    site.arguments.push_back(ref.spec());
  }
  auto [before, is_new_site] = sites_.try_emplace(hash_site(program));
  if (is_new && !is_new_site) {
    const auto& [old, old_placement] = before->second;
    const auto [x, y] = std::ranges::mismatch(site.arguments, old);
    if (old_placement != site.placement) {
      reason = "known program, other devices";
    } else if (x != site.arguments.end() && y != old.end()) {
      reason = "known program, but an argument is " + x->to_string() +
               " that was " + y->to_string();
    }
  }
  before->second = std::move(site);
  return reason + ": " + describe(program);
}

}  // namespace systolic::internal::graph
