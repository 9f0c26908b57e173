// counter(): int64 scalars without end.
#include "systolic/base/message.h"
#include "systolic/data/dataset.h"

namespace systolic::data {
namespace {

constexpr const char* kName = "counter";

class CounterIterator final : public IteratorBase {
 public:
  CounterIterator(int64_t start, int64_t step)
      : next_(static_cast<uint64_t>(start)),
        step_(static_cast<uint64_t>(step)) {}

  bool get_next(Element* out) override {
    *out = Element(Array::scalar(static_cast<int64_t>(next_)));
    next_ += step_;  // unsigned: wraps round as TensorFlow's does
    return true;
  }

  void save(StateWriter& state) override {
    state.begin(kName);
    state.write_int(static_cast<int64_t>(next_));
  }
  void restore(StateReader& state) override {
    state.expect(kName);
    next_ = static_cast<uint64_t>(state.read_int());
  }

 private:
  uint64_t next_;
  const uint64_t step_;
};

class CounterDataset final : public DatasetBase {
 public:
  CounterDataset(int64_t start, int64_t step) : start_(start), step_(step) {}

  std::string name() const override { return kName; }
  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext&) const override {
    return std::make_unique<CounterIterator>(start_, step_);
  }
  int64_t cardinality() const override { return INFINITE_CARDINALITY; }
  ElementSpec element_spec() const override {
    return ElementSpec(TensorSpec{DType::int64, Shape::scalar()});
  }
  std::string parameters() const override {
    return internal::concatenate_text("start ", start_, ", step ", step_);
  }

 private:
  const int64_t start_;
  const int64_t step_;
};

}  // namespace

Dataset DatasetSources::counter(int64_t start, int64_t step) {
  return Dataset(std::make_shared<CounterDataset>(start, step));
}

}  // namespace systolic::data
