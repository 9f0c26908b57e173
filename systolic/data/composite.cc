#include "systolic/data/composite.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "systolic/array/cast.h"
#include "systolic/array/manipulation.h"
#include "systolic/base/message.h"
#include "systolic/data/ragged_array.h"
#include "systolic/data/sparse_array.h"

namespace systolic::data::detail {
namespace {

bool is_int64(const TensorSpec& spec, int rank) {
  return spec.dtype == DType::int64 && spec.shape.is_set() &&
         spec.shape.rank() == rank;
}

// Splits may be int32, as parsed ones are.
bool is_splits(TensorSpec spec) {
  if (spec.dtype == DType::int32) spec.dtype = DType::int64;
  return is_int64(spec, 1);
}

// `spec_of` an Array's place is a pointer, null where it is unknown or none.
template <class Part, class SpecOf>
Composite kind_of(const Part& part, const SpecOf& spec_of) {
  if (part.kind() != ElementKind::dict) return Composite::none;
  const auto& keys = part.keys();
  const auto& items = part.items();
  const auto is_splits_item = [&](const Part& item) {
    const auto spec = spec_of(item);
    return spec && is_splits(*spec);
  };
  const auto matches = [&](const Part& item, int rank) {
    const auto spec = spec_of(item);
    return spec && is_int64(*spec, rank);
  };
  if (keys.size() == 2 && keys[0] == "row_splits" && keys[1] == "values") {
    const auto& splits = items[0].items();
    const bool fits = items[0].kind() == ElementKind::tuple &&
                      !splits.empty() && spec_of(items[1]) &&
                      std::ranges::all_of(splits, is_splits_item);
    return fits ? Composite::ragged : Composite::none;
  }
  if (keys.size() == 3 && keys[0] == "dense_shape" && keys[1] == "indices" &&
      keys[2] == "values" && matches(items[0], 1) && matches(items[1], 2)) {
    const auto values = spec_of(items[2]);
    const bool fits =
        values && values->shape.is_set() && values->shape.rank() == 1;
    return fits ? Composite::sparse : Composite::none;
  }
  return Composite::none;
}

[[noreturn]] void throw_differ(const std::string& who, const char* rule,
                               const Element& first, const Element& other) {
  internal::Message message(who);
  message.rule(rule).got(first.spec(), " and ", other.spec());
  if (first["values"].array().dtype() != other["values"].array().dtype()) {
    message.hint("cast them in map()").raise<TypeError>();
  }
  message.raise<ShapeError>();
}

// All of them as T, of one dtype and one `rank_of`.
template <class T, class RankOf>
std::vector<T> all_as(const std::string& who,
                      const std::vector<Element>& values,
                      const RankOf& rank_of) {
  std::vector<T> all;
  for (const Element& value : values) {
    if (composite_kind(value) != composite_kind(values[0])) {
      internal::Message(who)
          .rule("elements of one batch need the same tree")
          .got(values[0].spec(), " and ", value.spec())
          .raise<TypeError>();
    }
    all.push_back(value.to<T>());
    if (all.back().values().dtype() != all[0].values().dtype() ||
        rank_of(all.back()) != rank_of(all[0])) {
      throw_differ(who, "elements of one batch need equal dtypes and ranks",
                   values[0], value);
    }
  }
  return all;
}

DType splits_dtype(const Element& ragged) {
  return ragged["row_splits"].items()[0].array().dtype();
}

// The value as an element, with splits of `dtype`.
Element ragged_element(const RaggedArray& ragged, DType dtype) {
  Element element(ragged);
  if (dtype == DType::int64) return element;
  std::vector<Element> splits;
  for (const Array& axis : ragged.row_splits()) {
    splits.emplace_back(systolic::cast(axis, dtype));
  }
  return Element::dict({{"row_splits", Element::tuple(std::move(splits))},
                        {"values", ragged.values()}});
}

// The rows of all behind each other, under a new axis where it `stacks`.
Element join_ragged(const std::string& who, const std::vector<Element>& values,
                    bool stacks) {
  const auto all =
      all_as<RaggedArray>(who, values, [](const RaggedArray& value) {
        return std::pair(value.ragged_rank(), value.values().rank());
      });
  std::vector<Array> parts, splits;
  if (stacks) {
    std::vector<int64_t> outer{0};
    for (const RaggedArray& value : all) {
      outer.push_back(outer.back() + value.nrows());
    }
    splits.push_back(Array::from(outer));
  }
  for (size_t axis = 0; axis < all[0].row_splits().size(); ++axis) {
    std::vector<int64_t> joined{0};
    for (const RaggedArray& value : all) {
      const int64_t before = joined.back();
      for (int64_t split :
           value.row_splits()[axis].span<int64_t>().subspan(1)) {
        joined.push_back(before + split);
      }
    }
    splits.push_back(Array::from(joined));
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const Shape &shape = all[i].values().shape(),
                &first = all[0].values().shape();
    if (!std::ranges::equal(shape.dims().subspan(1), first.dims().subspan(1))) {
      throw_differ(who, "values of one batch need equal inner shapes",
                   values[0], values[i]);
    }
    parts.push_back(all[i].values());
  }
  return ragged_element(RaggedArray(systolic::concatenate(parts), splits),
                        splits_dtype(values[0]));
}

Element join_sparse(const std::string& who, const std::vector<Element>& values,
                    bool stacks) {
  const auto all = all_as<SparseArray>(
      who, values,
      [](const SparseArray& value) { return value.shape().rank(); });
  const auto rank = static_cast<size_t>(all[0].shape().rank());
  std::vector<int64_t> shape(rank, 0), indices;
  std::vector<Array> parts;
  int64_t rows = 0;
  for (const SparseArray& value : all) {
    const auto lengths = value.dense_shape().span<int64_t>();
    const auto places = value.indices().span<int64_t>();
    for (int64_t i = 0; i < value.values().size(); ++i) {
      const auto place = places.subspan(static_cast<size_t>(i) * rank, rank);
      if (stacks) indices.push_back(rows);
      indices.insert(indices.end(), place.begin(), place.end());
      if (!stacks) indices[indices.size() - rank] += rows;
    }
    for (size_t axis = 0; axis < rank; ++axis) {
      shape[axis] = std::max(shape[axis], lengths[axis]);
    }
    parts.push_back(value.values());
    rows += stacks ? 1 : lengths[0];
  }
  if (stacks) {
    shape.insert(shape.begin(), rows);
  } else {
    shape[0] = rows;
  }
  const Array joined = systolic::concatenate(parts);
  return Element(SparseArray(
      Array::from(indices, {joined.size(), static_cast<int64_t>(shape.size())}),
      joined, Array::from(shape)));
}

Element join(const std::string& who, const std::vector<Element>& values,
             bool stacks) {
  return composite_kind(values[0]) == Composite::ragged
             ? join_ragged(who, values, stacks)
             : join_sparse(who, values, stacks);
}

int64_t split_at(const Array& splits, int64_t index) {
  const auto i = static_cast<size_t>(index);
  return splits.dtype() == DType::int32 ? splits.span<int32_t>()[i]
                                        : splits.span<int64_t>()[i];
}

// Splits first ... first + count of an axis, from zero on, and what they
// divide: `first` and `count` of the axis below.
Array cut_splits(const Array& splits, int64_t* first, int64_t* count) {
  const int64_t begin = split_at(splits, *first);
  std::vector<int64_t> cut;
  for (int64_t i = 0; i <= *count; ++i) {
    cut.push_back(split_at(splits, *first + i) - begin);
  }
  *first = begin;
  *count = cut.back();
  return Array::from(cut);
}

Element ragged_block(const Element& value, int64_t first, int64_t count) {
  std::vector<Array> splits;
  for (const Element& axis : value["row_splits"].items()) {
    splits.push_back(cut_splits(axis.array(), &first, &count));
  }
  const Array& values = value["values"].array();
  return ragged_element(
      RaggedArray(values[{Slice(first, first + count)}], std::move(splits)),
      splits_dtype(value));
}

// Without the first axis, where only one of it is wanted.
Element sparse_block(const Element& value, int64_t first, int64_t count,
                     bool keeps_axis) {
  const Array &indices = value["indices"].array(),
              &values = value["values"].array();
  const auto places = indices.span<int64_t>();
  const auto rank = static_cast<size_t>(indices.shape()[1]);
  const auto begin_of = [&](int64_t row) {
    int64_t low = 0, high = indices.shape()[0];
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (places[static_cast<size_t>(middle) * rank] < row) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  const int64_t begin = begin_of(first), end = begin_of(first + count);
  std::vector<int64_t> cut;
  for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
    if (keeps_axis) cut.push_back(places[i * rank] - first);
    for (size_t axis = 1; axis < rank; ++axis) {
      cut.push_back(places[i * rank + axis]);
    }
  }
  const auto all = value["dense_shape"].array().span<int64_t>();
  std::vector<int64_t> shape(all.begin() + 1, all.end());
  if (keeps_axis) shape.insert(shape.begin(), count);
  return Element(SparseArray(
      Array::from(cut, {end - begin, static_cast<int64_t>(shape.size())}),
      values[{Slice(begin, end)}], Array::from(shape)));
}

// How many values there are differs between composites of one kind.
TensorSpec unknown_rows(const ElementSpec& values) {
  TensorSpec spec = *values.array();
  if (spec.shape.is_set() && spec.shape.rank() > 0) spec.shape.set(0, -1);
  return spec;
}

}  // namespace

Composite composite_kind(const Element& element) {
  return kind_of(element, [](const Element& item) {
    return item.is_array() && item.array().is_set()
               ? std::optional(item.array().spec())
               : std::nullopt;
  });
}

Composite composite_kind(const ElementSpec& spec) {
  return kind_of(spec, [](const ElementSpec& item) { return item.array(); });
}

bool has_composite(const Element& element) {
  return composite_kind(element) != Composite::none ||
         std::ranges::any_of(element.items(), has_composite);
}

Element stack_composites(const std::string& who,
                         const std::vector<Element>& values) {
  return join(who, values, true);
}

Element concatenate_composites(const std::string& who,
                               const std::vector<Element>& values) {
  return join(who, values, false);
}

int64_t composite_rows(const std::string& who, const Element& value) {
  if (composite_kind(value) == Composite::ragged) {
    return value.to<RaggedArray>().nrows();
  }
  const SparseArray sparse = value.to<SparseArray>();
  if (sparse.shape().rank() < 2) {
    internal::Message(who)
        .expected("a sparse value of at least two axes, to take rows of")
        .got(sparse.shape())
        .hint("to_dense() in map() makes an Array of it")
        .raise<ValueError>();
  }
  const auto places = sparse.indices().span<int64_t>();
  const auto rank = static_cast<size_t>(sparse.shape().rank());
  for (size_t i = rank; i < places.size(); i += rank) {
    if (places[i] >= places[i - rank]) continue;
    internal::Message(who)
        .expected("indices of a sparse value sorted by their first axis")
        .got(places[i - rank], " before ", places[i])
        .detail("value", i / rank)
        .raise<ValueError>();
  }
  return sparse.shape()[0];
}

Element composite_row(const Element& value, int64_t index) {
  if (composite_kind(value) == Composite::sparse) {
    return sparse_block(value, index, 1, false);
  }
  const auto axes = value["row_splits"].items();
  if (axes.size() == 1) {
    const Array& splits = axes[0].array();
    return Element(value["values"].array()[{
        Slice(split_at(splits, index), split_at(splits, index + 1))}]);
  }
  const RaggedArray row = ragged_block(value, index, 1).to<RaggedArray>();
  std::vector<Array> splits(row.row_splits().begin() + 1,
                            row.row_splits().end());
  return ragged_element(RaggedArray(row.values(), std::move(splits)),
                        splits_dtype(value));
}

Element composite_block(const Element& value, int64_t first, int64_t count) {
  return composite_kind(value) == Composite::ragged
             ? ragged_block(value, first, count)
             : sparse_block(value, first, count, true);
}

ElementSpec batched_composite(const ElementSpec& spec, int64_t length) {
  const TensorSpec values = unknown_rows(spec.items().back());
  if (composite_kind(spec) == Composite::sparse) {
    Shape axes = spec.items()[0].array()->shape;
    if (axes[0] >= 0) axes.set(0, axes[0] + 1);
    const TensorSpec indices{DType::int64, {-1, axes[0]}};
    return ElementSpec::dict({{"dense_shape", TensorSpec{DType::int64, axes}},
                              {"indices", indices},
                              {"values", values}});
  }
  const DType dtype = spec.items()[0].items()[0].array()->dtype;
  const auto splits_of = [dtype](int64_t rows) {
    return ElementSpec(TensorSpec{dtype, Shape{rows < 0 ? -1 : rows + 1}});
  };
  std::vector<ElementSpec> splits{splits_of(length)};
  splits.resize(spec.items()[0].items().size() + 1, splits_of(-1));
  return ElementSpec::dict(
      {{"row_splits", ElementSpec::tuple(std::move(splits))},
       {"values", values}});
}

ElementSpec composite_row_spec(const ElementSpec& spec) {
  const TensorSpec values = unknown_rows(spec.items().back());
  if (composite_kind(spec) == Composite::sparse) {
    Shape axes = spec.items()[0].array()->shape;
    if (axes[0] > 0) axes.set(0, axes[0] - 1);
    const TensorSpec indices{DType::int64, {-1, axes[0]}};
    return ElementSpec::dict({{"dense_shape", TensorSpec{DType::int64, axes}},
                              {"indices", indices},
                              {"values", values}});
  }
  const size_t axes = spec.items()[0].items().size() - 1;
  if (axes == 0) return values;
  const TensorSpec unknown{spec.items()[0].items()[0].array()->dtype, {-1}};
  return ElementSpec::dict(
      {{"row_splits",
        ElementSpec::tuple(std::vector<ElementSpec>(axes, unknown))},
       {"values", values}});
}

}  // namespace systolic::data::detail
