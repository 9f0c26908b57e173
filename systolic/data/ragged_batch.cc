// ragged_batch() and sparse_batch(): elements of different lengths side by
// side without padding.
#include <algorithm>
#include <utility>

#include "systolic/array/manipulation.h"
#include "systolic/base/message.h"
#include "systolic/data/array_rows.h"
#include "systolic/data/collecting_batch.h"
#include "systolic/data/dataset.h"
#include "systolic/data/ragged_array.h"
#include "systolic/data/sparse_array.h"
#include "systolic/data/spec_tree.h"

namespace systolic::data {
namespace {

// The spec of a RaggedArray of `rows` rows, or -1, like `row`.
ElementSpec ragged_spec(const TensorSpec& row, int64_t rows) {
  TensorSpec values = row;
  values.shape.set(0, -1);
  const TensorSpec splits{DType::int64, {rows < 0 ? -1 : rows + 1}};
  return ElementSpec::dict(
      {{"row_splits", ElementSpec::tuple({ElementSpec(splits)})},
       {"values", ElementSpec(values)}});
}

// For each Array of elements with this spec, in order, whether its lengths are
// known beforehand; false where the spec does not tell how many there are.
bool add_fixed(const ElementSpec& spec, std::vector<bool>* fixed) {
  if (spec.kind() == ElementKind::array) {
    fixed->push_back(detail::is_static(spec));
    return true;
  }
  const bool is_tree = spec.kind() == ElementKind::tuple ||
                       (spec.kind() == ElementKind::dict && spec.is_complete());
  for (const ElementSpec& item : spec.items()) {
    if (!add_fixed(item, fixed)) return false;
  }
  return is_tree;
}

std::vector<bool> fixed_leaves(const ElementSpec& spec) {
  std::vector<bool> fixed;
  if (!add_fixed(spec, &fixed)) fixed.clear();
  return fixed;
}

class RaggedBatchDataset final : public detail::CollectingBatch {
 public:
  RaggedBatchDataset(std::shared_ptr<const DatasetBase> input,
                     int64_t batch_size, const RaggedBatchOptions& options)
      : CollectingBatch(std::move(input), "ragged_batch", options.name,
                        batch_size, options.drop_remainder),
        fixed_(fixed_leaves(this->input().structure())) {}

  Element combine(const std::vector<Element>& elements) const override {
    size_t leaf = 0;
    return detail::combine_leaves(
        name(), elements, [this, &leaf](const std::vector<Array>& arrays) {
          if (is_fixed(leaf++) || arrays[0].rank() == 0) {
            return Element(systolic::stack(arrays));
          }
          check_rows(arrays);
          return Element(RaggedArray::from_rows(arrays));
        });
  }
  ElementSpec element_spec() const override {
    size_t leaf = 0;
    return batch_spec(input().element_spec(), &leaf);
  }
  ElementSpec structure() const override {
    size_t leaf = 0;
    return detail::is_static(input().structure())
               ? batch_spec(input().structure(), &leaf)
               : ElementSpec();
  }

 private:
  void check_rows(const std::vector<Array>& arrays) const {
    for (const Array& array : arrays) {
      for (int i = 1; i < array.rank(); ++i) {
        if (array.shape()[i] == arrays[0].shape()[i]) continue;
        internal::Message(name())
            .expected("elements that differ in their first axis only")
            .got(arrays[0].spec(), " and ", array.spec())
            .hint("padded_batch() fills up all axes")
            .raise<ShapeError>();
      }
    }
  }

  bool is_fixed(size_t leaf) const {
    return leaf < fixed_.size() && fixed_[leaf];
  }

  ElementSpec batch_spec(const ElementSpec& spec, size_t* leaf) const {
    if (spec.kind() == ElementKind::array) {
      const bool is_ragged = !is_fixed((*leaf)++) && spec.array() &&
                             spec.array()->shape.is_set() &&
                             spec.array()->shape.rank() > 0;
      return is_ragged ? ragged_spec(*spec.array(), batch_length())
                       : detail::batched_spec(spec, batch_length());
    }
    std::vector<ElementSpec> items;
    for (const ElementSpec& item : spec.items()) {
      items.push_back(batch_spec(item, leaf));
    }
    return detail::spec_like(spec, std::move(items));
  }

