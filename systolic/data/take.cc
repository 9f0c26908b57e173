// take(): the first elements.
#include <utility>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/data/cardinality.h"
#include "systolic/data/dataset.h"

namespace systolic::data {
namespace {

class TakeIterator final : public IteratorBase {
 public:
  TakeIterator(int64_t count, std::unique_ptr<IteratorBase> input)
      : left_(count), input_(std::move(input)) {}

  bool get_next(Element* out) override {
    if (left_ == 0) return false;
    --left_;  // an element that throws counts
    if (input_->get_next(out)) return true;
    left_ = 0;
    return false;
  }

  int64_t get_block(int64_t count, Element* out) override {
    if (left_ == 0) return 0;
    const int64_t rows = input_->get_block(left_ < count ? left_ : count, out);
    if (rows != kNoBlocks) left_ -= rows;
    return rows;
  }

  void save(StateWriter& state) override {
    state.begin("take");
    state.write_int(left_);
    input_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect("take");
    left_ = state.read_int();
    input_->restore(state);
  }

 private:
  int64_t left_;
  std::unique_ptr<IteratorBase> input_;
};

class TakeDataset final : public TransformBase {
 public:
  TakeDataset(std::shared_ptr<const DatasetBase> input, int64_t count)
      : TransformBase(std::move(input), "take"), count_(count) {}

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    std::unique_ptr<IteratorBase> input_iterator =
        input().make_iterator(context);
    if (count_ < 0) return input_iterator;
    return std::make_unique<TakeIterator>(count_, std::move(input_iterator));
  }
  int64_t cardinality() const override {
    if (count_ < 0) return input().cardinality();
    return detail::min_cardinality(input().cardinality(), count_);
  }
  std::string parameters() const override {
    return internal::concatenate_text("count ", count_);
  }

 private:
  const int64_t count_;
};

}  // namespace

Dataset Dataset::take(int64_t count) const {
  if (count < -1) {
    internal::Message("take")
        .expected("count >= 0, or -1 for all elements")
        .got(count)
        .raise<ValueError>();
  }
  if (node()->reshuffles()) {
    log(LogLevel::warning,
        "take: the input is shuffled anew in each pass, so each pass takes "
        "other elements; to split a data set, take() before shuffle() or set "
        "reshuffle_each_iteration = false");
  }
  return Dataset(std::make_shared<TakeDataset>(node(), count));
}

}  // namespace systolic::data
