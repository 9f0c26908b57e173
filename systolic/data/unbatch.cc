// unbatch() and rebatch(): batches taken apart, and put together anew.
#include <algorithm>
#include <utility>

#include "systolic/array/manipulation.h"
#include "systolic/base/message.h"
#include "systolic/data/collecting_batch.h"
#include "systolic/data/composite.h"
#include "systolic/data/dataset.h"
#include "systolic/data/row_views.h"
#include "systolic/data/spec_tree.h"

namespace systolic::data {
namespace {

// The rows of an input's batches, of which some are left.
class BatchRows {
 public:
  BatchRows(const std::string& who, std::unique_ptr<IteratorBase> input)
      : who_(who), input_(std::move(input)) {}

  int64_t left() const { return views_.rows() - next_; }
  // Reads batches until rows are left, or returns false at the end.
  bool find(const std::stop_token& stop) {
    while (left() == 0 && !stop.stop_requested()) {
      Element batch;
      if (!input_->get_next(&batch)) return false;
      views_ = detail::RowViews(who_, batch);
      next_ = 0;
    }
    return left() > 0;
  }
  Element take_row() { return views_.row(next_++); }
  Element take_block(int64_t count) {
    next_ += count;
    return views_.block(next_ - count, count);
  }

  void save(StateWriter& state) const {
    state.write_bool(left() > 0);
    if (left() > 0) state.write_element(views_.block(next_, left()));
    input_->save(state);
  }
  void restore(StateReader& state) {
    if (state.read_bool()) {
      views_ = detail::RowViews(who_, state.read_element());
    }
    next_ = 0;
    input_->restore(state);
  }

 private:
  const std::string& who_;
  std::unique_ptr<IteratorBase> input_;
  detail::RowViews views_;
  int64_t next_ = 0;
};

class UnbatchIterator final : public IteratorBase {
 public:
  UnbatchIterator(std::string name, const IteratorContext& context,
                  std::unique_ptr<IteratorBase> input)
      : name_(std::move(name)),
        stop_(context.stop),
        rows_(name_, std::move(input)) {}

  bool get_next(Element* out) override {
    if (!rows_.find(stop_)) return false;
    *out = rows_.take_row();
    return true;
  }

  void save(StateWriter& state) override {
    state.begin(name_);
    rows_.save(state);
  }
  void restore(StateReader& state) override {
    state.expect(name_);
    rows_.restore(state);
  }

 private:
  const std::string name_;
  const std::stop_token stop_;
  BatchRows rows_;
};

// The length of every first axis, where it is known to be one; -1 otherwise.
int64_t known_rows(const ElementSpec& spec) {
  if (spec.kind() == ElementKind::array) {
    const bool known = spec.array() && spec.array()->shape.rank() > 0;
    return known ? spec.array()->shape[0] : -1;
  }
  if (detail::composite_kind(spec) != detail::Composite::none) return -1;
  return spec.items().empty() ? -1 : known_rows(spec.items()[0]);
}

class UnbatchDataset final : public TransformBase {
 public:
  UnbatchDataset(std::shared_ptr<const DatasetBase> input,
                 const std::string& name)
      : TransformBase(std::move(input), "unbatch", name) {}

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return std::make_unique<UnbatchIterator>(name(), context,
                                             input().make_iterator(context));
  }
  int64_t cardinality() const override {
    const int64_t batches = input().cardinality();
    const int64_t rows = known_rows(input().structure());
    if (batches == 0) return 0;
    if (rows <= 0) return UNKNOWN_CARDINALITY;
    return batches < 0 ? batches : batches * rows;
  }
  ElementSpec element_spec() const override {
    return detail::row_spec(input().element_spec());
  }
  ElementSpec structure() const override {
    return detail::row_spec(input().structure());
  }
};

class RebatchIterator final : public IteratorBase {
 public:
  RebatchIterator(std::string name, const std::vector<int64_t>& sizes,
                  bool drop_remainder, const IteratorContext& context,
                  std::unique_ptr<IteratorBase> input)
      : name_(std::move(name)),
        sizes_(sizes),
        drop_remainder_(drop_remainder),
        stop_(context.stop),
        rows_(name_, std::move(input)) {}

