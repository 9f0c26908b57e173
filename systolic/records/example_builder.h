// Makes serialized Examples and SequenceExamples.
//   std::string record = data::ExampleBuilder()
//       .add("image", jpeg).add("class", 3).add("box", {0.1f, 0.2f})
//       .serialize();
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "systolic/array/array.h"

namespace systolic::data {

// The values of one feature: bytes, float32 or int64.
class FeatureValue {
 public:
  // Numbers become float32 or int64, text becomes bytes.
  FeatureValue(std::string_view value)  // NOLINT: conversions are the point.
      : FeatureValue(Array::scalar(std::string(value))) {}
  FeatureValue(const char* value)  // NOLINT
      : FeatureValue(std::string_view(value)) {}
  FeatureValue(const std::string& value)  // NOLINT
      : FeatureValue(std::string_view(value)) {}
  template <class T>
  requires std::is_arithmetic_v<T> FeatureValue(T value)  // NOLINT
      : FeatureValue(Array::scalar(value)) {}
  template <class T>
  requires ArrayElement<T> FeatureValue(const std::vector<T>& values)  // NOLINT
      : FeatureValue(Array::from(values)) {}
  template <class T>
  requires ArrayElement<T> FeatureValue(
      std::initializer_list<T> values)  // NOLINT
      : FeatureValue(Array::from(std::vector<T>(values))) {}
  template <std::same_as<const char*> T>
  FeatureValue(std::initializer_list<T> values)  // NOLINT
      : FeatureValue(Array::from_strings({values.begin(), values.end()})) {}
  // The elements of an Array, row-major. Throws TypeError for a dtype that is
  // neither a string, nor an integer, bool or real number; ValueError for
  // an integer above int64's.
  FeatureValue(const Array& values);  // NOLINT

  // The serialized tf.train.Feature.
  const std::string& serialized() const { return bytes_; }

 private:
  std::string bytes_;
};

// Collects the features of one Example; they are written sorted by key.
class ExampleBuilder {
 public:
  // Sets a feature, in place of one that `key` had.
  ExampleBuilder& add(const std::string& key, const FeatureValue& value);
  // The serialized tf.train.Example.
  std::string serialize() const;

 private:
  std::map<std::string, std::string> features_;
};

// Collects the context and the feature lists of one SequenceExample.
class SequenceExampleBuilder {
 public:
  // Sets a feature of the context.
  SequenceExampleBuilder& add_context(const std::string& key,
                                      const FeatureValue& value);
  // Adds a step to the feature list `key`.
  SequenceExampleBuilder& add_step(const std::string& key,
                                   const FeatureValue& value);
  // Makes sure that there is a feature list `key`, if one without steps.
  SequenceExampleBuilder& add_list(const std::string& key);
  // The serialized tf.train.SequenceExample.
  std::string serialize() const;

 private:
  std::map<std::string, std::string> context_;
  std::map<std::string, std::string> lists_;
};

}  // namespace systolic::data
