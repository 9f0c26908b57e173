#include "systolic/records/example_builder.h"

#include <utility>

#include "systolic/array/cast.h"
#include "systolic/base/message.h"
#include "systolic/base/wire_writer.h"
#include "systolic/records/record_format.h"

namespace systolic::data {
namespace {

using internal::append_field;
using internal::append_varint;

// Numbers of the fields; the same in all messages with one field.
constexpr int kOnly = 1;
constexpr int kBytesList = 1;
constexpr int kFloatList = 2;
constexpr int kInt64List = 3;
constexpr int kKey = 1;
constexpr int kValue = 2;
constexpr int kFeatureLists = 2;

// A message of a map's entries.
std::string map_bytes(const std::map<std::string, std::string>& map) {
  std::string bytes;
  for (const auto& [key, value] : map) {
    std::string entry;
    append_field(entry, kKey, key);
    append_field(entry, kValue, value);
    append_field(bytes, kOnly, entry);
  }
  return bytes;
}

std::string bytes_list(const Array& values) {
  std::string list;
  for (const std::string& value : values.span<std::string>()) {
    append_field(list, kOnly, value);
  }
  return list;
}

std::string float_list(const Array& values) {
  std::string packed;
  for (const float value : values.span<float>()) {
    char bytes[sizeof(float)];
    detail::store_little(std::bit_cast<uint32_t>(value), bytes);
    packed.append(bytes, sizeof(bytes));
  }
  std::string list;
  if (!packed.empty()) append_field(list, kOnly, packed);
  return list;
}

// Throws ValueError for a number that int64 does not hold.
void check_fits(const Array& values) {
  if (values.dtype() != DType::uint64) return;
  for (const uint64_t value : values.span<uint64_t>()) {
    if (std::in_range<int64_t>(value)) continue;
    internal::Message("FeatureValue")
        .expected("integers that fit into int64, which Examples hold")
        .got(value)
        .hint("store the bytes as a string, and read them with decode_raw()")
        .raise<ValueError>();
  }
}

std::string int64_list(const Array& values) {
  std::string packed;
  for (const int64_t value : values.span<int64_t>()) {
    append_varint(packed, static_cast<uint64_t>(value));
  }
  std::string list;
  if (!packed.empty()) append_field(list, kOnly, packed);
  return list;
}

}  // namespace

FeatureValue::FeatureValue(const Array& values) {
  const DType dtype = values.dtype();
  if (dtype == DType::string) {
    append_field(bytes_, kBytesList, bytes_list(values));
  } else if (is_integer(dtype) || dtype == DType::boolean) {
    check_fits(values);
    append_field(bytes_, kInt64List, int64_list(cast<int64_t>(values)));
  } else if (is_floating(dtype)) {
    append_field(bytes_, kFloatList, float_list(cast<float>(values)));
  } else {
    internal::Message("FeatureValue")
        .expected("strings, integers, booleans or real numbers")
        .got(values.spec())
        .raise<TypeError>();
  }
}

ExampleBuilder& ExampleBuilder::add(const std::string& key,
                                    const FeatureValue& value) {
  features_[key] = value.serialized();
  return *this;
}

std::string ExampleBuilder::serialize() const {
  std::string bytes;
  append_field(bytes, kOnly, map_bytes(features_));
  return bytes;
}

SequenceExampleBuilder& SequenceExampleBuilder::add_context(
    const std::string& key, const FeatureValue& value) {
  context_[key] = value.serialized();
  return *this;
}

SequenceExampleBuilder& SequenceExampleBuilder::add_step(
    const std::string& key, const FeatureValue& value) {
  append_field(lists_[key], kOnly, value.serialized());
  return *this;
}

SequenceExampleBuilder& SequenceExampleBuilder::add_list(
    const std::string& key) {
  lists_[key];
  return *this;
}

std::string SequenceExampleBuilder::serialize() const {
  std::string bytes;
  append_field(bytes, kOnly, map_bytes(context_));
  append_field(bytes, kFeatureLists, map_bytes(lists_));
  return bytes;
}

}  // namespace systolic::data
