// Recorded outputs of real Keras (tests/parity/README.md) for C++ tests.
//   for (const golden::Case& c : golden::load("layers_dense"))
//     EXPECT_EQ(golden::difference(call(c.array("input")), c.array("output")),
//               "");
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "systolic/array/array.h"

namespace systolic::golden {

// A value of an options tree: null, bool, number, text, list or map.
class Value {
 public:
  using List = std::vector<Value>;
  using Map = std::vector<std::pair<std::string, Value>>;  // recorded order

  Value() = default;
  Value(bool value) : data_(value) {}
  Value(int64_t value) : data_(value) {}
  Value(double value) : data_(value) {}
  Value(std::string value) : data_(std::move(value)) {}
  Value(const char* value) : data_(std::string(value)) {}
  Value(List value) : data_(std::move(value)) {}
  Value(Map value) : data_(std::move(value)) {}

  bool is_null() const;
  bool is_text() const;
  bool is_list() const;

  // The value as that type. An integer counts as a number; a single integer
  // as a list of one. Throws TypeError that shows the value.
  bool boolean() const;
  int64_t integer() const;
  double number() const;
  const std::string& text() const;
  const List& list() const;
  const Map& map() const;
  std::vector<int64_t> integers() const;
  std::vector<std::string> texts() const;

  // Whether the map has that key; false for what is no map.
  bool has(std::string_view key) const;
  // The value of a key. Throws NotFoundError that lists the keys.
  const Value& at(std::string_view key) const;
  const Value& operator[](std::string_view key) const { return at(key); }

  // The value of a key, or `absent` where the map does not have it: Keras's
  // default, since options hold only what the recording passed.
  bool get(std::string_view key, bool absent) const;
  double get(std::string_view key, double absent) const;
  int64_t get(std::string_view key, int64_t absent) const;
  int64_t get(std::string_view key, int absent) const;
  std::string get(std::string_view key, std::string absent) const;
  std::string get(std::string_view key, const char* absent) const;
  std::vector<int64_t> get(std::string_view key,
                           std::vector<int64_t> absent) const;

  // The value as JSON.
  std::string to_string() const;

 private:
  const Value* find(std::string_view key) const;
  [[noreturn]] void throw_kind(std::string_view wanted) const;

  std::variant<std::monostate, bool, int64_t, double, std::string, List, Map>
      data_;
};

// Arrays by name, in the order in which they were recorded.
using Arrays = std::vector<std::pair<std::string, Array>>;

// One recorded case of a family.
class Case {
 public:
  Case(std::string name, Value options, Value expected, Value texts,
       Arrays arrays);

  // What the case shows, such as "3x3 same, strides 2".
  const std::string& name() const { return name_; }
  // The arguments, under Keras's names.
  const Value& options() const { return options_; }
  // Recorded results that are no arrays.
  const Value& expected() const { return expected_; }
  // A recorded text. Throws NotFoundError that lists the names.
  const std::string& text(std::string_view name) const;

  // A recorded array. Throws NotFoundError that lists the names.
  const Array& array(std::string_view name) const;
  bool has_array(std::string_view name) const;
  // The arrays "<group>/<rest>", named by the rest: group("weights") gives
  // "kernel" and "bias". Empty where there are none.
  Arrays group(std::string_view group) const;

 private:
  std::string name_;
  Value options_;
  Value expected_;
  Value texts_;
  Arrays arrays_;
};

// Prints the name, so that a failing parametrised test says which case it is.
std::ostream& operator<<(std::ostream& out, const Case& c);

// The cases of a family: <folder()>/<family>.json.
// Throws: NotFoundError where there is no such file; DataError.
std::vector<Case> load(std::string_view family);

// The cases of a file of the same form.
// Throws: NotFoundError, DataError.
std::vector<Case> load_file(const std::filesystem::path& file);

// The folder with the golden files: SYSTOLIC_GOLDENS, or the source tree's.
std::filesystem::path folder();

// How far two arrays may be apart: absolute + relative * |wanted|.
// Negative values stand for the dtype's own: 1e-5 and 1e-6 for float32,
// 1e-12 for float64, 1e-2 for bfloat16, 2e-3 for float16, 0 for the rest.
struct Tolerance {
  double relative = -1;
  double absolute = -1;
};

// Empty where `got` has the dtype, the shape and nearly the values of
// `wanted`; else a text with the worst index, both values and the tolerance.
std::string difference(const Array& got, const Array& wanted,
                       const Tolerance& tolerance = {});

}  // namespace systolic::golden
