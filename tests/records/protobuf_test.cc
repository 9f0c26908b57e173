// Our reader and writer of Examples beside protobuf's.
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <random>
#include <string>

#include "example.pb.h"
#include "systolic/base/error.h"
#include "systolic/records/example_builder.h"
#include "systolic/records/feature_values.h"
#include "systolic/records/parse_example.h"

namespace systolic::data {
namespace {

using Random = std::mt19937;

int64_t below(Random& random, int64_t n) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
}

int64_t any_int(Random& random) {
  const uint64_t high = random();
  return static_cast<int64_t>((high << 32 | random()) >> below(random, 64));
}

std::string any_bytes(Random& random) {
  std::string bytes(static_cast<size_t>(below(random, 20)), '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

oracle::Feature any_feature(Random& random) {
  oracle::Feature feature;
  const int64_t kind = below(random, 4);
  const int64_t count = below(random, 5);
  if (kind == 1) feature.mutable_bytes_list();
  if (kind == 2) feature.mutable_float_list();
  if (kind == 3) feature.mutable_int64_list();
  for (int64_t i = 0; i < count; ++i) {
    if (kind == 1) feature.mutable_bytes_list()->add_value(any_bytes(random));
    if (kind == 2) {
      feature.mutable_float_list()->add_value(
          std::bit_cast<float>(static_cast<uint32_t>(random())));
    }
    if (kind == 3) feature.mutable_int64_list()->add_value(any_int(random));
  }
  return feature;
}

oracle::Example any_example(Random& random) {
  oracle::Example example;
  for (int64_t i = below(random, 5); i > 0; --i) {
    const std::string key(1, static_cast<char>('a' + below(random, 6)));
    (*example.mutable_features()->mutable_feature())[key] = any_feature(random);
  }
  return example;
}

// Bits of the values, so that NaN equals itself.
using Values = std::map<std::string, std::vector<std::string>>;

template <class T>
std::string bits(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}

Values values_of(const oracle::Example& example) {
  Values all;
  for (const auto& [key, feature] : example.features().feature()) {
    std::vector<std::string>& values = all[key];
    values.push_back(std::to_string(feature.kind_case()));
    for (const auto& v : feature.bytes_list().value()) values.push_back(v);
    for (const float v : feature.float_list().value()) {
      values.push_back(bits(v));
    }
    for (const int64_t v : feature.int64_list().value()) {
      values.push_back(bits(v));
    }
  }
  return all;
}

Values values_of(const std::string& bytes) {
  const internal::WireMessage what{"test", "an Example"};
  Values all;
  for (const auto& [key, feature] : detail::all_features(bytes, what)) {
    std::vector<std::string>& values = all[key];
    values.push_back(std::to_string(static_cast<int>(feature.kind)));
    const DType dtype = feature.kind == detail::ValueKind::ints ? DType::int64
                        : feature.kind == detail::ValueKind::floats
                            ? DType::float32
                            : DType::string;
    detail::ValueColumn column(dtype);
    const int64_t count = column.append(feature, what);
    const Array array = column.take({count});
    for (int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<size_t>(i);
      values.push_back(dtype == DType::int64 ? bits(array.span<int64_t>()[at])
                       : dtype == DType::float32
                           ? bits(array.span<float>()[at])
                           : array.span<std::string>()[at]);
    }
  }
  return all;
}

TEST(ProtobufTest, ExamplesAreReadAsProtobufReadsThem) {
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const oracle::Example example = any_example(random);
    EXPECT_EQ(values_of(example.SerializeAsString()), values_of(example));
  }
}

// Messages behind each other are one message, with protobuf's rules for what
// is there twice.
TEST(ProtobufTest, JoinedMessagesAreReadAsProtobufReadsThem) {
  Random random(2);
  for (int i = 0; i < 3000; ++i) {
    const std::string joined = any_example(random).SerializeAsString() +
                               any_example(random).SerializeAsString();
    oracle::Example example;
    ASSERT_TRUE(example.ParseFromString(joined));
    EXPECT_EQ(values_of(joined), values_of(example));
  }
}

TEST(ProtobufTest, DamagedMessagesThatBothReadAreTheSame) {
  const google::protobuf::LogSilencer no_complaints;
  Random random(3);
  int both = 0;
  for (int i = 0; i < 30000; ++i) {
    std::string bytes = any_example(random).SerializeAsString();
    if (bytes.empty()) continue;
    for (int64_t flips = 1 + below(random, 3); flips > 0; --flips) {
      bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
    }
    oracle::Example example;
    if (!example.ParseFromString(bytes)) continue;
    try {
      EXPECT_EQ(values_of(bytes), values_of(example));
      ++both;
    } catch (const DataError&) {
      // Groups, which nobody writes, are refused here.
    }
  }
  EXPECT_GT(both, 1000);
}

TEST(ProtobufTest, ProtobufReadsWhatIsBuilt) {
  const std::string bytes = ExampleBuilder()
                                .add("ints", {-1, 0, 300})
                                .add("floats", {0.5f, -2.f})
                                .add("text", "word")
                                .add("none", std::vector<float>{})
                                .serialize();
  oracle::Example example;
  ASSERT_TRUE(example.ParseFromString(bytes));
  const auto& features = example.features().feature();
  EXPECT_EQ(features.size(), 4u);
  EXPECT_EQ(features.at("ints").int64_list().value(2), 300);
  EXPECT_EQ(features.at("ints").int64_list().value(0), -1);
  EXPECT_EQ(features.at("floats").float_list().value(1), -2.f);
  EXPECT_EQ(features.at("text").bytes_list().value(0), "word");
  EXPECT_TRUE(features.at("none").has_float_list());
  std::string deterministic;
  {
    google::protobuf::io::StringOutputStream stream(&deterministic);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);
    example.SerializeToCodedStream(&out);
  }
  EXPECT_EQ(bytes, deterministic);
}

TEST(ProtobufTest, SequencesAreReadAsProtobufReadsThem) {
  Random random(4);
  for (int i = 0; i < 1000; ++i) {
    oracle::SequenceExample example;
    auto& list =
        (*example.mutable_feature_lists()->mutable_feature_list())["a"];
    std::vector<int64_t> all;
    std::vector<int64_t> splits{0};
    for (int64_t step = below(random, 5); step > 0; --step) {
      auto* values = list.add_feature()->mutable_int64_list();
      for (int64_t n = below(random, 4); n > 0; --n) {
        all.push_back(any_int(random));
        values->add_value(all.back());
      }
      splits.push_back(static_cast<int64_t>(all.size()));
    }
    const auto [context, sequence] = parse_single_sequence_example(
        example.SerializeAsString(), {},
        {{"a", RaggedFeature(DType::int64, {}, {}, DType::int64)}});
    EXPECT_TRUE(element_equal(sequence["a"]["values"], Array::from(all)));
    EXPECT_TRUE(
        element_equal(sequence["a"]["row_splits"][0], Array::from(splits)));
  }
}

}  // namespace
}  // namespace systolic::data