  bool get_next(Element* out) override {
    if (ended_) return false;
    const int64_t size = sizes_[turn_];
    // What an exception interrupts goes on with the rows that there are.
    while (have_ < size) {
      if (!rows_.find(stop_)) break;
      const int64_t count = std::min(size - have_, rows_.left());
      parts_.push_back(rows_.take_block(count));
      have_ += count;
    }
    ended_ = have_ < size;
    if (have_ == 0 || (ended_ && drop_remainder_)) return false;
    turn_ = (turn_ + 1) % sizes_.size();
    *out = join();
    return true;
  }

  void save(StateWriter& state) override {
    state.begin(name_);
    state.write_bool(ended_);
    state.write_int(static_cast<int64_t>(turn_));
    state.write_int(have_);
    state.write_element(Element::tuple(parts_));
    rows_.save(state);
  }
  void restore(StateReader& state) override {
    state.expect(name_);
    ended_ = state.read_bool();
    turn_ = static_cast<size_t>(state.read_int()) % sizes_.size();
    have_ = state.read_int();
    const Element parts = state.read_element();
    parts_.assign(parts.items().begin(), parts.items().end());
    rows_.restore(state);
  }

 private:
  Element join() {
    have_ = 0;
    const std::vector<Element> parts = std::exchange(parts_, {});
    if (parts.size() == 1) return parts[0];
    return detail::combine_leaves(
        name_, parts,
        [](const std::vector<Array>& arrays) {
          return systolic::concatenate(arrays);
        },
        [this](const std::vector<Element>& composites) {
          return detail::concatenate_composites(name_, composites);
        });
  }

  const std::string name_;
  const std::vector<int64_t>& sizes_;
  const bool drop_remainder_;
  const std::stop_token stop_;
  BatchRows rows_;
  std::vector<Element> parts_;  // of the next batch, `have_` rows
  int64_t have_ = 0;
  size_t turn_ = 0;
  bool ended_ = false;
};

class RebatchDataset final : public TransformBase {
 public:
  RebatchDataset(std::shared_ptr<const DatasetBase> input,
                 std::vector<int64_t> sizes, const RebatchOptions& options)
      : TransformBase(std::move(input), "rebatch", options.name),
        sizes_(std::move(sizes)),
        drop_remainder_(options.drop_remainder) {
    const bool positive = std::all_of(sizes_.begin(), sizes_.end(),
                                      [](int64_t size) { return size >= 1; });
    if (sizes_.empty() || !positive) {
      internal::Message(name())
          .expected("batch sizes >= 1")
          .got(sizes_.empty() ? "none" : Array::from(sizes_).to_string())
          .raise<ValueError>();
    }
  }

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return std::make_unique<RebatchIterator>(name(), sizes_, drop_remainder_,
                                             context,
                                             input().make_iterator(context));
  }
  int64_t cardinality() const override {
    const int64_t batches = input().cardinality();
    return batches == 0 || batches == INFINITE_CARDINALITY
               ? batches
               : UNKNOWN_CARDINALITY;
  }
  ElementSpec element_spec() const override {
    return with_rows(input().element_spec());
  }
  ElementSpec structure() const override {
    return with_rows(input().structure());
  }
  std::string parameters() const override {
    return internal::concatenate_text(
        "batch_size ", Array::from(sizes_),
        drop_remainder_ ? ", drop_remainder" : "");
  }

 private:
  ElementSpec with_rows(const ElementSpec& spec) const {
    const bool known = drop_remainder_ && sizes_.size() == 1;
    return detail::batched_spec(detail::row_spec(spec), known ? sizes_[0] : -1);
  }

  const std::vector<int64_t> sizes_;
  const bool drop_remainder_;
};

}  // namespace

Dataset DatasetGrouping::unbatch(const std::string& name) const {
  return Dataset(std::make_shared<UnbatchDataset>(node(), name));
}

Dataset DatasetGrouping::rebatch(int64_t batch_size,
                                 const RebatchOptions& options) const {
  return rebatch(std::vector<int64_t>{batch_size}, options);
}

Dataset DatasetGrouping::rebatch(std::vector<int64_t> batch_sizes,
                                 const RebatchOptions& options) const {
  return Dataset(std::make_shared<RebatchDataset>(
      node(), std::move(batch_sizes), options));
}

}  // namespace systolic::data
