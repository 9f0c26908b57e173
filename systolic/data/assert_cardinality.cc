// assert_cardinality() and get_single_element(): data sets of a known length.
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/dataset.h"

namespace systolic::data {
namespace {

constexpr const char* kName = "assert_cardinality";

class AssertingIterator final : public IteratorBase {
 public:
  AssertingIterator(int64_t expected, const IteratorContext& context,
                    std::unique_ptr<IteratorBase> input)
      : expected_(expected), context_(context), input_(std::move(input)) {}

  bool get_next(Element* out) override {
    const bool got = input_->get_next(out);
    if (!got) {
      if (context_.stop.stop_requested() || ended_) return false;
      ended_ = true;
      if (seen_ != expected_ && !context_.peek) {
        throw_differs(std::to_string(seen_));
      }
      return false;
    }
    if (++seen_ > expected_ && expected_ >= 0 && !context_.peek) {
      throw_differs("at least " + std::to_string(seen_));
    }
    return true;
  }

  void save(StateWriter& state) override {
    state.begin(kName);
    state.write_int(seen_);
    state.write_bool(ended_);
    input_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect(kName);
    seen_ = state.read_int();
    ended_ = state.read_bool();
    input_->restore(state);
  }

 private:
  [[noreturn]] void throw_differs(const std::string& seen) const {
    internal::Message(kName)
        .expected(expected_ == INFINITE_CARDINALITY
                      ? "elements without end"
                      : std::to_string(expected_) + " elements")
        .got(seen)
        .raise<DataError>();
  }

  const int64_t expected_;
  const IteratorContext context_;
  std::unique_ptr<IteratorBase> input_;
  int64_t seen_ = 0;
  bool ended_ = false;
};

class AssertingDataset final : public TransformBase {
 public:
  AssertingDataset(std::shared_ptr<const DatasetBase> input, int64_t expected)
      : TransformBase(std::move(input), kName), expected_(expected) {}

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return std::make_unique<AssertingIterator>(expected_, context,
                                               input().make_iterator(context));
  }
  int64_t cardinality() const override { return expected_; }

 private:
  const int64_t expected_;
};

}  // namespace

Dataset Dataset::assert_cardinality(int64_t expected_cardinality) const {
  if (expected_cardinality < INFINITE_CARDINALITY) {
    internal::Message(kName)
        .expected("a cardinality >= 0 or INFINITE_CARDINALITY")
        .got(expected_cardinality)
        .raise<ValueError>();
  }
  return Dataset(
      std::make_shared<AssertingDataset>(node(), expected_cardinality));
}

Element Dataset::get_single_element() const {
  Iterator elements = iterator();
  Element first;
  Element second;
  const bool has_one = elements.get_next(&first);
  if (has_one && !elements.get_next(&second)) return first;
  internal::Message("get_single_element")
      .expected("a data set of one element")
      .got(has_one ? "one of more" : "an empty one")
      .detail("data set", node()->name())
      .hint(has_one ? "batch() or take(1) it" : "look at its source")
      .raise<ValueError>();
}

}  // namespace systolic::data
