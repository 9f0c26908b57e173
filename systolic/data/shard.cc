// shard(): every num_shards-th element.
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/auto_shard.h"
#include "systolic/data/dataset.h"

namespace systolic::data {
namespace {

constexpr const char* kName = "shard";

class ShardIterator final : public IteratorBase {
 public:
  ShardIterator(int64_t num_shards, int64_t index,
                const IteratorContext& context,
                std::unique_ptr<IteratorBase> input)
      : num_shards_(num_shards),
        shard_(index),
        context_(context),
        input_(std::move(input)) {}

  bool get_next(Element* out) override {
    while (!context_.stop.stop_requested()) {
      const int64_t index = index_++;  // an element that throws counts
      if (!input_->get_next(out)) return false;
      if (context_.peek || index % num_shards_ == shard_) return true;
    }
    return false;
  }

  void save(StateWriter& state) override {
    state.begin(kName);
    state.write_int(index_);
    input_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect(kName);
    index_ = state.read_int();
    input_->restore(state);
  }

 private:
  const int64_t num_shards_;
  const int64_t shard_;
  const IteratorContext context_;
  std::unique_ptr<IteratorBase> input_;
  int64_t index_ = 0;
};

class ShardDataset final : public TransformBase {
 public:
  ShardDataset(std::shared_ptr<const DatasetBase> input, int64_t num_shards,
               int64_t index, bool between_hosts)
      : TransformBase(std::move(input), kName),
        num_shards_(num_shards),
        index_(index),
        between_hosts_(between_hosts) {}

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    IteratorContext shared = context;
    shared.hosts_share |= between_hosts_;
    return detail::make_shard_iterator(input(), num_shards_, index_, shared);
  }
  int64_t cardinality() const override {
    const int64_t elements = input().cardinality();
    if (elements < 0) return elements;
    return elements / num_shards_ + (index_ < elements % num_shards_ ? 1 : 0);
  }
  std::string parameters() const override {
    return internal::concatenate_text("num_shards ", num_shards_, ", index ",
                                      index_);
  }

 private:
  const int64_t num_shards_;
  const int64_t index_;
  const bool between_hosts_;
};

// The place for a host's part, which is all without one.
class HintDataset final : public TransformBase {
 public:
  explicit HintDataset(std::shared_ptr<const DatasetBase> input)
      : TransformBase(std::move(input), kName) {}

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    IteratorContext shared = context;
    shared.hint = {};  // it is shared out once
    shared.hosts_share |= context.hint.count > 1;
    return detail::make_shard_iterator(input(), context.hint.count,
                                       context.hint.index, shared);
  }
  int64_t cardinality() const override {
    const int64_t elements = input().cardinality();
    return elements > 0 ? UNKNOWN_CARDINALITY : elements;
  }
  std::string parameters() const override { return "SHARD_HINT"; }
};

}  // namespace

std::unique_ptr<IteratorBase> detail::make_shard_iterator(
    const DatasetBase& input, int64_t count, int64_t index,
    const IteratorContext& context) {
  std::unique_ptr<IteratorBase> elements = input.make_iterator(context);
  if (count == 1) return elements;
  return std::make_unique<ShardIterator>(count, index, context,
                                         std::move(elements));
}

std::shared_ptr<const DatasetBase> detail::share_elements(
    std::shared_ptr<const DatasetBase> input, const FileShard& part) {
  return std::make_shared<ShardDataset>(std::move(input), part.count,
                                        part.index, true);
}

bool detail::is_shard_hint(const DatasetBase& node) {
  return dynamic_cast<const HintDataset*>(&node) != nullptr;
}

Dataset Dataset::shard(int64_t num_shards, int64_t index) const {
  if (num_shards == SHARD_HINT && index == SHARD_HINT) {
    return Dataset(std::make_shared<HintDataset>(node()));
  }
  if (num_shards < 1) {
    internal::Message(kName)
        .expected("num_shards >= 1")
        .got(num_shards)
        .raise<ValueError>();
  }
  if (index < 0 || index >= num_shards) {
    internal::Message(kName)
        .expected("an index from 0 to ", num_shards - 1)
        .got(index)
        .raise<ValueError>();
  }
  return Dataset(
      std::make_shared<ShardDataset>(node(), num_shards, index, false));
}

}  // namespace systolic::data
