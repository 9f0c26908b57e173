// What the tests of ops share: the samples of each family for the op
// contract, and comparisons of many ops with the functions of Arrays.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/base/error.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/tensor.h"
#include "systolic/testing/golden.h"
#include "systolic/testing/op_contract.h"

namespace systolic::internal::ops {

// Sample calls, beside the values of each family.
std::vector<contracts::OpSample> math_samples();
std::vector<contracts::OpSample> complex_samples();
std::vector<contracts::OpSample> unary_samples();
std::vector<contracts::OpSample> trigonometry_samples();
std::vector<contracts::OpSample> arithmetic_samples();
std::vector<contracts::OpSample> bitwise_samples();
std::vector<contracts::OpSample> special_samples();
std::vector<contracts::OpSample> reductions_samples();
std::vector<contracts::OpSample> cumulative_samples();
std::vector<contracts::OpSample> segment_samples();
std::vector<contracts::OpSample> manipulation_samples();
std::vector<contracts::OpSample> slicing_samples();
std::vector<contracts::OpSample> gather_samples();
std::vector<contracts::OpSample> sort_samples();
std::vector<contracts::OpSample> linear_samples();
std::vector<contracts::OpSample> einsum_samples();
std::vector<contracts::OpSample> products_samples();
std::vector<contracts::OpSample> linalg_samples();
std::vector<contracts::OpSample> fft_samples();
std::vector<contracts::OpSample> conv_samples();
std::vector<contracts::OpSample> pooling_samples();
std::vector<contracts::OpSample> nn_samples();
std::vector<contracts::OpSample> random_samples();
std::vector<contracts::OpSample> collective_samples();
std::vector<contracts::OpSample> exchange_samples();
std::vector<contracts::OpSample> control_flow_samples();

// All of them.
std::vector<contracts::OpSample> all_samples();

// Pairs of what an op gives and what is expected, computed in one launch when
// the list goes out of scope.
class Comparisons {
 public:
  Comparisons() = default;
  Comparisons(const Comparisons&) = delete;
  Comparisons& operator=(const Comparisons&) = delete;
  ~Comparisons() { check(); }

  void add(std::string name, const Tensor& got, const Array& wanted,
           golden::Tolerance tolerance = {}) {
    pairs_.push_back({std::move(name), got, wanted, tolerance});
  }

  void check() {
    std::vector<graph::Ref> refs;
    for (const Pair& pair : pairs_) refs.push_back(pair.got.ref());
    try {
      graph::evaluate(refs);
      for (const Pair& pair : pairs_) {
        EXPECT_EQ(
            golden::difference(pair.got.numpy(), pair.wanted, pair.tolerance),
            "")
            << pair.name;
      }
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
    pairs_.clear();
  }

 private:
  struct Pair {
    std::string name;
    Tensor got;
    Array wanted;
    golden::Tolerance tolerance;
  };
  std::vector<Pair> pairs_;
};

// A call for each golden case, by name.
using Calls =
    std::map<std::string,
             std::function<contracts::Tensors(const contracts::Tensors&)>>;

// Compares the calls with the family's cases of a header (option "header"),
// all of which have to be there.
inline void compare_with_goldens(const std::string& family,
                                 const std::string& header,
                                 const Calls& calls) {
  Comparisons list;
  size_t found = 0;
  for (const golden::Case& c : golden::load(family)) {
    if (c.options().get("header", "") != header) continue;
    const auto call = calls.find(c.name());
    if (call == calls.end()) {
      ADD_FAILURE() << "no call for the golden case " << c.name();
      continue;
    }
    ++found;
    contracts::Tensors inputs;
    for (const auto& [name, value] : c.group("input")) {
      inputs.push_back(Arg(value).tensor());
    }
    try {
      const contracts::Tensors outputs = call->second(inputs);
      const golden::Arrays wanted = c.group("output");
      ASSERT_EQ(outputs.size(), wanted.size()) << c.name();
      for (size_t i = 0; i < outputs.size(); ++i) {
        list.add(c.name(), outputs[i], wanted[i].second);
      }
    } catch (const Error& error) {
      ADD_FAILURE() << c.name() << ": " << error.what();
    }
  }
  EXPECT_EQ(found, calls.size()) << "calls without a golden case";
}

// The text of the E that `f` throws; empty if it throws none.
template <class E, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return "";
}

// Whether a message begins so; the text itself if not.
inline testing::AssertionResult begins(const std::string& text,
                                       const std::string& start) {
  if (text.substr(0, start.size()) == start) return testing::AssertionSuccess();
  return testing::AssertionFailure() << text;
}

}  // namespace systolic::internal::ops
