// What every op must do, checked over a whole catalogue by one call.
//
//   contracts::check_ops({{.op = "log1p",
//                          .call = [](const Tensors& in) {
//                            return Tensors{log1p(in[0])};
//                          },
//                          .inputs = {Array::from({0.5, 2.0})}}},
//                        catalog());
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/graph/op.h"
#include "systolic/graph/tensor.h"

namespace systolic::contracts {

using Tensors = std::vector<Tensor>;

// The dtypes that ops on real numbers claim.
inline const std::vector<DType> kFloats{DType::float32, DType::float64,
                                        DType::bfloat16, DType::float16};
// Those, and complex numbers: the dtypes of holomorphic functions.
inline const std::vector<DType> kInexact{DType::float32,   DType::float64,
                                         DType::bfloat16,  DType::float16,
                                         DType::complex64, DType::complex128};
inline const std::vector<DType> kComplex{DType::complex64, DType::complex128};
// Whole numbers, where bool has no meaning.
inline const std::vector<DType> kIntegers{
    DType::int8,  DType::int16,  DType::int32,  DType::int64,
    DType::uint8, DType::uint16, DType::uint32, DType::uint64};
// Floats and integers.
inline std::vector<DType> floats_and_integers() {
  std::vector<DType> all = kFloats;
  all.insert(all.end(), kIntegers.begin(), kIntegers.end());
  return all;
}
// Those, and bool: all that have an order.
inline std::vector<DType> any_real() {
  std::vector<DType> all = floats_and_integers();
  all.push_back(DType::boolean);
  return all;
}
// Those of arithmetic: floats, integers and complex numbers.
inline std::vector<DType> numbers() {
  std::vector<DType> all = kInexact;
  all.insert(all.end(), kIntegers.begin(), kIntegers.end());
  return all;
}
// Those, and bool.
inline std::vector<DType> any_dtype() {
  std::vector<DType> all = numbers();
  all.push_back(DType::boolean);
  return all;
}

// A call of an op on small inputs.
struct OpSample {
  // The op's name in the catalogue; empty where the call is a function made of
  // other ops.
  std::string op;
  // What is special about this call: "broadcast".
  std::string name = "";
  // Makes the call from Tensors like `inputs`, and from nothing else.
  std::function<Tensors(const Tensors&)> call;
  // float64 inputs are given to the call in each of `dtypes`; the others as
  // they are. Without float64 among them there is no exact run to compare
  // with, and no gradient. Real values should be exact in bfloat16 and away
  // from kinks. Complex dtypes get the same with imaginary parts, or inputs
  // that are complex128 here; where no sample of the op claims complex128,
  // the call has to throw a TypeError for complex inputs.
  std::vector<Array> inputs = {};
  std::vector<DType> dtypes = kFloats;
  // Whether gradients of the float64 inputs are compared with finite
  // differences; and those of the gradients.
  bool gradient = true;
  bool second_gradient = true;
  // The inputs that have a gradient; empty: every float64 input.
  std::vector<int> sources = {};
  // Also run on eight devices that each have other inputs.
  bool replicated = false;
  // How many times the dtype's usual error is allowed.
  double error = 1;
};

// Reports GoogleTest failures, each with the op's and the sample's name, for:
// an op of the catalogue without samples; a sample that does not record its
// op; an op with a gradient rule but no sample of its gradient; a result whose
// spec on the device is not the inferred one; a dtype that does not run or
// gives values far from float64's; gradients and second gradients that are
// not the finite differences'; the same in replicas. Samples of functions that
// are made of ops of elsewhere may name those of `others`.
void check_ops(std::span<const OpSample> samples,
               std::span<const internal::graph::OpDef* const> catalog,
               std::span<const internal::graph::OpDef* const> others = {});

}  // namespace systolic::contracts
