// from_tensor_slices(): the rows of Arrays, as views of them.
#include <algorithm>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/dataset.h"

namespace systolic::data {
namespace {

constexpr const char* kName = "from_tensor_slices";

// One Array and what a row of it is.
struct Column {
  Array array;
  TensorSpec row;
  size_t row_bytes = 0;

  Array rows(int64_t first, int64_t count) const {
    TensorSpec spec = row;
    spec.shape.insert(0, count);
    return at(first, spec);
  }
  Array at(int64_t index, const TensorSpec& spec) const {
    return Array::share(spec,
                        array.data() + static_cast<size_t>(index) * row_bytes,
                        array.owner());
  }
};

// Adds the Arrays of the tree, depth first.
void collect(const Element& tensors, std::vector<Column>* columns) {
  if (!tensors.is_array()) {
    for (const Element& item : tensors.items()) collect(item, columns);
    return;
  }
  const Array& array = tensors.array();
  if (array.rank() == 0) {
    internal::Message(kName)
        .expected("Arrays with a first axis to slice along")
        .got(array.is_set() ? "a scalar" : "an unset Array")
        .detail("tensors", tensors.spec())
        .raise<ValueError>();
  }
  Column column{array, array.spec(), 0};
  column.row.shape.erase(0);
  column.row_bytes = column.row.nbytes();
  columns->push_back(std::move(column));
}

ElementSpec row_spec(const ElementSpec& spec) {
  if (spec.kind() == ElementKind::array) {
    TensorSpec row = *spec.array();
    row.shape.erase(0);
    return ElementSpec(row);
  }
  std::vector<ElementSpec> items;
  for (const ElementSpec& item : spec.items()) items.push_back(row_spec(item));
  if (spec.kind() == ElementKind::tuple) {
    return ElementSpec::tuple(std::move(items));
  }
  std::vector<std::pair<std::string, ElementSpec>> entries;
  for (size_t i = 0; i < items.size(); ++i) {
    entries.emplace_back(spec.keys()[i], std::move(items[i]));
  }
  return ElementSpec::dict(std::move(entries));
}

// A tree like `tensors` whose Arrays are `make(column)`.
template <class Make>
Element rebuild(const Element& tensors, const Column*& column,
                const Make& make) {
  if (tensors.is_array()) return Element(make(*column++));
  std::vector<Element> items;
  items.reserve(tensors.items().size());
  for (const Element& item : tensors.items()) {
    items.push_back(rebuild(item, column, make));
  }
  return Element::like(tensors, std::move(items));
}

class SlicesDataset final : public DatasetBase {
 public:
  explicit SlicesDataset(const Element& tensors) : tensors_(tensors) {
    collect(tensors_, &columns_);
    if (columns_.empty()) {
      internal::Message(kName)
          .expected("at least one Array")
          .got(tensors_.spec())
          .raise<ValueError>();
    }
    rows_ = columns_[0].array.shape()[0];
    for (const Column& column : columns_) {
      const int64_t rows = column.array.shape()[0];
      if (rows == rows_) continue;
      internal::Message(kName)
          .expected("Arrays with equal first axes")
          .got(rows_, " and ", rows)
          .detail("tensors", tensors_.spec())
          .raise<ValueError>();
    }
  }

  std::string name() const override { return kName; }
  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override;
  int64_t cardinality() const override { return rows_; }
  ElementSpec element_spec() const override {
    return row_spec(tensors_.spec());
  }

  Element row(int64_t index) const {
    const Column* column = columns_.data();
    return rebuild(tensors_, column,
                   [&](const Column& c) { return c.at(index, c.row); });
  }
  Element block(int64_t first, int64_t count) const {
    const Column* column = columns_.data();
    return rebuild(tensors_, column,
                   [&](const Column& c) { return c.rows(first, count); });
  }

 private:
  const Element tensors_;
  std::vector<Column> columns_;
  int64_t rows_ = 0;
};

class SlicesIterator final : public IteratorBase {
 public:
  explicit SlicesIterator(const SlicesDataset& dataset) : dataset_(dataset) {}

  bool get_next(Element* out) override {
    if (next_ == dataset_.cardinality()) return false;
    *out = dataset_.row(next_++);
    return true;
  }
  int64_t get_block(int64_t count, Element* out) override {
    const int64_t rows = std::min(count, dataset_.cardinality() - next_);
    if (rows > 0) *out = dataset_.block(next_, rows);
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

Dataset Dataset::from_tensor_slices(const Element& tensors) {
  return Dataset(std::make_shared<SlicesDataset>(tensors));
}

}  // namespace systolic::data
