#include <gmock/gmock.h>

#include "systolic/graph/elementwise.h"
#include "systolic/graph/intrinsics.h"
#include "systolic/graph/op.h"
#include "systolic/graph/test_fixture.h"

namespace systolic::internal::graph {
namespace {

using ::testing::HasSubstr;
using IntrinsicsPlatformTest = GraphTest;
using Floats = std::vector<float>;

TEST_F(IntrinsicsPlatformTest, AddSubtractNegative) {
  const Tensor x = vector({1, 2}), y = vector({10, 20});
  EXPECT_EQ(floats(graph::add(x, y)), (Floats{11, 22}));
  EXPECT_EQ(floats(graph::subtract(x, y)), (Floats{-9, -18}));
  EXPECT_EQ(floats(graph::negative(x)), (Floats{-1, -2}));
  EXPECT_EQ(floats(graph::add(x, 1)), (Floats{2, 3}));
  EXPECT_EQ(floats(graph::subtract(1, x)), (Floats{0, -1}));
  const Tensor yes = constant(Array::from<bool>({true, false}));
  EXPECT_TRUE(graph::add(yes, yes).numpy().span<bool>()[0]);
  EXPECT_FALSE(graph::add(yes, yes).numpy().span<bool>()[1]);
}

TEST_F(IntrinsicsPlatformTest, OperandsArePromoted) {
  const auto dtypes = [](const Arg& x, const Arg& y) {
    const auto [a, b] = promote_operands(x, y);
    EXPECT_EQ(a.dtype(), b.dtype());
    return a.dtype();
  };
  const Tensor f = vector({1}), i = constant(Array::from({1}));
  const Tensor h = cast(f, DType::bfloat16);
  EXPECT_EQ(dtypes(f, i), DType::float32);
  EXPECT_EQ(dtypes(h, f), DType::float32);
  EXPECT_EQ(dtypes(h, 2.5f), DType::bfloat16);
  EXPECT_EQ(dtypes(2, h), DType::bfloat16);
  EXPECT_EQ(dtypes(i, 2), DType::int32);
  EXPECT_EQ(dtypes(i, 2.5), DType::float32);
  EXPECT_EQ(dtypes(1, 2), DType::int32);
  EXPECT_EQ(dtypes(1, 2.5), DType::float32);
}

TEST_F(IntrinsicsPlatformTest, ConvertGivesTheDtypeAndNoNodeIfItHasIt) {
  const Tensor x = vector({1.7f, -1.7f});
  const Tensor y = convert(x, DType::int32);
  EXPECT_EQ(y.numpy().span<int>()[0], 1);
  EXPECT_EQ(y.numpy().span<int>()[1], -1);
  EXPECT_EQ(convert(x, DType::float32).ref(), x.ref());
  EXPECT_EQ(convert(2, DType::float64).dtype(), DType::float64);
}

TEST_F(IntrinsicsPlatformTest, IdentityIsANodeOfItsOwn) {
  const Tensor x = vector({1, 2});
  const Tensor y = identity(x);
  EXPECT_NE(y.ref(), x.ref());
  EXPECT_EQ(y.spec(), x.spec());
  EXPECT_EQ(floats(y), floats(x));
}

TEST_F(IntrinsicsPlatformTest, BroadcastAndItsInverse) {
  const Tensor x = constant(Array::from({1.f, 2.f}, {2, 1}));
  const Tensor y = graph::broadcast_to(x, {3, 2, 2});
  EXPECT_EQ(floats(y), (Floats{1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2}));
  EXPECT_EQ(graph::broadcast_to(x, {2, 1}).ref(), x.ref());
  const Tensor back = sum_to(y, {2, 1});
  EXPECT_EQ(floats(back), (Floats{6, 12}));
  EXPECT_EQ(sum_to(y, Shape::scalar()).item<float>(), 18.f);
  EXPECT_EQ(floats(sum_to(y, {3, 1, 1})), (Floats{6, 6, 6}));
  EXPECT_EQ(sum_to(x, {2, 1}).ref(), x.ref());
  EXPECT_EQ(floats(zeros_of(x.spec())), (Floats{0, 0}));
  EXPECT_EQ(floats(ones_of(x.spec())), (Floats{1, 1}));
}

TEST_F(IntrinsicsPlatformTest, ShapesThatDoNotFit) {
  uint32_t line = 0;
  const std::string add = message_of<ShapeError>([&] {
    line = std::source_location::current().line() + 1;
    graph::add(vector({1, 2}), vector({1, 2, 3}));
  });
  EXPECT_EQ(add,
            "add: expected shapes that broadcast together, got (2,) and (3,)\n"
            "  input 0: float32[2]\n"
            "  input 1: float32[3]\n"
            "  hint: sizes must be equal or 1, counted from the last axis\n"
            "  at: intrinsics_platform_test.cc:" +
                std::to_string(line));
  const std::string broadcast = message_of<ShapeError>([&] {
    line = std::source_location::current().line() + 1;
    graph::broadcast_to(vector({1, 2}), {3, 3});
  });
  EXPECT_EQ(broadcast,
            "broadcast_to: expected a shape that broadcasts to (3, 3), got "
            "(2,)\n"
            "  input: float32[2]\n"
            "  at: intrinsics_platform_test.cc:" +
                std::to_string(line));
  EXPECT_THROW(graph::broadcast_to(constant(Array::zeros({3, 3})), {3}),
               ShapeError);
}

TEST_F(IntrinsicsPlatformTest, InputsOfSeveralDtypesAreRefusedByTheRule) {
  const std::vector<Ref> inputs{vector({1}).ref(),
                                constant(Array::from({1})).ref()};
  const auto where = SourceLocation::current();
  Infer in("mix", inputs, where);
  EXPECT_THAT(message_of<TypeError>([&] { infer_elementwise(in); }),
              HasSubstr("mix: expected inputs of one dtype, got float32 and "
                        "int32"));
}

TEST_F(IntrinsicsPlatformTest, CatalogueHasEachOpOnce) {
  std::vector<std::string_view> names;
  for (const OpDef* op : intrinsics_catalog()) names.push_back(op->name);
  EXPECT_THAT(names, ::testing::ElementsAre("add", "subtract", "negative",
                                            "cast", "broadcast_to", "sum_to",
                                            "stop_gradient", "real", "conj"));
}

}  // namespace
}  // namespace systolic::internal::graph
