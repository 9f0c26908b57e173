// from_tensor_slices(): the rows of Arrays, as views of them.
#include <algorithm>
#include <utility>

#include "systolic/data/dataset.h"
#include "systolic/data/row_views.h"

namespace systolic::data {
namespace {

constexpr const char* kName = "from_tensor_slices";

class SlicesDataset final : public DatasetBase {
 public:
  explicit SlicesDataset(const Element& tensors) : views_(kName, tensors) {}

  std::string name() const override { return kName; }
  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override;
  int64_t cardinality() const override { return views_.rows(); }
  ElementSpec element_spec() const override {
    return detail::row_spec(views_.element().spec());
  }
  const detail::RowViews& views() const { return views_; }
  std::string parameters() const override {
    return views_.element().spec().to_string();
  }

 private:
  const detail::RowViews views_;
};

class SlicesIterator final : public IteratorBase {
 public:
  explicit SlicesIterator(const SlicesDataset& dataset) : dataset_(dataset) {}

  bool get_next(Element* out) override {
    if (next_ == dataset_.cardinality()) return false;
    *out = dataset_.views().row(next_++);
    return true;
  }
  int64_t get_block(int64_t count, Element* out) override {
    // Their rows may be of another kind than a block of them.
    if (dataset_.views().has_composites()) return kNoBlocks;
    const int64_t rows = std::min(count, dataset_.cardinality() - next_);
    if (rows > 0) *out = dataset_.views().block(next_, rows);
    next_ += rows;
    return rows;
  }

  void save(StateWriter& state) override {
    state.begin(kName);
    state.write_int(dataset_.cardinality());
    state.write_int(next_);
  }
  void restore(StateReader& state) override {
    state.expect(kName);
    const int64_t rows = state.read_int();
    if (rows != dataset_.cardinality()) {
      state.throw_mismatch(std::to_string(rows) + " rows",
                           std::to_string(dataset_.cardinality()));
    }
    next_ = state.read_int();
  }

 private:
  const SlicesDataset& dataset_;
  int64_t next_ = 0;
};

std::unique_ptr<IteratorBase> SlicesDataset::make_iterator(
    const IteratorContext&) const {
  return std::make_unique<SlicesIterator>(*this);
}

}  // namespace

Dataset DatasetSources::from_tensor_slices(const Element& tensors) {
  return Dataset(std::make_shared<SlicesDataset>(tensors));
}

}  // namespace systolic::data
