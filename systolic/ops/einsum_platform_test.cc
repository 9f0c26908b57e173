#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/ops/einsum.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

// It is made of other ops: these are its gradients.
std::vector<OpSample> internal::ops::einsum_samples() {
  const Array x = Array::from({1.5, -2.25, 0.75, 3., -0.5, 2.}, {2, 3});
  const Array y = Array::from({0.5, 1.25, -1.75, 2., -0.25, 1.}, {3, 2});
  const Array square = Array::from({0.5, 1.25, -1.75, 2.}, {2, 2});
  struct Row {
    const char* subscripts;
    std::vector<Array> inputs;
  };
  const Row rows[] = {
      {"ij,jk->ik", {x, y}},      {"ij,ji", {x, y}},
      {"...j,j...->...", {x, y}}, {"ii->i", {square}},
      {"ij,ki->kj", {square, y}}, {"i,j->ij", {Array::from({1.5, 2.}), x[0]}}};
  std::vector<OpSample> samples;
  for (const Row& row : rows) {
    samples.push_back(
        {.op = "",
         .name = std::string("einsum ") + row.subscripts,
         .call = [s = row.subscripts](
                     const Tensors& in) { return Tensors{einsum(s, in)}; },
         .inputs = row.inputs,
         .dtypes = contracts::kInexact,
         .error = 4});
  }
  return samples;
}

namespace {

using internal::ops::Comparisons;
using internal::ops::message_of;

TEST(Einsum, ValuesAreNumPys) {
  Comparisons all;
  for (const golden::Case& c : golden::load("einsum")) {
    Tensors in;
    for (const auto& [name, x] : c.group("inputs")) in.push_back(constant(x));
    all.add(c.name(), einsum(c.name(), in), c.array("output"), {1e-12, 1e-12});
  }
}

TEST(Einsum, SpacesAndDtypes) {
  const Tensor x = constant({{1, 2}, {3, 4}});
  Comparisons all;
  all.add("integers", einsum("i j , j -> i", {x, constant({1, 1})}),
          Array::from({3, 7}));
  all.add("promoted", einsum("ij,j->i", {x, constant({0.5, 1.0})}),
          Array::from({2.5f, 5.5f}));
  all.add("as it is", einsum("ij", {x}), Array::from({1, 2, 3, 4}, {2, 2}));
}

TEST(Einsum, MistakesAreNamed) {
  const Tensor x = constant({{1.0, 2.0}, {3.0, 4.0}});
  const auto refused = [&](const char* subscripts, const Tensors& in) {
    return message_of<ValueError>([&] { (void)einsum(subscripts, in); });
  };
  const auto contains = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  contains(refused("ij,jk->ik", {x}), "one term for each of 1 operands");
  contains(refused("ijk->i", {x}), "a letter for each axis of operand 0");
  contains(refused("ij->ik", {x}), "letters of the operands in the output");
  contains(refused("ij->ii", {x}), "each letter once in the output");
  contains(refused("i1->i", {x}), "letters, and ... once in a term");
  contains(refused("ij", {}), "at least one operand");
  contains(message_of<ShapeError>([&] {
             (void)einsum("ij,jk->ik", {x, ones({3, 2})});
           }),
           "one size for axis j");
}

}  // namespace
}  // namespace systolic
