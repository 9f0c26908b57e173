// SequenceExamples: parsing, in batches and one by one.
#include <string>

#include "systolic/records/parse_example.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace systolic;
  using namespace systolic::data;
  constexpr DType kInt = DType::int64;
  static const Features kContext{
      {"c", FixedLenFeature({}, kInt, Array::scalar<int64_t>(1))}};
  static const Features kEach[] = {
      {{"a", FixedLenSequenceFeature({2}, kInt, true)}},
      {{"a", FixedLenSequenceFeature({}, DType::string)}},
      {{"a", VarLenFeature(DType::float32)}},
      {{"a", RaggedFeature(kInt)}, {"b", VarLenFeature(kInt)}},
      {{"a", RaggedFeature(kInt, {}, {RaggedFeature::RowLengths("b")})}},
      {{"b", RaggedFeature(kInt, {},
                           {RaggedFeature::RowSplits("a"),
                            RaggedFeature::UniformRowLength(2)})}},
  };
  const std::string record(fuzz::text(data, size));
  const Array batch = Array::from_strings({record, "", record});
  for (const Features& features : kEach) {
    // Each by itself: what the first refuses the second is to see too.
    fuzz::tolerate(
        [&] { parse_single_sequence_example(record, kContext, features); });
    fuzz::tolerate([&] { parse_sequence_example(batch, kContext, features); });
  }
  return 0;
}
