// Tested by: systolic/data/auto_shard_test.cc
#include "systolic/data/iterator_context.h"

#include <unordered_set>

#include "systolic/base/message.h"
#include "systolic/base/seed.h"
#include "systolic/data/dataset_base.h"

namespace systolic::data {
namespace {

// Counts the nodes called `name` from `root` on, up to `node`, each once;
// whether that was found.
bool count_before(const DatasetBase& root, const DatasetBase& node,
                  const std::string& name,
                  std::unordered_set<const DatasetBase*>* seen,
                  uint64_t* count) {
  if (&root == &node) return true;
  if (!seen->insert(&root).second) return false;
  if (root.name() == name) ++*count;
  for (const DatasetBase* input : root.inputs()) {
    if (count_before(*input, node, name, seen, count)) return true;
  }
  return false;
}

}  // namespace

bool IteratorContext::is_deterministic(std::optional<bool> own) const {
  const bool keeps =
      hosts_share || own.value_or(options().deterministic.value_or(true));
  if (!keeps && run) run->note_lost_order();
  return keeps;
}

const Options& IteratorContext::options() const {
  static const Options kNone;
  return run ? run->options() : kNone;
}

std::shared_ptr<StageCounters> IteratorContext::stage(
    const DatasetBase& node) const {
  if (!run || peek) return nullptr;
  if (maker == nullptr) return run->stage(&node, node.name());
  return run->stage(maker, node.name(), maker->name(), place_of(node));
}

IteratorContext IteratorContext::made_by(const DatasetBase& node,
                                         const DatasetBase& dataset) const {
  IteratorContext context = *this;
  if (maker == nullptr) {
    context.maker = &node;
  } else {
    context.place = place_of(node);
  }
  context.made = &dataset;
  // The elements that it is made of are shared out, if anything is.
  context.files = {};
  context.hint = {};
  return context;
}

uint64_t IteratorContext::place_of(const DatasetBase& node) const {
  uint64_t before = 0;
  std::unordered_set<const DatasetBase*> seen;
  count_before(*made, node, node.name(), &seen, &before);
  return internal::mix_seed(place, before);
}

void IteratorContext::require_one_order(const std::string& who,
                                        bool is_seeded) const {
  if (!hosts_share || is_seeded) return;
  internal::Message("auto_shard")
      .expected("elements in one order on every host, which shares them out")
      .got(who, " without a seed")
      .hint(
          "set_random_seed(...), or {.seed = ...}; or shard(hosts, host) "
          "before "
          "it, and AutoShardPolicy::off")
      .raise<ValueError>();
}

}  // namespace systolic::data
