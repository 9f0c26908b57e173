// range(): int64 scalars.
#include <limits>

#include "systolic/base/message.h"
#include "systolic/data/dataset.h"

namespace systolic::data {
namespace {

class RangeIterator final : public IteratorBase {
 public:
  RangeIterator(int64_t start, int64_t step, int64_t count)
      : next_(start), step_(step), left_(count) {}

  bool get_next(Element* out) override {
    if (left_ == 0) return false;
    *out = Element(Array::scalar(next_));
    // The value behind the last may not fit.
    if (--left_ > 0) next_ += step_;
    return true;
  }

  void save(StateWriter& state) override {
    state.begin("range");
    state.write_int(next_);
    state.write_int(left_);
  }
  void restore(StateReader& state) override {
    state.expect("range");
    next_ = state.read_int();
    left_ = state.read_int();
  }

 private:
  int64_t next_;
  const int64_t step_;
  int64_t left_;
};

class RangeDataset final : public DatasetBase {
 public:
  RangeDataset(int64_t start, int64_t stop, int64_t step)
      : start_(start), step_(step) {
    if (step == 0) {
      internal::Message("range")
          .expected("a step other than 0")
          .got(step)
          .raise<ValueError>();
    }
    const bool up = step > 0;
    if (up ? start < stop : start > stop) {
      // Unsigned, since the distance may not fit into int64.
      const uint64_t distance =
          up ? static_cast<uint64_t>(stop) - static_cast<uint64_t>(start)
             : static_cast<uint64_t>(start) - static_cast<uint64_t>(stop);
      const uint64_t stride = up ? static_cast<uint64_t>(step)
                                 : uint64_t{0} - static_cast<uint64_t>(step);
      const uint64_t steps = (distance - 1) / stride;
      constexpr auto kMost = std::numeric_limits<int64_t>::max();
      if (steps >= static_cast<uint64_t>(kMost)) {
        internal::Message("range")
            .expected("at most ", kMost, " elements")
            .got("start ", start, ", stop ", stop, ", step ", step)
            .hint("counter(start, step) has no end")
            .raise<ValueError>();
      }
      count_ = static_cast<int64_t>(steps + 1);
    }
  }

  std::string name() const override { return "range"; }
  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext&) const override {
    return std::make_unique<RangeIterator>(start_, step_, count_);
  }
  int64_t cardinality() const override { return count_; }
  ElementSpec element_spec() const override {
    return ElementSpec(TensorSpec{DType::int64, Shape::scalar()});
  }
  std::string parameters() const override {
    return internal::concatenate_text("start ", start_, ", step ", step_);
  }

 private:
  const int64_t start_;
  const int64_t step_;
  int64_t count_ = 0;
};

}  // namespace

Dataset DatasetSources::range(int64_t stop) { return range(0, stop, 1); }

Dataset DatasetSources::range(int64_t start, int64_t stop, int64_t step) {
  return Dataset(std::make_shared<RangeDataset>(start, stop, step));
}

}  // namespace systolic::data
