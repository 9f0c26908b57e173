// KeyWriter: turns the options of an op into words, so that two nodes with
// equal words are the same operation.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "systolic/array/spec.h"

namespace systolic::internal::graph {

/// Visits an options struct (`options.visit(writer)`), appending each field.
class KeyWriter {
 public:
  explicit KeyWriter(std::vector<uint64_t>& words) : words_(words) {}

  template <class T>
  void operator()(std::string_view /*name*/, const T& value) {
    add(value);
  }

  template <class T>
  requires std::integral<T> || std::is_enum_v<T>
  void add(T value) { words_.push_back(static_cast<uint64_t>(value)); }
  void add(double value) { words_.push_back(std::bit_cast<uint64_t>(value)); }
  void add(std::string_view text) {
    words_.push_back(text.size());
    for (char c : text) words_.push_back(static_cast<unsigned char>(c));
  }
  void add(const Shape& shape) {
    words_.push_back(shape.is_set() ? shape.rank() + 1 : 0);
    for (int64_t d : shape) words_.push_back(static_cast<uint64_t>(d));
  }
  void add(const TensorSpec& spec) {
    add(spec.dtype);
    add(spec.shape);
  }
  template <class T>
  void add(const std::vector<T>& values) {
    words_.push_back(values.size());
    for (const T& value : values) add(value);
  }
  template <class T>
  void add(const std::optional<T>& value) {
    words_.push_back(value.has_value());
    if (value) add(*value);
  }

 private:
  std::vector<uint64_t>& words_;
};

}  // namespace systolic::internal::graph
