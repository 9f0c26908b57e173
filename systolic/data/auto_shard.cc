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

// The part of the elements. Throws where they come in an order of this process;
// what the functions of nodes make is found out while it is read.
Dataset share_elements(const DatasetBase& node, const Dataset& dataset,
                       const FileShard& part) {
  for (const DatasetBase* input : node.inputs()) {
    if (input->has_own_order()) return share_elements(*input, dataset, part);
  }
  IteratorContext context;
  context.hosts_share = true;
  context.require_one_order(node.name(), !node.has_own_order());
  return Dataset(detail::share_elements(dataset.node(), part));
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

class FileShardDataset final : public TransformBase {
 public:
  FileShardDataset(std::shared_ptr<const DatasetBase> input,
                   const FileShard& files)
      : TransformBase(std::move(input), kName), files_(files) {}

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    IteratorContext shared = context;
    shared.files = files_;
    return input().make_iterator(shared);
  }
  int64_t cardinality() const override {
    const int64_t elements = input().cardinality();
    return elements > 0 ? UNKNOWN_CARDINALITY : elements;
  }
  std::string parameters() const override {
    return internal::concatenate_text("num_shards ", files_.count, ", index ",
                                      files_.index);
  }

 private:
  const FileShard files_;
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
  if (policy == AutoShardPolicy::data) {
    return share_elements(*node(), *this, part);
  }
  const std::optional<int64_t> files = fewest_files(*node());
  if (files.value_or(0) >= num_shards) {
    require_same_order(*node());
    return Dataset(std::make_shared<FileShardDataset>(node(), part));
  }
  if (policy == AutoShardPolicy::automatic) {
    return share_elements(*node(), *this, part);
  }
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
