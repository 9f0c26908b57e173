// Tested by: systolic/records/parse_example_test.cc
#include "systolic/records/feature_builder.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/element_origin.h"
#include "systolic/data/ragged_array.h"
#include "systolic/data/sparse_array.h"
#include "systolic/records/ragged_rows.h"

namespace systolic::data::detail {
namespace {

using internal::concatenate_text;

std::string count_text(int64_t count, std::string_view kind) {
  return concatenate_text(count, " ", kind, count == 1 ? " value" : " values");
}

int64_t longest(const std::vector<int64_t>& lengths) {
  return lengths.empty() ? 0
                         : *std::max_element(lengths.begin(), lengths.end());
}

class FixedBuilder final : public FeatureBuilder {
 public:
  FixedBuilder(const std::string& name, const FixedLenFeature& feature)
      : name_(name),
        feature_(feature),
        elements_(feature.shape.elements()),
        column_(feature.dtype) {}

  void add(const ExampleView& example) override {
    ++rows_;
    if (feature_.dtype == DType::string) from_ = example.from;
    const FeatureValues values = example.values(name_, feature_.dtype);
    const int64_t count = column_.append(values, example.what);
    if (count == elements_) return;
    if (count == 0 && feature_.default_value.is_set()) {
      append_default();
      return;
    }
    const std::string kind(name(kind_of(feature_.dtype)));
    example.fail(
        name_,
        concatenate_text(count_text(elements_, kind), " (shape ",
                         feature_.shape, ")"),
        count == 0 ? "none, and it has no default" : count_text(count, kind));
  }

  Element finish(bool batched) override {
    Shape shape = feature_.shape;
    if (batched) shape.insert(0, rows_);
    Array array = column_.take(shape);
    // So that what is wrong with a picture in it is told by file and record.
    const auto origin =
        batched || shape.rank() > 0 ? std::nullopt : origin_of(from_);
    if (!origin) return Element(std::move(array));
    return Element(
        with_origin(std::move(array.mutable_span<std::string>()[0]), *origin));
  }

 private:
  void append_default() {
    if (feature_.default_value.rank() == 0) {
      column_.append_fill(feature_.default_value, elements_);
    } else {
      column_.append_array(feature_.default_value);
    }
  }

  const std::string& name_;
  const FixedLenFeature& feature_;
  const int64_t elements_;
  ValueColumn column_;
  Array from_;  // the last Example's; of strings only
  int64_t rows_ = 0;
};

class VarLenBuilder final : public FeatureBuilder {
 public:
  VarLenBuilder(const std::string& name, const VarLenFeature& feature)
      : name_(name), column_(feature.dtype) {}

  void add(const ExampleView& example) override {
    const FeatureValues values = example.values(name_, column_.dtype());
    lengths_.push_back(column_.append(values, example.what));
  }

  Element finish(bool batched) override {
    std::vector<int64_t> indices;
    for (size_t row = 0; row < lengths_.size(); ++row) {
      for (int64_t i = 0; i < lengths_[row]; ++i) {
        if (batched) indices.push_back(static_cast<int64_t>(row));
        indices.push_back(i);
      }
    }
    const int64_t count = column_.size();
    std::vector<int64_t> shape;
    if (batched) shape.push_back(static_cast<int64_t>(lengths_.size()));
    shape.push_back(longest(lengths_));
    return Element(SparseArray(Array::from(indices, {count, batched ? 2 : 1}),
                               column_.take({count}), Array::from(shape)));
  }

 private:
  const std::string& name_;
  ValueColumn column_;
  std::vector<int64_t> lengths_;
};

class SparseBuilder final : public FeatureBuilder {
 public:
  SparseBuilder(const std::string& name, const SparseFeature& feature)
      : name_(name), feature_(feature), column_(feature.dtype) {}

  void add(const ExampleView& example) override {
    const FeatureValues values =
        example.values(feature_.value_key, feature_.dtype);
    ValueColumn row(feature_.dtype);
    const int64_t count = row.append(values, example.what);
    std::vector<ValueColumn> places;
    for (size_t axis = 0; axis < feature_.index_key.size(); ++axis) {
      places.push_back(read_axis(example, axis, count));
    }
    std::vector<int64_t> order(static_cast<size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    if (!feature_.already_sorted) {
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        for (const ValueColumn& axis : places) {
          const int64_t x = axis.ints()[static_cast<size_t>(a)];
          const int64_t y = axis.ints()[static_cast<size_t>(b)];
          if (x != y) return x < y;
        }
        return false;
      });
      row.reorder(order);
    }
    for (const int64_t i : order) {
      rows_of_.push_back(rows_);
      for (const ValueColumn& axis : places) {
        indices_.push_back(axis.ints()[static_cast<size_t>(i)]);
      }
    }
    column_.append_array(row.take({count}));
    ++rows_;
  }

