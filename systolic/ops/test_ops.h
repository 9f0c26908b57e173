// What the tests of ops share: the samples of each family for the op
// contract, and comparisons of many ops with the functions of Arrays.
#pragma once

#include <gtest/gtest.h>

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
std::vector<contracts::OpSample> unary_samples();
std::vector<contracts::OpSample> trigonometry_samples();
std::vector<contracts::OpSample> arithmetic_samples();
std::vector<contracts::OpSample> bitwise_samples();
std::vector<contracts::OpSample> special_samples();
std::vector<contracts::OpSample> reductions_samples();
std::vector<contracts::OpSample> manipulation_samples();
std::vector<contracts::OpSample> slicing_samples();
std::vector<contracts::OpSample> linear_samples();
std::vector<contracts::OpSample> conv_samples();
std::vector<contracts::OpSample> pooling_samples();
std::vector<contracts::OpSample> nn_samples();
std::vector<contracts::OpSample> random_samples();
std::vector<contracts::OpSample> collective_samples();
std::vector<contracts::OpSample> control_flow_samples();

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
