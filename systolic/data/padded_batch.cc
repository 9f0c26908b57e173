// padded_batch(): elements of different lengths, filled up and stacked.
#include <algorithm>
#include <utility>

#include "systolic/array/cast.h"
#include "systolic/base/message.h"
#include "systolic/data/array_rows.h"
#include "systolic/data/collecting_batch.h"
#include "systolic/data/dataset.h"
#include "systolic/data/spec_tree.h"

namespace systolic::data {
namespace {

// The Arrays of a tree, in their order.
void collect_leaves(const Element& tree, std::vector<Array>* leaves) {
  if (tree.is_array()) leaves->push_back(tree.array());
  for (const Element& item : tree.items()) collect_leaves(item, leaves);
}

std::vector<Array> leaves_of(const std::optional<Element>& tree) {
  std::vector<Array> leaves;
  if (tree) collect_leaves(*tree, &leaves);
  return leaves;
}

int64_t count_leaves(const ElementSpec& spec) {
  if (spec.kind() == ElementKind::array) return 1;
  int64_t count = 0;
  for (const ElementSpec& item : spec.items()) count += count_leaves(item);
  return count;
}

class PaddedBatchDataset final : public detail::CollectingBatch {
 public:
  PaddedBatchDataset(std::shared_ptr<const DatasetBase> input,
                     int64_t batch_size, const PaddedBatchOptions& options)
      : CollectingBatch(std::move(input), "padded_batch", options.name,
                        batch_size, options.drop_remainder),
        shapes_(leaves_of(options.padded_shapes)),
        values_(leaves_of(options.padding_values)) {
    const ElementSpec structure = this->input().structure();
    if (!structure.is_complete()) return;  // the first batch shows it
    const auto count = static_cast<size_t>(count_leaves(structure));
    check_count("padded_shapes", shapes_, count, structure);
    if (values_.size() != 1) {
      check_count("padding_values", values_, count, structure);
    }
  }

  Element combine(const std::vector<Element>& elements) const override {
    size_t leaf = 0;
    return detail::combine_leaves(
        name(), elements, [&](const std::vector<Array>& arrays) {
          return Element(pad(arrays, leaf++, elements[0]));
        });
  }
  ElementSpec element_spec() const override {
    return padded_spec(input().element_spec());
  }
  ElementSpec structure() const override {
    return padded_spec(input().structure());
  }

 private:
  void check_count(const char* option, const std::vector<Array>& given,
                   size_t count, const ElementSpec& elements) const {
    if (given.empty() || given.size() == count) return;
    internal::Message(name())
        .expected(option, " for ", count, count == 1 ? " Array" : " Arrays")
        .got(given.size())
        .detail("elements", elements)
        .raise<ValueError>();
  }

  Array pad(const std::vector<Array>& arrays, size_t leaf,
            const Element& element) const {
    Shape shape = target_shape(arrays, leaf, element);
    shape.insert(0, static_cast<int64_t>(arrays.size()));
    const DType dtype = arrays[0].dtype();
    detail::ArrayWriter writer({dtype, shape}, fill_value(dtype, leaf));
    for (size_t i = 0; i < arrays.size(); ++i) {
      writer.copy_corner(arrays[i], static_cast<int64_t>(i));
    }
    return writer.finish();
  }

  // What all rows are filled up to: the longest, where nothing else is asked.
  Shape target_shape(const std::vector<Array>& arrays, size_t leaf,
                     const Element& element) const {
    Shape longest = arrays[0].shape();
    for (const Array& array : arrays) {
      for (int i = 0; i < longest.rank(); ++i) {
        longest.set(i, std::max(longest[i], array.shape()[i]));
      }
    }
    if (shapes_.empty()) return longest;
    if (leaf >= shapes_.size() || shapes_[leaf].size() != longest.rank()) {
      internal::Message(name())
          .expected("padded_shapes with a length for each axis")
          .got(leaf < shapes_.size() ? shapes_[leaf].to_string() : "none")
          .detail("elements", element.spec())
          .raise<ShapeError>();
    }
    Shape wanted = longest;
    const Array lengths = cast<int64_t>(shapes_[leaf]);
    for (int i = 0; i < longest.rank(); ++i) {
      const int64_t length = lengths.span<int64_t>()[static_cast<size_t>(i)];
      if (length < 0) continue;
      wanted.set(i, length);
      if (length >= longest[i]) continue;
      internal::Message(name())
          .expected("no element longer than padded_shapes ",
                    shapes_[leaf].to_string())
          .got("one of ", longest[i], " on axis ", i)
          .hint("cut the elements in map(), or ask for -1: the longest")
          .raise<ShapeError>();
    }
    return wanted;
  }

  Array fill_value(DType dtype, size_t leaf) const {
    if (values_.empty()) return detail::zero_of(dtype);
    const Array& value = values_.size() == 1
                             ? values_[0]
                             : values_[std::min(leaf, values_.size() - 1)];
    const bool same_kind =
        (value.dtype() == DType::string) == (dtype == DType::string);
    if (value.size() == 1 && same_kind) {
      Array fill = cast(value, dtype);
      if (is_kept(value, fill)) return fill;
    }
    internal::Message(name())
        .expected("a padding value of ", systolic::name(dtype), "[]")
        .got(value.spec(), value.size() == 1 ? " of " + value.to_string() : "")
        .raise<TypeError>();
  }

  // Whether a scalar is the same in another dtype; a float may be rounded.
  static bool is_kept(const Array& value, const Array& fill) {
    if (value.dtype() == fill.dtype()) return true;
    if (is_floating(value.dtype()) && is_floating(fill.dtype())) return true;
    if (is_complex(fill.dtype())) return true;
    if (is_complex(value.dtype())) return false;
    return cast<double>(value).item<double>() ==
           cast<double>(fill).item<double>();
  }

  ElementSpec padded_spec(const ElementSpec& spec) const {
    const bool lengths_are_known = input().structure().is_complete();
    // Otherwise it is not known which leaf a shape is of.
    const bool leaves_are_known = spec.is_complete();
    size_t leaf = 0;
    return detail::map_leaves(
        detail::batched_spec(spec, batch_length()),
        [&](const TensorSpec& batch) {
          TensorSpec padded = batch;
          const size_t own = leaf++;
          for (int i = 1; i < batch.shape.rank(); ++i) {
            if (!lengths_are_known) padded.shape.set(i, -1);
            if (!leaves_are_known) continue;
            if (own >= shapes_.size() || i > shapes_[own].size()) continue;
            const Array lengths = cast<int64_t>(shapes_[own]);
            padded.shape.set(
                i, lengths.span<int64_t>()[static_cast<size_t>(i - 1)]);
          }
          return padded;
        });
  }

  const std::vector<Array> shapes_;
  const std::vector<Array> values_;
};

}  // namespace

Dataset DatasetGrouping::padded_batch(int64_t batch_size,
                                      const PaddedBatchOptions& options) const {
  return Dataset(
      std::make_shared<PaddedBatchDataset>(node(), batch_size, options));
}

}  // namespace systolic::data
