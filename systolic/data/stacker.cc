#include "systolic/data/stacker.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "systolic/array/allocation.h"
#include "systolic/array/manipulation.h"
#include "systolic/base/message.h"
#include "systolic/data/batch_rows.h"
#include "systolic/data/collecting_batch.h"
#include "systolic/data/composite.h"
#include "systolic/data/row_views.h"

namespace systolic::data::detail {
namespace {

bool same_tree(const Element& a, const Element& b) {
  return a.kind() == b.kind() && std::ranges::equal(a.keys(), b.keys()) &&
         std::ranges::equal(a.items(), b.items(), same_tree);
}

bool same_dtypes(const Element& a, const Element& b) {
  if (a.is_array()) return a.array().dtype() == b.array().dtype();
  return std::ranges::equal(a.items(), b.items(), same_dtypes);
}

}  // namespace

void Stacker::add(const Element& element) {
  if (size_ == 0) start(element, true);
  if (collects_) {
    collected_.push_back(element);
    ++size_;
    return;
  }
  if (size_ == capacity_) grow();
  Column* column = columns_.data();
  add_tree(element, model_, element, &column);
  ++size_;
}

void Stacker::add_row(const Element& model,
                      std::span<const std::byte* const> arrays) {
  if (size_ == 0) start(model, false);
  // Rows of one buffer share their model, which is then compared quickly.
  const Column* column = columns_.data();
  if (!is_like(model, model_, &column)) throw_differs(model);
  if (size_ == capacity_) grow();
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Column& to = columns_[i];
    if (to.row_bytes == 0) continue;
    std::memcpy(to.memory + static_cast<size_t>(size_) * to.row_bytes,
                arrays[i], to.row_bytes);
  }
  ++size_;
}

bool Stacker::is_like(const Element& part, const Element& model,
                      const Column** column) const {
  if (part.is_array()) {
    return model.is_array() && part.array().spec() == (*column)++->row;
  }
  const auto items = part.items();
  const auto models = model.items();
  if (part.kind() != model.kind() || items.size() != models.size() ||
      !std::ranges::equal(part.keys(), model.keys())) {
    return false;
  }
  for (size_t i = 0; i < items.size(); ++i) {
    if (!is_like(items[i], models[i], column)) return false;
  }
  return true;
}

void Stacker::add_block(const Element& block, int64_t count) {
  const RowViews rows(who_, block);
  for (int64_t i = 0; i < count; ++i) add(rows.row(i));
}

// Whether the row is the first one in memory of a batch.
bool Stacker::begins_batch(const Array& row) const {
  const size_t bytes = internal::allocated_bytes(row.owner());
  const auto rows = static_cast<size_t>(capacity_);
  return row.nbytes() >= kLeastLandedRow && row.data() == row.owner().get() &&
         bytes % rows == 0 && bytes / rows == row.nbytes();
}

void Stacker::make_memory(Column* column) const {
  TensorSpec spec = column->row;
  spec.shape.insert(0, capacity_);
  column->batch = Array::uninitialized(spec);
  column->memory = column->batch.mutable_data();
}

// The rows so far get memory of their own.
void Stacker::stop_sharing(Column* column) const {
  make_memory(column);
  std::memcpy(column->memory, column->rows,
              static_cast<size_t>(size_) * column->row_bytes);
  column->rows = nullptr;
  column->owner.reset();
}

void Stacker::start(const Element& element, bool may_share) {
  model_ = element;
  columns_.clear();
  collected_.clear();
  collects_ = has_composite(element);
  if (collects_) return;
  const auto visit = [&](const auto& self, const Element& part) -> void {
    for (const Element& item : part.items()) self(self, item);
    if (part.kind() == ElementKind::dataset) throw_dataset();
    if (!part.is_array()) return;
    Column& column = columns_.emplace_back();
    column.row = part.array().spec();
    if (column.row.dtype == DType::string) return;
    column.row_bytes = part.array().nbytes();
    if (may_share && begins_batch(part.array())) {
      column.rows = part.array().data();
      column.owner = part.array().owner();
    } else {
      make_memory(&column);
    }
  };
  visit(visit, element);
}

void Stacker::throw_dataset() const {
  internal::Message(who_)
      .expected("elements of Arrays")
      .got(model_.spec())
      .hint("flat_map() the data sets that are elements first")
      .raise<TypeError>();
}

