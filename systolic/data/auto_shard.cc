// auto_shard(): the part of one of several hosts, by files or by elements.
#include "systolic/data/auto_shard.h"

#include <algorithm>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/dataset.h"

namespace systolic::data {
namespace {

constexpr const char* kName = "auto_shard";

// How many files each source below reads at least; nothing where one reads no
// files.
std::optional<int64_t> fewest_files(const DatasetBase& node) {
  if (const std::optional<int64_t> files = node.file_count()) return files;
  std::optional<int64_t> fewest;
  for (const DatasetBase* input : node.inputs()) {
    const std::optional<int64_t> files = fewest_files(*input);
    if (!files) return std::nullopt;
    fewest = std::min(fewest.value_or(*files), *files);
  }
  return fewest;
}

// Whether `names` are those of a node below that gives each host its part, in
// some order: that has to happen below a shuffle, whose order another host does
// not know.
bool are_shared_below(const DatasetBase& names) {
  if (names.file_count()) return true;
  if (names.inputs().size() != 1) return false;
  const DatasetBase& input = *names.inputs()[0];
  const int64_t count = names.cardinality();
  const bool has_all =
      count == INFINITE_CARDINALITY || count >= input.cardinality();
  return has_all && are_shared_below(input);
}

// Throws where files are listed in an order of this process: its every second
// file, say, may be that of another host too.
void require_same_order(const DatasetBase& node) {
  if (!node.file_count()) {
    for (const DatasetBase* input : node.inputs()) require_same_order(*input);
    return;
  }
  if (!node.has_own_order()) return;
  internal::Message(kName)
      .expected("file names in one order on every host")
      .got("a shuffle() of them without a seed")
      .hint(
          "Dataset::list_files(pattern) shares them out before it shuffles; or "
          "shuffle(n, {.seed = ...}), set_random_seed(...)")
      .raise<ValueError>();
}

// Throws where elements come in an order of this process; what the functions of
// nodes make is found out while it is read.
void require_one_order(const DatasetBase& node) {
  for (const DatasetBase* input : node.inputs()) {
    if (input->has_own_order()) return require_one_order(*input);
  }
  IteratorContext context;
  context.hosts_share = true;
  context.require_one_order(node.name(), !node.has_own_order());
}

Dataset share_elements(const Dataset& dataset, const FileShard& part) {
  require_one_order(*dataset.node());
  return Dataset(detail::share_elements(dataset.node(), part));
}

// Checks what is below each shard(SHARD_HINT, SHARD_HINT); whether there is
// one.
bool find_hints(const DatasetBase& node) {
  const bool is_hint = detail::is_shard_hint(node);
  if (is_hint) require_one_order(node);
  bool found = is_hint;
  for (const DatasetBase* input : node.inputs()) found |= find_hints(*input);
  return found;
}

class SharedFilesDataset final : public TransformBase {
 public:
  using TransformBase::TransformBase;

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    IteratorContext whole = context;  // it holds for nothing below
    whole.files = {};
    return detail::make_shard_iterator(input(), context.files.count,
                                       context.files.index, whole);
  }
  bool reshuffles() const override { return input().reshuffles(); }
  std::optional<int64_t> file_count() const override { return cardinality(); }
};

// Hands the part on: to sources of files, or to shard(SHARD_HINT, SHARD_HINT).
class HostPartDataset final : public TransformBase {
 public:
  HostPartDataset(std::shared_ptr<const DatasetBase> input,
                  const FileShard& part, bool by_hint)
      : TransformBase(std::move(input), kName),
        part_(part),
        by_hint_(by_hint) {}

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    IteratorContext shared = context;
    (by_hint_ ? shared.hint : shared.files) = part_;
    return input().make_iterator(shared);
  }
  int64_t cardinality() const override {
    const int64_t elements = input().cardinality();
    return elements > 0 ? UNKNOWN_CARDINALITY : elements;
  }
  std::string parameters() const override {
    return internal::concatenate_text("num_shards ", part_.count, ", index ",
                                      part_.index);
  }

 private:
  const FileShard part_;
  const bool by_hint_;
};

}  // namespace

std::shared_ptr<const DatasetBase> detail::shared_files(
    std::shared_ptr<const DatasetBase> names, const std::string& name) {
  if (are_shared_below(*names)) return names;
  return std::make_shared<SharedFilesDataset>(std::move(names), name);
}

Dataset Dataset::auto_shard(int64_t num_shards, int64_t index) const {
  static_cast<void>(shard(num_shards, index));  // checks both
  const FileShard part{num_shards, index};
  const AutoShardPolicy policy =
      options().auto_shard_policy.value_or(AutoShardPolicy::automatic);
  if (num_shards == 1 || policy == AutoShardPolicy::off) return *this;
  if (policy == AutoShardPolicy::data) return share_elements(*this, part);
  if (policy == AutoShardPolicy::hint) {
    if (find_hints(*node())) {
      return Dataset(std::make_shared<HostPartDataset>(node(), part, true));
    }
    internal::Message(kName)
        .expected("a shard(SHARD_HINT, SHARD_HINT) for AutoShardPolicy::hint")
        .got("none")
        .hint(
            "functions of interleave() and the like do not count: put it in "
            "front of them")
        .raise<ValueError>();
  }
  const std::optional<int64_t> files = fewest_files(*node());
  if (files.value_or(0) >= num_shards) {
    require_same_order(*node());
    return Dataset(std::make_shared<HostPartDataset>(node(), part, false));
  }
  if (policy == AutoShardPolicy::automatic) return share_elements(*this, part);
  internal::Message message(kName);
  message.expected("at least ", num_shards, " files, one for each shard");
  if (files) {
    message.got(*files);
  } else {
    message.got("a data set with a source that reads no files");
  }
  message
      .hint(
          "AutoShardPolicy::data shares out the elements, or cut the data into "
          "more files")
      .raise<ValueError>();
}

}  // namespace systolic::data
