// Batches of elements that differ: padded, ragged and sparse ones are made of
// some elements at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "systolic/data/dataset_base.h"

namespace systolic::data::detail {

// The tree of `elements`, at least one, with `combine` of the Arrays that they
// have at each leaf. Throws TypeError, naming `who`, when their trees or
// dtypes differ, ShapeError when ranks do. RaggedArrays and SparseArrays are
// leaves too, for `combine_composites`; without it they are a TypeError.
Element combine_leaves(
    const std::string& who, const std::vector<Element>& elements,
    const std::function<Element(const std::vector<Array>&)>& combine,
    const std::function<Element(const std::vector<Element>&)>&
        combine_composites = nullptr);

// Collects batch_size elements, the last time perhaps fewer, and makes one.
class CollectingBatch : public TransformBase {
 public:
  // Throws ValueError for a batch_size below 1.
  CollectingBatch(std::shared_ptr<const DatasetBase> input, std::string kind,
                  const std::string& user_name, int64_t batch_size,
                  bool drop_remainder);

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const final;
  int64_t cardinality() const final;
  std::string parameters() const override;

  // One element of `elements`, at least one.
  virtual Element combine(const std::vector<Element>& elements) const = 0;

 protected:
  // The number of elements of every batch, or -1 where it may differ.
  int64_t batch_length() const;

 private:
  const int64_t batch_size_;
  const bool drop_remainder_;
};

}  // namespace systolic::data::detail
