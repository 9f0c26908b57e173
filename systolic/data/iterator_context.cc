// Tested by: systolic/data/auto_shard_test.cc
#include "systolic/data/iterator_context.h"

#include "systolic/base/message.h"
#include "systolic/data/dataset_base.h"

namespace systolic::data {

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
  return run->stage(maker, node.name(), maker->name());
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