  Element finish(bool batched) override {
    const size_t axes = feature_.size.size();
    const auto count = column_.size();
    std::vector<int64_t> indices = std::move(indices_);
    std::vector<int64_t> shape = feature_.size;
    if (batched) {
      std::vector<int64_t> with_rows;
      for (size_t i = 0; i < rows_of_.size(); ++i) {
        with_rows.push_back(rows_of_[i]);
        with_rows.insert(with_rows.end(), indices.begin() + i * axes,
                         indices.begin() + (i + 1) * axes);
      }
      indices = std::move(with_rows);
      shape.insert(shape.begin(), rows_);
    }
    const auto rank = static_cast<int64_t>(shape.size());
    return Element(SparseArray(Array::from(indices, {count, rank}),
                               column_.take({count}), Array::from(shape)));
  }

 private:
  // The places of one axis. Throws unless they are as many as the values, and
  // within the size.
  ValueColumn read_axis(const ExampleView& example, size_t axis,
                        int64_t count) const {
    const std::string& key = feature_.index_key[axis];
    ValueColumn places(DType::int64);
    const int64_t found =
        places.append(example.values(key, DType::int64), example.what);
    if (found != count) {
      example.fail(key,
                   concatenate_text("an index for each of the ", count,
                                    " values of \"", feature_.value_key, "\""),
                   concatenate_text(found));
    }
    for (const int64_t place : places.ints()) {
      if (place < 0 || place >= feature_.size[axis]) {
        example.fail(
            key,
            concatenate_text("indices from 0 below ", feature_.size[axis],
                             ", the size of \"", name_, "\""),
            concatenate_text(place));
      }
    }
    return places;
  }

  const std::string& name_;
  const SparseFeature& feature_;
  ValueColumn column_;
  std::vector<int64_t> indices_;  // of all axes but the batch
  std::vector<int64_t> rows_of_;
  int64_t rows_ = 0;
};

class RaggedBuilder final : public FeatureBuilder {
 public:
  RaggedBuilder(const std::string& name, const RaggedFeature& feature)
      : name_(name),
        key_(feature.value_key.empty() ? name : feature.value_key),
        feature_(feature),
        column_(feature.dtype),
        levels_(feature.partitions.size()) {
    while (!levels_.empty() && feature.partitions[levels_.size() - 1].kind ==
                                   RaggedPartition::Kind::uniform_row_length) {
      uniform_.insert(0, feature.partitions[levels_.size() - 1].length);
      levels_.pop_back();
    }
  }

  void add(const ExampleView& example) override {
    int64_t count =
        column_.append(example.values(key_, feature_.dtype), example.what);
    // From the innermost rows outwards: each level counts the one below.
    for (size_t level = feature_.partitions.size(); level-- > 0;) {
      const std::vector<int64_t> lengths =
          row_lengths(example, key_, feature_.partitions[level], count);
      if (level < levels_.size()) {
        levels_[level].insert(levels_[level].end(), lengths.begin(),
                              lengths.end());
      }
      count = static_cast<int64_t>(lengths.size());
    }
    rows_.push_back(count);
  }

  Element finish(bool batched) override {
    std::vector<Array> splits;
    if (batched) splits.push_back(splits_of(rows_));
    for (const std::vector<int64_t>& level : levels_) {
      splits.push_back(splits_of(level));
    }
    Shape shape = uniform_;
    shape.insert(0, column_.size() / uniform_.elements());
    Array values = column_.take(shape);
    if (splits.empty()) return Element(std::move(values));
    return ragged_element(name_,
                          RaggedArray(std::move(values), std::move(splits)),
                          feature_.row_splits_dtype);
  }

