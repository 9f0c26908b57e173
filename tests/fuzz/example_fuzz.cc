// Examples: parsing, in batches and one by one, and printing.
#include <string>

#include "systolic/records/example_text.h"
#include "systolic/records/parse_example.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace systolic;
  using namespace systolic::data;
  using fuzz::tolerate;
  constexpr DType kInt = DType::int64;
  static const Features kEach[] = {
      {{"a", FixedLenFeature({2}, kInt, Array::scalar<int64_t>(1))}},
      {{"a", FixedLenFeature({}, DType::string)}},
      {{"a", VarLenFeature(DType::float32)}, {"b", VarLenFeature(kInt)}},
      {{"s", SparseFeature("a", "b", kInt, 100)}},
      {{"s", SparseFeature({"a", "b"}, "c", DType::string, {9, 9})}},
      {{"a", RaggedFeature(kInt)}},
      {{"r", RaggedFeature(kInt, "a", {RaggedFeature::RowSplits("b")})}},
      {{"r", RaggedFeature(kInt, "a", {RaggedFeature::ValueRowIds("b")})}},
      {{"r", RaggedFeature(kInt, "a",
                           {RaggedFeature::RowLengths("c"),
                            RaggedFeature::RowStarts("b")})}},
      {{"r", RaggedFeature(kInt, "a",
                           {RaggedFeature::RowLimits("b"),
                            RaggedFeature::UniformRowLength(2)})}},
      {{"a", FixedLenSequenceFeature({2}, kInt, true)}},
  };
  const std::string record(fuzz::text(data, size));
  const Array batch = Array::from_strings({record, "", record});
  for (const Features& features : kEach) {
    tolerate([&] { parse_single_example(record, features); });
    tolerate([&] { parse_example(batch, features); });
  }
  tolerate([&] { example_text(record); });
  tolerate([&] { ExampleSchema().add(record); });
  return 0;
}
