// skip(): the elements behind the first ones.
#include <algorithm>
#include <utility>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/data/dataset.h"

namespace systolic::data {
namespace {

class SkipIterator final : public IteratorBase {
 public:
  SkipIterator(int64_t count, const IteratorContext& context,
               std::unique_ptr<IteratorBase> input)
      : left_(count), stop_(context.stop), input_(std::move(input)) {}

  bool get_next(Element* out) override {
    while (left_ != 0) {
      if (stop_.stop_requested()) return false;
      if (left_ > 0) --left_;
      if (!input_->get_next(out)) {
        left_ = 0;
        return false;
      }
    }
    return input_->get_next(out);
  }

  int64_t get_block(int64_t count, Element* out) override {
    return left_ == 0 ? input_->get_block(count, out) : kNoBlocks;
  }

  void save(StateWriter& state) override {
    state.begin("skip");
    state.write_int(left_);
    input_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect("skip");
    left_ = state.read_int();
    input_->restore(state);
  }

 private:
  int64_t left_;  // all of them below 0
  const std::stop_token stop_;
  std::unique_ptr<IteratorBase> input_;
};

class SkipDataset final : public TransformBase {
 public:
  SkipDataset(std::shared_ptr<const DatasetBase> input, int64_t count)
      : TransformBase(std::move(input), "skip"), count_(count) {}

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    // For the spec any element does.
    if (context.peek) return input().make_iterator(context);
    return std::make_unique<SkipIterator>(count_, context,
                                          input().make_iterator(context));
  }
  int64_t cardinality() const override {
    if (count_ < 0) return 0;
    const int64_t elements = input().cardinality();
    if (elements < 0) return elements;
    return std::max<int64_t>(elements - count_, 0);
  }
  std::string parameters() const override {
    return internal::concatenate_text("count ", count_);
  }

 private:
  const int64_t count_;
};

}  // namespace

Dataset Dataset::skip(int64_t count) const {
  if (count < -1) {
    internal::Message("skip")
        .expected("count >= 0, or -1 for all elements")
        .got(count)
        .raise<ValueError>();
  }
  if (node()->reshuffles()) {
    log(LogLevel::warning,
        "skip: the input is shuffled anew in each pass, so each pass skips "
        "other elements; to split a data set, skip() before shuffle() or set "
        "reshuffle_each_iteration = false");
  }
  return Dataset(std::make_shared<SkipDataset>(node(), count));
}

}  // namespace systolic::data
