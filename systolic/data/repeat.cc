// repeat(): the input's passes one after the other.
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/cardinality.h"
#include "systolic/data/dataset.h"
#include "systolic/data/stacker.h"

namespace systolic::data {
namespace {

class RepeatIterator final : public IteratorBase {
 public:
  RepeatIterator(const std::string& name, const DatasetBase& input,
                 int64_t count, const IteratorContext& context)
      : name_(name), dataset_(input), left_(count), context_(context) {}

  bool get_next(Element* out) override {
    while (left_ != 0) {
      begin_pass();
      if (input_->get_next(out)) {
        empty_ = false;
        return true;
      }
      if (context_.stop.stop_requested()) return false;
      input_.reset();
      if (left_ > 0) {
        --left_;
      } else if (empty_) {
        left_ = 0;
        throw_empty();
      }
    }
    return false;
  }

  int64_t get_block(int64_t count, Element* out) override {
    if (left_ == 0) return 0;
    begin_pass();
    const int64_t rows = input_->get_block(count, out);
    if (rows != kNoBlocks && rows > 0) empty_ = false;
    if (rows == kNoBlocks || rows == count) return rows;
    // The block goes on in the next pass.
    detail::Stacker stacker(kBatch, count);
    if (rows > 0) stacker.add_block(*out, rows);
    Element element;
    while (stacker.size() < count && get_next(&element)) stacker.add(element);
    const int64_t total = stacker.size();
    if (total > 0) *out = stacker.finish();
    return total;
  }

  void save(StateWriter& state) override {
    state.begin("repeat");
    state.write_int(left_);
    state.write_bool(empty_);
    state.write_bool(input_ != nullptr);
    if (input_) input_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect("repeat");
    left_ = state.read_int();
    empty_ = state.read_bool();
    if (!state.read_bool()) return;
    input_ = dataset_.make_iterator(context_);
    input_->restore(state);
  }

 private:
  static inline const std::string kBatch = "batch";

  void begin_pass() {
    if (input_) return;
    input_ = dataset_.make_iterator(context_);
    empty_ = true;
  }

  [[noreturn]] void throw_empty() const {
    internal::Message(name_)
        .expected("an element in each pass of a repetition without end")
        .got("a pass with none")
        .detail("input", dataset_.name())
        .hint(
            "check that the files or Arrays are not empty, that a filter "
            "keeps something, and that drop_remainder leaves a batch")
        .raise<DataError>();
  }

  const std::string name_;
  const DatasetBase& dataset_;
  int64_t left_;  // passes, without end below 0
  const IteratorContext context_;
  std::unique_ptr<IteratorBase> input_;
  bool empty_ = true;  // this pass so far
};

class RepeatDataset final : public TransformBase {
 public:
  RepeatDataset(std::shared_ptr<const DatasetBase> input, int64_t count)
      : TransformBase(std::move(input), "repeat"), count_(count) {}

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return std::make_unique<RepeatIterator>(name(), input(), count_, context);
  }
  int64_t cardinality() const override {
    return detail::repeat_cardinality(input().cardinality(), count_);
  }
  std::string parameters() const override {
    return internal::concatenate_text("count ", count_);
  }

 private:
  const int64_t count_;
};

}  // namespace

Dataset Dataset::repeat(int64_t count) const {
  if (count < -1) {
    internal::Message("repeat")
        .expected("count >= 0, or -1 for no end")
        .got(count)
        .raise<ValueError>();
  }
  return Dataset(std::make_shared<RepeatDataset>(node(), count));
}

}  // namespace systolic::data
