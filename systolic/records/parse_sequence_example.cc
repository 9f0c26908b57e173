// parse_sequence_example() and parse_single_sequence_example().
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/base/message.h"
#include "systolic/data/origin_scope.h"
#include "systolic/data/ragged_array.h"
#include "systolic/data/sparse_array.h"
#include "systolic/records/example_parser.h"
#include "systolic/records/parse_example.h"
#include "systolic/records/ragged_rows.h"

namespace systolic::data {
namespace {

using detail::ExampleView;
using detail::FeatureValues;
using internal::concatenate_text;
using internal::WireMessage;

constexpr const char* kExpected = "a serialized tf.train.SequenceExample";
constexpr WireMessage kSingle{"parse_single_sequence_example", kExpected};
constexpr WireMessage kBatch{"parse_sequence_example", kExpected};

// Fields of SequenceExample, and of FeatureList.
constexpr int kContext = 1;
constexpr int kFeatureLists = 2;
constexpr int kStep = 1;

int64_t longest(const std::vector<int64_t>& lengths) {
  return lengths.empty() ? 0
                         : *std::max_element(lengths.begin(), lengths.end());
}

DType dtype_of_steps(const std::string& name, const Feature& feature) {
  if (const auto* f = std::get_if<FixedLenSequenceFeature>(&feature)) {
    return f->dtype;
  }
  if (const auto* f = std::get_if<VarLenFeature>(&feature)) return f->dtype;
  internal::Message("feature list \"" + name + "\"")
      .expected("FixedLenSequenceFeature, VarLenFeature or RaggedFeature")
      .got("another feature")
      .raise<TypeError>();
}

// The place of a key among those of the view.
size_t place_of(const ExampleView& example, const std::string& key) {
  const auto& keys = *example.keys;
  return static_cast<size_t>(std::lower_bound(keys.begin(), keys.end(), key) -
                             keys.begin());
}

// Calls `visit` with each step of a feature list: a message Feature.
template <class F>
void each_step(const ExampleView& example, const detail::KeyedMessage& list,
               const F& visit) {
  if (!list.present) return;
  list.value.each([&](std::string_view piece) {
    detail::each_field(piece, example.what,
                       [&](int field, std::string_view step) {
                         if (field == kStep) visit(step);
                       });
  });
}

// Collects one feature list of one or many SequenceExamples.
class ListBuilder {
 public:
  virtual ~ListBuilder() = default;

  virtual void add(const ExampleView& example) = 0;
  virtual Element finish(bool batched) = 0;
  // The numbers of steps, of those whose result does not show them.
  virtual std::optional<Array> lengths() const { return std::nullopt; }
};

// Of fixed or any numbers of values a step.
class PlainList final : public ListBuilder {
 public:
  PlainList(const std::string& name, const Feature& feature)
      : key_(name),
        fixed_(std::get_if<FixedLenSequenceFeature>(&feature)),
        column_(dtype_of_steps(name, feature)) {}

  void add(const ExampleView& example) override {
    const detail::KeyedMessage& list = example.found[place_of(example, key_)];
    if (!list.present && fixed_ != nullptr && !fixed_->allow_missing) {
      example.fail(key_, "steps", "none, and allow_missing is false");
    }
    const size_t before = counts_.size();
    each_step(example, list,
              [&](std::string_view step) { add_step(example, step); });
    steps_.push_back(static_cast<int64_t>(counts_.size() - before));
  }

  Element finish(bool batched) override {
    if (fixed_ != nullptr) {
      if (batched) {
        return Element(detail::pad_rows(&column_, steps_, fixed_->shape,
                                        fixed_->default_value));
      }
      Shape shape = fixed_->shape;
      shape.insert(0, steps_[0]);
      return Element(column_.take(shape));
    }
    return finish_sparse(batched);
  }

  std::optional<Array> lengths() const override {
    if (fixed_ == nullptr) return std::nullopt;
    return Array::from(steps_);
  }