  // Of the elements' Arrays, depth first: lengths that are known beforehand do
  // not differ.
  const std::vector<bool> fixed_;
};

class SparseBatchDataset final : public detail::CollectingBatch {
 public:
  SparseBatchDataset(std::shared_ptr<const DatasetBase> input,
                     int64_t batch_size, const Shape& row_shape,
                     const SparseBatchOptions& options)
      : CollectingBatch(std::move(input), "sparse_batch", options.name,
                        batch_size, options.drop_remainder),
        row_shape_(row_shape) {}

  Element combine(const std::vector<Element>& elements) const override {
    return detail::combine_leaves(name(), elements,
                                  [this](const std::vector<Array>& arrays) {
                                    return Element(join(arrays));
                                  });
  }
  ElementSpec element_spec() const override {
    return batch_spec(input().element_spec());
  }
  ElementSpec structure() const override {
    return batch_spec(input().structure());
  }

 private:
  // All values, zeros too, as TensorFlow keeps them.
  SparseArray join(const std::vector<Array>& arrays) const {
    Shape shape = dense_shape(arrays);
    int64_t count = 0;
    for (const Array& array : arrays) count += array.size();
    std::vector<int64_t> indices;
    detail::ArrayWriter values({arrays[0].dtype(), {count}},
                               detail::zero_of(arrays[0].dtype()));
    int64_t written = 0;
    for (size_t row = 0; row < arrays.size(); ++row) {
      const Array& array = arrays[row];
      values.copy(array, 0, array.size(), written);
      written += array.size();
      std::vector<int64_t> place(static_cast<size_t>(array.rank()), 0);
      for (int64_t i = 0; i < array.size(); ++i) {
        indices.push_back(static_cast<int64_t>(row));
        indices.insert(indices.end(), place.begin(), place.end());
        for (size_t axis = place.size(); axis-- > 0;) {
          if (++place[axis] < array.shape()[static_cast<int>(axis)]) break;
          place[axis] = 0;
        }
      }
    }
    return SparseArray(Array::from(indices, {count, shape.rank()}),
                       values.finish(), Array::from(shape.dims()));
  }

  Shape dense_shape(const std::vector<Array>& arrays) const {
    Shape shape = row_shape_;
    for (const Array& array : arrays) {
      bool fits = array.rank() == row_shape_.rank();
      for (int i = 0; fits && i < array.rank(); ++i) {
        if (row_shape_[i] == -1) {
          shape.set(i, std::max(shape[i], array.shape()[i]));
        }
        fits = array.shape()[i] <= shape[i];
      }
      if (fits) continue;
      internal::Message(name())
          .expected("elements that fit into row_shape ", row_shape_)
          .got(array.spec())
          .raise<ShapeError>();
    }
    shape.insert(0, static_cast<int64_t>(arrays.size()));
    return shape;
  }

  ElementSpec batch_spec(const ElementSpec& spec) const {
    if (spec.kind() == ElementKind::array) {
      if (!spec.array()) return ElementSpec::any_dict();
      const int64_t rank = row_shape_.rank() + 1;
      return ElementSpec::dict(
          {{"dense_shape", ElementSpec(TensorSpec{DType::int64, {rank}})},
           {"indices", ElementSpec(TensorSpec{DType::int64, {-1, rank}})},
           {"values", ElementSpec(TensorSpec{spec.array()->dtype, {-1}})}});
    }
    std::vector<ElementSpec> items;
    for (const ElementSpec& item : spec.items()) {
      items.push_back(batch_spec(item));
    }
    return detail::spec_like(spec, std::move(items));
  }

  const Shape row_shape_;
};

}  // namespace

Dataset DatasetGrouping::ragged_batch(int64_t batch_size,
                                      const RaggedBatchOptions& options) const {
  return Dataset(
      std::make_shared<RaggedBatchDataset>(node(), batch_size, options));
}

Dataset DatasetGrouping::sparse_batch(int64_t batch_size,
                                      const Shape& row_shape,
                                      const SparseBatchOptions& options) const {
  return Dataset(std::make_shared<SparseBatchDataset>(node(), batch_size,
                                                      row_shape, options));
}

}  // namespace systolic::data