void Stacker::grow() {
  capacity_ *= 2;
  for (Column& column : columns_) {
    if (column.memory == nullptr) continue;
    TensorSpec spec = column.row;
    spec.shape.insert(0, capacity_);
    Array larger = Array::uninitialized(spec);
    std::byte* memory = larger.mutable_data();
    if (column.row_bytes > 0) {
      std::memcpy(memory, column.memory,
                  static_cast<size_t>(size_) * column.row_bytes);
    }
    column.batch = std::move(larger);
    column.memory = memory;
  }
}

void Stacker::add_tree(const Element& part, const Element& model,
                       const Element& element, Column** column) {
  if (part.is_array()) {
    if (!model.is_array()) throw_differs(element);
    add_array(part.array(), element, (*column)++);
    return;
  }
  const auto items = part.items();
  const auto models = model.items();
  if (part.kind() != model.kind() || items.size() != models.size() ||
      !std::ranges::equal(part.keys(), model.keys())) {
    throw_differs(element);
  }
  for (size_t i = 0; i < items.size(); ++i) {
    add_tree(items[i], models[i], element, column);
  }
}

void Stacker::add_array(const Array& array, const Element& element,
                        Column* column) {
  if (!(array.spec() == column->row)) throw_differs(element);
  if (column->row.dtype == DType::string) {
    if (auto origin = origin_of(array)) column->origins.push_back(*origin);
    for (const std::string& text : array.span<std::string>()) {
      column->strings.push_back(text);
    }
    return;
  }
  if (column->row_bytes == 0) return;
  if (column->rows != nullptr) {
    const std::byte* const next =
        column->rows + static_cast<size_t>(size_) * column->row_bytes;
    if (array.data() == next && array.owner() == column->owner) return;
    stop_sharing(column);
  }
  std::memcpy(column->memory + static_cast<size_t>(size_) * column->row_bytes,
              array.data(), column->row_bytes);
}

Element Stacker::combine_collected() {
  return combine_leaves(
      who_, collected_,
      [this](const std::vector<Array>& arrays) {
        for (size_t i = 0; i < arrays.size(); ++i) {
          if (arrays[i].shape() == arrays[0].shape()) continue;
          size_ = static_cast<int64_t>(i);
          throw_differs(collected_[i]);
        }
        return Element(systolic::stack(arrays));
      },
      [this](const std::vector<Element>& composites) {
        return stack_composites(who_, composites);
      });
}

Element Stacker::finish() {
  Column* column = columns_.data();
  Element batch = collects_ ? combine_collected() : take_tree(model_, &column);
  collected_.clear();
  size_ = 0;
  columns_.clear();
  model_ = Element();
  return batch;
}

Element Stacker::take_tree(const Element& model, Column** column) {
  if (model.is_array()) return Element(take_batch((*column)++));
  std::vector<Element> items;
  items.reserve(model.items().size());
  for (const Element& item : model.items()) {
    items.push_back(take_tree(item, column));
  }
  return Element::like(model, std::move(items));
}

Array Stacker::take_batch(Column* column) const {
  TensorSpec spec = column->row;
  spec.shape.insert(0, size_);
  if (spec.dtype == DType::string) {
    if (!column->origins.empty() && spec.shape.rank() == 1 &&
        column->origins.size() == column->strings.size()) {
      return with_origins(std::move(column->strings),
                          std::move(column->origins));
    }
    return Array::from_strings(std::move(column->strings), spec.shape);
  }
  // A few rows do not keep the memory of many.
  if (column->rows != nullptr && size_ > capacity_ / 2) {
    return Array::share(spec, column->rows, std::move(column->owner));
  }
  if (column->rows == nullptr && size_ == capacity_) {
    return std::move(column->batch);
  }
  const std::byte* const rows =
      column->rows != nullptr ? column->rows : column->memory;
  return Array::from_bytes(
      spec, {rows, static_cast<size_t>(size_) * column->row_bytes});
}

void Stacker::throw_differs(const Element& element) const {
  internal::Message message(who_);
  message.detail("element 0 of the batch", model_.spec())
      .detail("element " + std::to_string(size_) + " of the batch",
              element.spec());
  if (!same_tree(element, model_)) {
    message.rule("elements of one batch need the same tree").raise<TypeError>();
  }
  if (!same_dtypes(element, model_)) {
    message.rule("elements of one batch need equal dtypes")
        .hint("cast them in map()")
        .raise<TypeError>();
  }
  message.rule("elements of one batch need equal shapes")
      .hint("resize or pad them in map()")
      .raise<ShapeError>();
}

}  // namespace systolic::data::detail
