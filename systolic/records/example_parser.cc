// Tested by: systolic/records/parse_example_test.cc
#include "systolic/records/example_parser.h"

#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/element_origin.h"

namespace systolic::data::detail {
namespace {

constexpr int kFeatures = 1;  // of Example

}  // namespace

ExampleParser::ExampleParser(const internal::WireMessage& what,
                             const Features& features)
    : features_(features) {
  view_.what = what;
  view_.keys = &features.keys();
  builders_.reserve(features.items().size());
  for (const auto& [name, feature] : features.items()) {
    builders_.push_back(make_builder(name, feature));
  }
}

void ExampleParser::add_example(std::string_view serialized, int64_t row,
                                const Array& from) {
  try {
    split_and_add(serialized, row, from);
  } catch (const internal::WireError& error) {
    throw_placed(error, row, from);
  }
}

void ExampleParser::split_and_add(std::string_view serialized, int64_t row,
                                  const Array& from) {
  // Nearly always one field, whose bytes are used where they are; more are
  // read as protobuf reads them: as if they were one.
  std::string_view features;
  std::string joined;
  each_field(serialized, view_.what, [&](int field, std::string_view bytes) {
    if (field != kFeatures) return;
    if (features.data() == nullptr) {
      features = bytes;
    } else {
      if (joined.empty()) joined = features;
      joined += bytes;
    }
  });
  add_features(joined.empty() ? features : joined, row, from);
}

void ExampleParser::add_features(std::string_view features, int64_t row,
                                 const Array& from) {
  view_.found.assign(features_.keys().size(), {});
  view_.features = features;
  view_.row = row;
  view_.from = from;
  find_keys(features, features_.keys(), view_.what, &view_.found);
  for (const auto& builder : builders_) builder->add(view_);
}

Element ExampleParser::finish(bool batched) {
  std::vector<Element> items;
  items.reserve(builders_.size());
  for (const auto& builder : builders_) {
    items.push_back(builder->finish(batched));
  }
  return Element::like(features_.names(), std::move(items));
}

void throw_placed(const internal::WireError& error, int64_t row,
                  const Array& from) {
  std::string text = error.what();
  const std::string origin = from.is_set() ? origin_text(from, row) : "";
  if (!origin.empty()) text += "\n  from: " + origin;
  if (row >= 0) text += "\n  in the batch: record " + std::to_string(row);
  throw DataError(text);
}

const std::string& one_record(const char* who, const Array& serialized) {
  const bool right = serialized.is_set() &&
                     serialized.dtype() == DType::string &&
                     serialized.size() == 1;
  if (!right) {
    internal::Message(who)
        .expected("one serialized Example, a string scalar")
        .got(serialized.is_set() ? serialized.spec().to_string()
                                 : "an unset Array")
        .hint("parse_example() takes a batch of them")
        .raise<TypeError>();
  }
  return serialized.span<std::string>()[0];
}

std::span<const std::string> batch_of_records(const char* who,
                                              const Array& serialized) {
  const bool right = serialized.is_set() &&
                     serialized.dtype() == DType::string &&
                     serialized.rank() == 1;
  if (!right) {
    internal::Message(who)
        .expected("an axis of serialized Examples, string[batch]")
        .got(serialized.is_set() ? serialized.spec().to_string()
                                 : "an unset Array")
        .hint("parse_single_example() takes one")
        .raise<TypeError>();
  }
  return serialized.span<std::string>();
}

}  // namespace systolic::data::detail
