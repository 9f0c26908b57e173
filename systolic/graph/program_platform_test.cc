#include <gmock/gmock.h>

#include <algorithm>

#include "systolic/graph/op.h"
#include "systolic/graph/program.h"
#include "systolic/graph/test_fixture.h"

namespace systolic::internal::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ProgramPlatformTest : public GraphTest {
 protected:
  static Program program_of(const std::vector<Tensor>& tensors,
                            const Placement* placement = one()) {
    std::vector<Root> roots;
    for (const Tensor& tensor : tensors) roots.push_back({tensor.ref(), {}});
    return Program(roots, placement);
  }
  static std::vector<uint64_t> key(const std::vector<Tensor>& tensors) {
    return program_of(tensors).key();
  }
};

TEST_F(ProgramPlatformTest, ArgumentsAreDataInOrderOfFirstUse) {
  const Tensor a = vector({1, 2}), b = vector({3, 4});
  const Tensor y = b * a + b;
  const Program program = program_of({y});
  EXPECT_THAT(program.arguments(), ElementsAre(b.ref(), a.ref()));
  EXPECT_EQ(program.order().size(), 2u);
  EXPECT_THAT(program.outputs(), ElementsAre(y.ref()));
  EXPECT_TRUE(program.foreign().empty());
  EXPECT_EQ(program.uses(0), 3) << "two nodes and the program";
  EXPECT_EQ(program.uses(1), 2);
}

TEST_F(ProgramPlatformTest, ScalarsAreLiteralsInOrder) {
  const Tensor y = vector({1, 2}) * 2.5f + 3;
  const Program program = program_of({y});
  ASSERT_EQ(program.literals().size(), 2u);
  EXPECT_EQ(std::bit_cast<double>(program.literals()[0]), 2.5);
  EXPECT_EQ(program.literal_dtype(1), DType::float32);
  EXPECT_EQ(std::bit_cast<double>(program.literals()[1]), 3.0);
}

TEST_F(ProgramPlatformTest, KeysAreOfStructureNotOfValues) {
  const auto f = [](const Tensor& x, float by) { return exp(x * by) + x; };
  const auto wanted = key({f(vector({1, 2}), 2)});
  EXPECT_EQ(key({f(vector({5, 6}), 3)}), wanted);
  EXPECT_NE(key({f(vector({5, 6, 7}), 3)}), wanted);
  EXPECT_NE(key({f(constant(Array::zeros({2}, DType::float64)), 3)}), wanted);
  EXPECT_EQ(program_of({f(vector({1, 2}), 2)}, eight()).foreign().size(), 1u);
}

TEST_F(ProgramPlatformTest, KeysTellWhatIsConnectedToWhat) {
  const Tensor a = vector({1, 2}), b = vector({3, 4});
  std::vector<std::vector<uint64_t>> keys{
      key({a + b}),
      key({a - b}),
      key({a + a}),
      key({a + b + a}),
      key({a + (b + a)}),
      key({a * b + b}),
      key({a * b + a}),
      key({exp(a)}),
      key({exp(exp(a))}),
      key({exp(a), a}),
      key({exp(a), exp(b)}),
      key({exp(b), exp(b)}),
      key({-a, exp(a)}),
      key({exp(a), -a}),
      key({sum(a)}),
      key({concatenate({a, b})}),
      key({concatenate({a, b, a})}),
      key({concatenate({concatenate({a, b}), a})})};
  for (size_t i = 0; i < keys.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      EXPECT_NE(keys[i], keys[j]) << i << " and " << j;
    }
  }
}

TEST_F(ProgramPlatformTest, OutputsAreRootsThenLiveHandles) {
  const Tensor x = vector({1, 2});
  const Tensor kept = exp(x);
  Tensor dropped = kept * 2.f;
  const Tensor root = dropped + 1.f;
  const auto with_handle = key({root});
  EXPECT_EQ(program_of({root}).outputs().size(), 3u);
  dropped = Tensor();
  const Program program = program_of({root, root});
  EXPECT_THAT(program.outputs(), ElementsAre(root.ref(), kept.ref()));
  EXPECT_NE(program.key(), with_handle);
  EXPECT_TRUE(std::ranges::equal(
      program.structure(),
      std::span(with_handle).first(program.structure().size())))
      << "only the outputs differ";
  EXPECT_EQ(program.output_words().size(), 2u);
}

TEST_F(ProgramPlatformTest, ReplacedValuesAreDonated) {
  const Tensor a = vector({1, 2}), b = vector({3, 4});
  const Tensor x = a + b, y = sum(b), z = a * 2.f;
  const std::vector<Root> roots{{x.ref(), a.ref()},
                                {y.ref(), b.ref()},  // another shape
                                {z.ref(), vector({1, 2}).ref()},  // not used
                                {x.ref(), b.ref()}};  // x is a's already
  const Program program(roots, one());
  ASSERT_EQ(program.donations().size(), 1u);
  const auto& donation = program.donations()[0];
  EXPECT_EQ(program.arguments()[donation.argument], a.ref());
  EXPECT_EQ(program.outputs()[donation.output], x.ref());
  EXPECT_EQ(donation.held, 1);
  EXPECT_THAT(program.emit({}), HasSubstr("tf.aliasing_output = 0"));
}

