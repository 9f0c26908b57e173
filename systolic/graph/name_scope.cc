#include "systolic/graph/name_scope.h"

#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <tuple>

#include "systolic/base/message.h"

namespace systolic::internal::graph {

namespace {

constexpr std::string_view kGradient = " (gradient)";

std::atomic<int> guards{0};
thread_local uint32_t innermost = 0;

struct Names {
  std::mutex mutex;
  // By number; a deque's items stay where they are.
  std::deque<ScopeName> all{ScopeName{}};
  std::map<std::tuple<std::string, std::string, uint32_t>, uint32_t> numbers;
};

Names& names() {
  static auto* one = new Names;
  return *one;
}

uint32_t number_of(std::string name, const SourceLocation& where) {
  Names& known = names();
  const std::lock_guard lock(known.mutex);
  const auto [entry, is_new] =
      known.numbers.try_emplace({name, where.file_name(), where.line()},
                                static_cast<uint32_t>(known.all.size()));
  if (is_new) known.all.push_back({std::move(name), where});
  return entry->second;
}

}  // namespace

NameScopes::NameScopes() { ++guards; }

NameScopes::~NameScopes() { --guards; }

bool NameScopes::are_noted() {
  return guards.load(std::memory_order_relaxed) > 0;
}

NameScope::NameScope(std::string_view name, const SourceLocation& where)
    : previous_(innermost) {
  if (!NameScopes::are_noted()) return;
  const bool is_users = !place_text(where).empty();
  innermost =
      number_of(std::string(name), is_users ? where : of(previous_).where);
}

NameScope::NameScope(uint32_t id) : previous_(innermost) {
  if (!NameScopes::are_noted() || id == 0) return;
  const ScopeName& forward = of(id);
  innermost =
      forward.name.ends_with(kGradient)
          ? id
          : number_of(forward.name + std::string(kGradient), forward.where);
}

NameScope::~NameScope() { innermost = previous_; }

uint32_t NameScope::current() { return innermost; }

const ScopeName& NameScope::of(uint32_t id) {
  Names& known = names();
  const std::lock_guard lock(known.mutex);
  return known.all[id];
}

}  // namespace systolic::internal::graph