 private:
  void add_step(const ExampleView& example, std::string_view step) {
    detail::WirePieces pieces;
    pieces.add(step, /*is_first=*/true);
    const FeatureValues values = detail::parse_feature(pieces, example.what);
    const auto wanted = detail::kind_of(column_.dtype());
    if (values.kind != detail::ValueKind::none && values.kind != wanted) {
      example.fail(key_, concatenate_text(name(wanted), " values"),
                   std::string(name(values.kind)));
    }
    const int64_t count = column_.append(values, example.what);
    if (fixed_ != nullptr && count != fixed_->shape.elements()) {
      example.fail(key_,
                   concatenate_text("steps of ", fixed_->shape.elements(),
                                    " values (shape ", fixed_->shape, ")"),
                   concatenate_text(count, " in one"));
    }
    counts_.push_back(count);
  }

  Element finish_sparse(bool batched) {
    std::vector<int64_t> indices;
    size_t at = 0;
    for (size_t row = 0; row < steps_.size(); ++row) {
      for (int64_t step = 0; step < steps_[row]; ++step) {
        const int64_t count = counts_[at++];
        for (int64_t i = 0; i < count; ++i) {
          if (batched) indices.push_back(static_cast<int64_t>(row));
          indices.push_back(step);
          indices.push_back(i);
        }
      }
    }
    std::vector<int64_t> shape{longest(steps_), longest(counts_)};
    if (batched) {
      shape.insert(shape.begin(), static_cast<int64_t>(steps_.size()));
    }
    const int64_t size = column_.size();
    return Element(SparseArray(
        Array::from(indices, {size, static_cast<int64_t>(shape.size())}),
        column_.take({size}), Array::from(shape)));
  }

  const std::string& key_;
  const FixedLenSequenceFeature* fixed_;
  detail::ValueColumn column_;
  std::vector<int64_t> steps_;   // of each example
  std::vector<int64_t> counts_;  // of values, of each step of all examples
};

// Of rows of different lengths: each step is cut as an Example is.
class RaggedList final : public ListBuilder {
 public:
  RaggedList(const std::string& name, const Feature& feature)
      : name_(name),
        feature_(std::get<RaggedFeature>(feature)),
        rows_(detail::make_builder(name, feature)) {}

  void add(const ExampleView& example) override {
    const std::string& key =
        feature_.value_key.empty() ? name_ : feature_.value_key;
    std::vector<Steps> lists{steps_of(example, key)};
    const size_t count = lists[0].steps.size();
    for (const RaggedPartition& partition : feature_.partitions) {
      if (partition.kind == RaggedPartition::Kind::uniform_row_length) continue;
      lists.push_back(steps_of(example, partition.key));
      if (lists.back().steps.size() == count) continue;
      example.fail(partition.key,
                   concatenate_text("the ", count, " steps of \"", key, "\""),
                   concatenate_text(lists.back().steps.size()));
    }
    ExampleView one = example;
    one.found.assign(example.found.size(), {});
    for (size_t i = 0; i < count; ++i) {
      for (const Steps& list : lists) {
        one.found[list.place].present = true;
        one.found[list.place].value.add(list.steps[i], /*is_first=*/true);
      }
      rows_->add(one);
    }
    steps_.push_back(static_cast<int64_t>(count));
  }

  Element finish(bool batched) override {
    Element rows = rows_->finish(/*batched=*/true);
    if (!batched) return rows;
    const auto ragged = std::move(rows).to<RaggedArray>();
    std::vector<Array> splits = ragged.row_splits();
    splits.insert(splits.begin(), detail::splits_of(steps_));
    return detail::ragged_element(name_, RaggedArray(ragged.values(), splits),
                                  feature_.row_splits_dtype);
  }

 private:
  // The steps of the key at `place`.
  struct Steps {
    size_t place;
    std::vector<std::string_view> steps;
  };

  static Steps steps_of(const ExampleView& example, const std::string& key) {
    Steps list{place_of(example, key), {}};
    each_step(example, example.found[list.place],
              [&](std::string_view step) { list.steps.push_back(step); });
    return list;
  }

