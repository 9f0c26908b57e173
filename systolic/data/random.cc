// random(): int64 scalars below 2^32 without end.
#include <array>

#include "systolic/base/element_seed.h"
#include "systolic/base/philox.h"
#include "systolic/base/seed.h"
#include "systolic/data/dataset.h"
#include "systolic/data/pass_seed.h"

namespace systolic::data {
namespace {

class RandomIterator final : public IteratorBase {
 public:
  RandomIterator(const std::string& name, uint64_t key)
      : name_(name), key_(key) {}

  bool get_next(Element* out) override {
    const std::array<uint32_t, 4> words = internal::philox(index_ / 4, key_);
    *out = Element(Array::scalar(static_cast<int64_t>(words[index_ % 4])));
    ++index_;
    return true;
  }

  void save(StateWriter& state) override {
    state.begin(name_);
    state.write_int(static_cast<int64_t>(key_));
    state.write_int(static_cast<int64_t>(index_));
  }
  void restore(StateReader& state) override {
    state.expect(name_);
    key_ = static_cast<uint64_t>(state.read_int());
    index_ = static_cast<uint64_t>(state.read_int());
  }

 private:
  const std::string name_;
  uint64_t key_;
  uint64_t index_ = 0;
};

class RandomDataset final : public DatasetBase {
 public:
  explicit RandomDataset(const RandomOptions& options)
      : name_(detail::node_name("random", options.name)),
        rerandomize_(options.rerandomize_each_iteration),
        seeds_(options.seed ? static_cast<uint64_t>(*options.seed)
                            : internal::draw_seed(),
               rerandomize_) {}

  std::string name() const override { return name_; }
  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    const PassSeed::Pass pass =
        context.peek ? PassSeed::Pass() : seeds_.begin();
    return std::make_unique<RandomIterator>(name_, pass.mixed());
  }
  int64_t cardinality() const override { return INFINITE_CARDINALITY; }
  ElementSpec element_spec() const override {
    return ElementSpec(TensorSpec{DType::int64, Shape::scalar()});
  }
  bool reshuffles() const override { return rerandomize_; }
  void save_node(StateWriter& state) const override { seeds_.save(state); }
  void restore_node(StateReader& state) const override {
    seeds_.restore(state);
  }

 private:
  const std::string name_;
  const bool rerandomize_;
  mutable PassSeed seeds_;
};

}  // namespace

Dataset DatasetSources::random(const RandomOptions& options) {
  return Dataset(std::make_shared<RandomDataset>(options));
}

}  // namespace systolic::data