 private:
  const std::string& name_;
  const std::string& key_;
  const RaggedFeature& feature_;
  ValueColumn column_;
  std::vector<std::vector<int64_t>> levels_;  // lengths, outermost first
  Shape uniform_ = Shape::scalar();           // the axes of one value
  std::vector<int64_t> rows_;                 // of each Example
};

class SequenceBuilder final : public FeatureBuilder {
 public:
  SequenceBuilder(const std::string& name,
                  const FixedLenSequenceFeature& feature)
      : name_(name), feature_(feature), column_(feature.dtype) {
    if (!feature.allow_missing) {
      internal::Message("feature \"" + name + "\"")
          .expected(
              "a FixedLenSequenceFeature of an Example to have "
              "allow_missing = true")
          .got("false")
          .raise<ValueError>();
    }
  }

  void add(const ExampleView& example) override {
    const FeatureValues values = example.values(name_, feature_.dtype);
    const int64_t count = column_.append(values, example.what);
    const int64_t step = feature_.shape.elements();
    if (count % step != 0) {
      const std::string kind(name(kind_of(feature_.dtype)));
      example.fail(name_,
                   concatenate_text("whole steps of ", count_text(step, kind),
                                    " (shape ", feature_.shape, ")"),
                   count_text(count, kind));
    }
    lengths_.push_back(count / step);
  }

  Element finish(bool batched) override {
    if (batched) {
      return Element(
          pad_rows(&column_, lengths_, feature_.shape, feature_.default_value));
    }
    Shape shape = feature_.shape;
    shape.insert(0, lengths_[0]);
    return Element(column_.take(shape));
  }

 private:
  const std::string& name_;
  const FixedLenSequenceFeature& feature_;
  ValueColumn column_;
  std::vector<int64_t> lengths_;
};

}  // namespace

FeatureValues ExampleView::values(const std::string& key, DType dtype) const {
  const auto at = std::lower_bound(keys->begin(), keys->end(), key);
  const KeyedMessage& message = found[static_cast<size_t>(at - keys->begin())];
  if (!message.present) return {};
  FeatureValues values = parse_feature(message.value, what);
  if (values.kind != ValueKind::none && values.kind != kind_of(dtype)) {
    fail(key, concatenate_text(name(kind_of(dtype)), " values"),
         count_text(values.count(what), name(values.kind)));
  }
  return values;
}

void ExampleView::fail(std::string_view key, const std::string& expected,
                       const std::string& got) const {
  internal::Message message{std::string(what.who)};
  const std::string origin = from.is_set() ? origin_text(from, row) : "";
  message
      .expected(lists ? "feature list \"" : "feature \"", key, "\" to have ",
                expected)
      .got(got);
  if (!origin.empty()) message.detail("from", origin);
  if (row >= 0) message.detail("in the batch", "record ", row);
  message
      .detail("there are",
              lists ? feature_lists_text(features) : features_text(features))
      .raise<DataError>();
}

std::unique_ptr<FeatureBuilder> make_builder(const std::string& name,
                                             const Feature& feature) {
  using Builder = std::unique_ptr<FeatureBuilder>;
  struct Make {
    const std::string& name;
    Builder operator()(const FixedLenFeature& f) const {
      return std::make_unique<FixedBuilder>(name, f);
    }
    Builder operator()(const VarLenFeature& f) const {
      return std::make_unique<VarLenBuilder>(name, f);
    }
    Builder operator()(const SparseFeature& f) const {
      return std::make_unique<SparseBuilder>(name, f);
    }
    Builder operator()(const RaggedFeature& f) const {
      return std::make_unique<RaggedBuilder>(name, f);
    }
    Builder operator()(const FixedLenSequenceFeature& f) const {
      return std::make_unique<SequenceBuilder>(name, f);
    }
  };
  return std::visit(Make{name}, feature);
}

Array pad_rows(ValueColumn* column, const std::vector<int64_t>& lengths,
               const Shape& step, const Array& fill) {
  const int64_t most = longest(lengths);
  const int64_t size = step.elements();
  Shape shape = step;
  shape.insert(0, most);
  shape.insert(0, static_cast<int64_t>(lengths.size()));
  const Array all = column->take({column->size()});
  ValueColumn padded(column->dtype());
  int64_t start = 0;
  for (const int64_t length : lengths) {
    padded.append_array(all[Slice(start, start + length * size)]);
    padded.append_fill(fill, (most - length) * size);
    start += length * size;
  }
  return padded.take(shape);
}

}  // namespace systolic::data::detail