  const std::string& name_;
  const RaggedFeature& feature_;
  const std::unique_ptr<detail::FeatureBuilder> rows_;
  std::vector<int64_t> steps_;  // of each SequenceExample
};

std::unique_ptr<ListBuilder> make_list(const std::string& name,
                                       const Feature& feature) {
  if (std::holds_alternative<RaggedFeature>(feature)) {
    return std::make_unique<RaggedList>(name, feature);
  }
  return std::make_unique<PlainList>(name, feature);
}

class SequenceParser {
 public:
  SequenceParser(const WireMessage& what, const Features& context,
                 const Features& sequence)
      : what_(what), context_(what, context), sequence_(sequence) {
    builders_.reserve(sequence.items().size());
    for (const auto& [name, feature] : sequence.items()) {
      builders_.push_back(make_list(name, feature));
    }
  }

  void add(std::string_view serialized, int64_t row, const Array& from) {
    try {
      split_and_add(serialized, row, from);
    } catch (const internal::WireError& error) {
      detail::throw_placed(error, row, from);
    }
  }

  Element context(bool batched) { return context_.finish(batched); }
  Element sequence(bool batched) {
    std::vector<Element> items;
    for (const auto& builder : builders_) {
      items.push_back(builder->finish(batched));
    }
    return Element::like(sequence_.names(), std::move(items));
  }
  Element lengths() const {
    std::vector<std::pair<std::string, Element>> lengths;
    for (size_t i = 0; i < builders_.size(); ++i) {
      const std::optional<Array> steps = builders_[i]->lengths();
      if (!steps) continue;
      lengths.emplace_back(sequence_.items()[i].first, Element(*steps));
    }
    return Element::dict(std::move(lengths));
  }

 private:
  void split_and_add(std::string_view serialized, int64_t row,
                     const Array& from) {
    // Parts of a message count as one: protobuf's rule.
    std::string context;
    std::string lists;
    detail::each_field(serialized, what_,
                       [&](int field, std::string_view bytes) {
                         if (field == kContext) context += bytes;
                         if (field == kFeatureLists) lists += bytes;
                       });
    context_.add_features(context, row, from);
    ExampleView view{.what = what_,
                     .features = lists,
                     .keys = &sequence_.keys(),
                     .found = {},
                     .row = row,
                     .from = from,
                     .lists = true};
    view.found.resize(sequence_.keys().size());
    detail::find_keys(lists, sequence_.keys(), what_, &view.found);
    for (const auto& builder : builders_) builder->add(view);
  }

  const WireMessage what_;
  detail::ExampleParser context_;
  const Features& sequence_;
  std::vector<std::unique_ptr<ListBuilder>> builders_;
};

std::pair<Element, Element> parse_one(std::string_view serialized,
                                      const Array& from,
                                      const Features& context_features,
                                      const Features& sequence_features) {
  SequenceParser parser(kSingle, context_features, sequence_features);
  parser.add(serialized, -1, from);
  return {parser.context(false), parser.sequence(false)};
}

}  // namespace

std::pair<Element, Element> parse_single_sequence_example(
    std::string_view serialized, const Features& context_features,
    const Features& sequence_features) {
  return parse_one(serialized, detail::string_of_record(serialized),
                   context_features, sequence_features);
}

std::pair<Element, Element> parse_single_sequence_example(
    const Array& serialized, const Features& context_features,
    const Features& sequence_features) {
  return parse_one(
      detail::one_record("parse_single_sequence_example", serialized),
      serialized, context_features, sequence_features);
}

std::tuple<Element, Element, Element> parse_sequence_example(
    const Array& serialized, const Features& context_features,
    const Features& sequence_features) {
  SequenceParser parser(kBatch, context_features, sequence_features);
  int64_t row = 0;
  for (const std::string& record :
       detail::batch_of_records("parse_sequence_example", serialized)) {
    parser.add(record, row++, serialized);
  }
  Element context = parser.context(true);
  Element sequence = parser.sequence(true);
  return {std::move(context), std::move(sequence), parser.lengths()};
}

}  // namespace systolic::data
