#include "systolic/records/parse_example.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "systolic/base/wire.h"
#include "systolic/data/origin_scope.h"
#include "systolic/records/example_parser.h"

namespace systolic::data {
namespace {

constexpr const char* kExample = "a serialized tf.train.Example";
constexpr internal::WireMessage kSingle{"parse_single_example", kExample};
constexpr internal::WireMessage kBatch{"parse_example", kExample};

}  // namespace

Element parse_single_example(std::string_view serialized,
                             const Features& features) {
  detail::ExampleParser parser(kSingle, features);
  parser.add_example(serialized, -1, detail::string_of_record(serialized));
  return parser.finish(/*batched=*/false);
}

Element parse_single_example(const Array& serialized,
                             const Features& features) {
  detail::ExampleParser parser(kSingle, features);
  const std::string& record =
      detail::one_record("parse_single_example", serialized);
  parser.add_example(record, -1, serialized);
  return parser.finish(/*batched=*/false);
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