TEST_F(ProgramPlatformTest, RootsThatReplaceTheSameValue) {
  const Tensor a = vector({1, 2});
  const Tensor x = a + 1.f, y = a + 2.f;
  const Program program(
      std::vector<Root>{{x.ref(), a.ref()}, {y.ref(), a.ref()}}, one());
  ASSERT_EQ(program.donations().size(), 1u);
  EXPECT_EQ(program.donations()[0].held, 2);
}

TEST_F(ProgramPlatformTest, ScratchIsClearedForTheNextProgram) {
  const Tensor x = vector({1, 2});
  const Tensor y = exp(x) + 1.f, z = y * y;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(program_of({z}).outputs().size(), 2u);
    EXPECT_EQ(program_of({y}).outputs().size(), 1u);
  }
}

TEST_F(ProgramPlatformTest, ScratchIsClearedWhereAProgramIsRefused) {
  GradientTape tape;
  const Tensor x = vector({1, 2});
  tape.watch(x);
  const Tensor y = exp(x);
  const Tensor stranger(Ref{make_parameter(y.spec(), next_region()), 0});
  EXPECT_THROW(program_of({y + stranger}), ValueError);
  EXPECT_FALSE(y.ref().node->output(0).wanted_by_tape);
}

TEST_F(ProgramPlatformTest, ValuesOfOtherPlacesAreForeign) {
  Tensor there;
  {
    const PlacementGuard guard(Placement::single(client().device(3)));
    there = vector({1, 2}) + 1.f;
  }
  const Tensor y = there * 2.f;
  EXPECT_THAT(program_of({y}).foreign(), ElementsAre(there.ref()));
}

TEST_F(ProgramPlatformTest, ValuesFromBeforeAStepAreForeignToIt) {
  const Tensor before = vector({1, 2}) + 1.f;
  const Step step(one(), "train_step");
  const Tensor inside = before * 2.f;
  EXPECT_THAT(program_of({inside}).foreign(), ElementsAre(before.ref()));
  EXPECT_TRUE(program_of({before}).foreign().empty());
}

TEST_F(ProgramPlatformTest, TextOfAProgram) {
  const Tensor y = vector({1, 2}) * 3.f;
  EXPECT_EQ(
      program_of({y}).emit({}),
      "module @systolic attributes {mhlo.num_partitions = 1 : i32, "
      "mhlo.num_replicas = 1 : i32} {\n"
      "func.func public @main(%0: tensor<2xf32>) -> (tensor<2xf32>) {\n"
      "%1 = \"stablehlo.constant\"() {value = dense<3.0e+00> : tensor<f32>} "
      ": () -> (tensor<f32>)\n"
      "%2 = \"stablehlo.broadcast_in_dim\"(%1) {broadcast_dimensions = "
      "array<i64>} : (tensor<f32>) -> (tensor<2xf32>)\n"
      "%3 = \"stablehlo.multiply\"(%0, %2) : (tensor<2xf32>, "
      "tensor<2xf32>) -> (tensor<2xf32>)\n"
      "return %3 : tensor<2xf32>\n"
      "}\n"
      "}\n");
}

TEST_F(ProgramPlatformTest, GenericScalarsAreTheLastArguments) {
  const Tensor y = vector({1, 2}) * 3.f + 4.f;
  const Program program = program_of({y});
  const std::vector<int> second{1}, both{0, 1};
  EXPECT_THAT(program.emit(second),
              HasSubstr("@main(%0: tensor<2xf32>, %1: tensor<f32>)"));
  EXPECT_THAT(
      program.emit(both),
      HasSubstr("@main(%0: tensor<2xf32>, %1: tensor<f32>, %2: tensor<f32>)"));
}

TEST_F(ProgramPlatformTest, ReplicatedProgramSaysSo) {
  const Step step(eight(), "strategy.run");
  const Tensor y = all_reduce(ReduceOp::sum, vector({1, 2}));
  EXPECT_THAT(program_of({y}, eight()).emit({}),
              HasSubstr("mhlo.num_replicas = 8"));
}

TEST_F(ProgramPlatformTest, LoopsWithTheSameBodyHaveTheSameKey) {
  const auto loop = [](float by, int count) {
    return while_loop([&](const auto& v) { return v[0] < count; },
                      [&](const auto& v) {
                        return std::vector{v[0] + 1, v[1] * by};
                      },
                      {constant(Array::scalar(0)), vector({1, 2})})[1];
  };
  EXPECT_EQ(key({loop(2, 3)}), key({loop(3, 4)}));
  EXPECT_NE(key({loop(2, 3)}), key({loop(2, 3) * 1.f}));
}

}  // namespace
}  // namespace systolic::internal::graph
