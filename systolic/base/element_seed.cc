#include "systolic/base/element_seed.h"

#include "systolic/base/seed.h"

namespace systolic::internal {
namespace {

thread_local ElementSeedScope* current = nullptr;

}  // namespace

ElementSeedScope::ElementSeedScope(const ElementKey& key)
    : key_(key), outer_(current) {
  current = this;
}

ElementSeedScope::~ElementSeedScope() { current = outer_; }

std::optional<uint64_t> draw_element_seed() {
  ElementSeedScope* const scope = current;
  if (scope == nullptr) return std::nullopt;
  const uint64_t element =
      mix_seed(mix_seed(scope->key_.seed, scope->key_.pass), scope->key_.index);
  return mix_seed(element, scope->drawn_++);
}

}  // namespace systolic::internal
