#include "systolic/data/batch_rows.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "systolic/array/allocation.h"
#include "systolic/data/composite.h"

namespace systolic::data::detail {
namespace {

void find_large(Element* part, std::vector<Element*>* large) {
  if (part->is_array()) {
    const Array& array = part->array();
    if (array.dtype() != DType::string && array.nbytes() >= kLeastLandedRow) {
      large->push_back(part);
    }
  } else if (part->kind() == ElementKind::tuple ||
             part->kind() == ElementKind::dict) {
    for (Element& item : part->items()) find_large(&item, large);
  }
}

// Null where there is no such memory: the Stacker says that of its own.
std::shared_ptr<std::byte> memory_for(int64_t rows, const Array& row) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<size_t>(rows), row.nbytes(), &bytes)) {
    return nullptr;
  }
  try {
    return internal::allocate_elements(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

void BatchRows::begin_batch(int64_t first, int64_t rows) {
  const std::lock_guard lock(mutex_);
  first_ = first;
  rows_ = rows;
}

void BatchRows::land(int64_t index, Element* element) {
  // The Stacker collects those that have one, however large their parts are.
  if (has_composite(*element)) return;
  std::vector<Element*> large;
  find_large(element, &large);
  if (large.empty()) return;
  const std::vector<Place> places = places_for(index, large);
  for (size_t i = 0; i < places.size(); ++i) {
    const auto& [memory, row] = places[i];
    if (row == nullptr) continue;
    const Array& array = large[i]->array();
    std::memcpy(row, array.data(), array.nbytes());
    *large[i] = Element(Array::share(array.spec(), row, memory));
  }
}

std::vector<BatchRows::Place> BatchRows::places_for(
    int64_t index, const std::vector<Element*>& large) {
  std::vector<Place> places(large.size());
  const std::lock_guard lock(mutex_);
  if (!has_places_ || rows_ < 2 || index < first_) return places;
  const int64_t row = (index - first_) % rows_;
  forget_finished();
  Batch& batch = batches_[index - row];
  if (batch.empty()) batch.resize(large.size());
  has_places_ = batch.size() == large.size();
  if (!has_places_) return places;
  for (size_t i = 0; i < large.size(); ++i) {
    const Array& array = large[i]->array();
    Column& column = batch[i];
    std::shared_ptr<std::byte> memory = column.memory.lock();
    if (memory == nullptr) {
      memory = memory_for(rows_, array);
      column = {array.spec(), memory};
    }
    has_places_ = memory != nullptr && column.row == array.spec();
    if (!has_places_) return {};
    places[i] = {memory,
                 memory.get() + static_cast<size_t>(row) * array.nbytes()};
  }
  return places;
}

// Forgets batches of which no row is left. Under the lock.
void BatchRows::forget_finished() {
  std::erase_if(batches_, [](const auto& batch) {
    return std::ranges::all_of(batch.second, [](const Column& column) {
      return column.memory.expired();
    });
  });
}

}  // namespace systolic::data::detail
