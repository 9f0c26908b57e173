#include "systolic/records/parse_example.h"

#include <algorithm>
#include <string>
#include <variant>

#include "systolic/base/wire.h"
#include "systolic/data/origin_scope.h"
#include "systolic/records/example_parser.h"

namespace systolic::data {
namespace {

constexpr const char* kExample = "a serialized tf.train.Example";
constexpr internal::WireMessage kSingle{"parse_single_example", kExample};
constexpr internal::WireMessage kBatch{"parse_example", kExample};

// Whether the parsed strings know the record that they are of.
bool has_text(const Features& features) {
  return std::ranges::any_of(features.items(), [](const auto& item) {
    const auto* feature = std::get_if<FixedLenFeature>(&item.second);
    return feature != nullptr && feature->dtype == DType::string &&
           feature->shape.rank() == 0;
  });
}

Element parse_one(std::string_view serialized, const Features& features,
                  const Array& from) {
  detail::ExampleParser parser(kSingle, features);
  parser.add_example(serialized, -1, from);
  return parser.finish(/*batched=*/false);
}

}  // namespace

Element parse_single_example(std::string_view serialized,
                             const Features& features) {
  if (!has_text(features)) {
    try {
      return parse_one(serialized, features, {});
    } catch (const DataError&) {  // again, to say of which record it is
    }
  }
  return parse_one(serialized, features, detail::string_of_record(serialized));
}

Element parse_single_example(const Array& serialized,
                             const Features& features) {
  return parse_one(detail::one_record("parse_single_example", serialized),
                   features, serialized);
}

Element parse_example(const Array& serialized, const Features& features) {
  detail::ExampleParser parser(kBatch, features);
  int64_t row = 0;
  for (const std::string& record :
       detail::batch_of_records("parse_example", serialized)) {
    parser.add_example(record, row++, serialized);
  }
  return parser.finish(/*batched=*/true);
}

}  // namespace systolic::data
