#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "systolic/ops/ops.h"
#include "systolic/testing/op_contract.h"

namespace systolic::contracts {
namespace {

using internal::graph::Grads;
using internal::graph::Infer;
using internal::graph::kDefinition;
using internal::graph::Lower;
using internal::graph::NoOptions;
using internal::graph::not_differentiable;
using internal::graph::Op;
using internal::graph::OpDef;
using internal::graph::record;
using internal::graph::Specs;
using internal::graph::Values;
using internal::graph::Vjp;

Specs same(Infer& in, const NoOptions&) { return in[0]; }
Values cube(Lower& l, const NoOptions&) {
  return {l.e.binary("multiply", l.e.binary("multiply", l[0], l[0]), l[0])};
}

// x * x * x, as it should be and with one mistake each.
constexpr Op<> kGood{.name = "good",
                     .infer = same,
                     .lower = cube,
                     .vjp = [](Vjp& v, const NoOptions&) {
                       const Tensor x = v.input(0);
                       return Grads{v.gradient() * 3 * x * x};
                     }};
constexpr Op<> kWrongGradient{.name = "wrong_gradient",
                              .infer = same,
                              .lower = cube,
                              .vjp = [](Vjp& v, const NoOptions&) {
                                return Grads{v.gradient() * 3 * v.input(0)};
                              }};
// Right by value, but its own derivative is lost.
constexpr Op<> kWrongSecond{.name = "wrong_second",
                            .infer = same,
                            .lower = cube,
                            .vjp = [](Vjp& v, const NoOptions&) {
                              const Tensor x = stop_gradient(v.input(0));
                              return Grads{v.gradient() * 3 * x * x};
                            }};
constexpr Op<> kWrongSpec{.name = "wrong_spec",
                          .infer =
                              [](Infer& in, const NoOptions&) {
                                return Specs(TensorSpec{in.dtype(0), {7}});
                              },
                          .lower = cube,
                          .vjp = not_differentiable("it is only a test")};
constexpr Op<> kOnlySingle{.name = "only_single",
                           .infer = same,
                           .lower =
                               [](Lower& l, const NoOptions&) {
                                 if (l.result().dtype != DType::bfloat16)
                                   return Values{l[0]};
                                 return Values{l.e.splat(l.result(), 5)};
                               },
                           .vjp = not_differentiable("it is only a test")};

template <const auto& op>
OpSample sample() {
  return {.op = std::string(op.name),
          .call =
              [](const Tensors& in) {
                return Tensors{record<op>({in[0].ref()}, NoOptions{},
                                          SourceLocation::current())};
              },
          .inputs = {Array::from({1.5, -0.5, 2.})},
          .dtypes = kInexact};
}

// The contract's complaints, one text.
std::string complaints(const std::vector<OpSample>& samples,
                       const std::vector<const OpDef*>& catalog) {
  ::testing::TestPartResultArray results;
  {
    ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::
            INTERCEPT_ONLY_CURRENT_THREAD,
        &results);
    check_ops(samples, catalog);
  }
  std::string text;
  for (int i = 0; i < results.size(); ++i) {
    text += results.GetTestPartResult(i).message();
    text += '\n';
  }
  return text;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(OpContract, AGoodOpPasses) {
  OpSample good = sample<kGood>();
  good.replicated = true;
  good.error = 3;
  EXPECT_EQ(complaints({good}, {&kDefinition<kGood>}), "");
}

TEST(OpContract, SeesWhatIsNeitherClaimedNorRefused) {
  OpSample good = sample<kGood>();
  good.dtypes = kFloats;
  EXPECT_TRUE(has(complaints({good}, {&kDefinition<kGood>}),
                  "good complex: claimed nowhere, but not refused"));
}

TEST(OpContract, SeesWrongGradients) {
  EXPECT_TRUE(has(
      complaints({sample<kWrongGradient>()}, {&kDefinition<kWrongGradient>}),
      "wrong_gradient: the gradient of input 0 is not the finite"));
  const std::string second =
      complaints({sample<kWrongSecond>()}, {&kDefinition<kWrongSecond>});
  EXPECT_TRUE(
      has(second, "wrong_second: the second gradient of input 0 is not"));
  EXPECT_FALSE(has(second, ": the gradient of input 0"));
}

TEST(OpContract, SeesWrongSpecsAndDtypes) {
  EXPECT_TRUE(
      has(complaints({sample<kWrongSpec>()}, {&kDefinition<kWrongSpec>}),
          "wrong_spec does not run: wrong_spec: the lowering gives "
          "float64[3] where the shape rule says float64[7]"));
  EXPECT_TRUE(
      has(complaints({sample<kOnlySingle>()}, {&kDefinition<kOnlySingle>}),
          "only_single: result 0 in bfloat16 is far from float64's"));
}

TEST(OpContract, SeesWhatHasNoSample) {
  EXPECT_TRUE(
      has(complaints({}, {&kDefinition<kGood>}), "op good has no sample"));
  OpSample no_gradient = sample<kGood>();
  no_gradient.gradient = false;
  no_gradient.error = 3;
  EXPECT_TRUE(has(complaints({no_gradient}, {&kDefinition<kGood>}),
                  "op good has a gradient rule, but no sample of it"));
  OpSample other = sample<kGood>();
  other.op = "wrong_spec";
  EXPECT_TRUE(has(complaints({other}, {&kDefinition<kWrongSpec>}),
                  "wrong_spec: the call does not record its op"));
  EXPECT_TRUE(has(complaints({sample<kGood>()}, {}),
                  "good: there is no such op in the catalogue"));
}

TEST(OpContract, SaysWhichCallThrows) {
  OpSample broken = sample<kGood>();
  broken.name = "of two";
  broken.call = [](const Tensors& in) { return Tensors{matmul(in[0], 2)}; };
  EXPECT_TRUE(has(complaints({broken}, {&kDefinition<kGood>}),
                  "good of two, value: matmul: "));
}

}  // namespace
}  // namespace systolic::contracts
