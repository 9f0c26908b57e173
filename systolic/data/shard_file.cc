// Tested by: systolic/data/saved_dataset_test.cc
#include "systolic/data/shard_file.h"

#include <utility>

#include "systolic/data/element_file.h"

namespace systolic::data::detail {
namespace {

class ShardIterator final : public IteratorBase {
 public:
  explicit ShardIterator(const std::string& path) : reader_(path) {}

  bool get_next(Element* out) override { return reader_.get_next(out); }
  void save(StateWriter& state) override {
    state.begin("shard");
    reader_.save(state);
  }
  void restore(StateReader& state) override {
    state.expect("shard");
    reader_.restore(state);
  }

 private:
  ElementFileReader reader_;
};

class ShardDataset final : public DatasetBase {
 public:
  explicit ShardDataset(ShardFile file) : file_(std::move(file)) {}

  std::string name() const override { return "load"; }
  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext&) const override {
    return std::make_unique<ShardIterator>(file_.path);
  }
  int64_t cardinality() const override { return file_.count; }
  ElementSpec element_spec() const override { return file_.spec; }
  const ShardFile& file() const { return file_; }

 private:
  const ShardFile file_;
};

}  // namespace

std::shared_ptr<const DatasetBase> shard_dataset(ShardFile file) {
  return std::make_shared<ShardDataset>(std::move(file));
}

const ShardFile* shard_of(const DatasetBase& dataset) {
  const auto* shard = dynamic_cast<const ShardDataset*>(&dataset);
  return shard == nullptr ? nullptr : &shard->file();
}

}  // namespace systolic::data::detail
