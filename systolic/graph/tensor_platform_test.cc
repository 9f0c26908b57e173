#include <gmock/gmock.h>

#include <sstream>

#include "systolic/graph/arg.h"
#include "systolic/graph/tensor.h"
#include "systolic/graph/test_fixture.h"

namespace systolic::internal::graph {
namespace {

using ::testing::HasSubstr;
using TensorPlatformTest = GraphTest;
using Floats = std::vector<float>;

TEST_F(TensorPlatformTest, NothingIsComputedBeforeItIsLookedAt) {
  const uint64_t before = launches();
  const Tensor x = vector({1, 2});
  const Tensor y = exp(x) + x * 2.f;
  EXPECT_EQ(y.spec(), (TensorSpec{DType::float32, Shape{2}}));
  EXPECT_EQ(y.rank(), 1);
  EXPECT_EQ(launches(), before);
  y.numpy();
  EXPECT_EQ(launches(), before + 1);
  y.numpy();
  EXPECT_EQ(launches(), before + 1) << "computed once";
}

TEST_F(TensorPlatformTest, CopiesShareTheValue) {
  Tensor a = vector({1, 2}) + 1;
  const Tensor b = a;
  Tensor c = std::move(a);
  a = c;
  a = std::move(a);
  const uint64_t before = launches();
  EXPECT_EQ(floats(b), floats(c));
  EXPECT_EQ(floats(a), floats(c));
  EXPECT_EQ(launches(), before + 1);
}

TEST_F(TensorPlatformTest, LiveHandlesAreCountedExactly) {
  Tensor a = vector({1}) + 1;
  const auto handles = [&] { return a.ref().node->first.handles.load(); };
  EXPECT_EQ(handles(), 1);
  {
    Tensor b = a;
    EXPECT_EQ(handles(), 2);
    Tensor c = std::move(b);
    EXPECT_EQ(handles(), 2);
    b = c;
    EXPECT_EQ(handles(), 3);
    b = Tensor();
    EXPECT_EQ(handles(), 2);
    Tensor& alias = c;
    c = alias;
    c = std::move(alias);
    EXPECT_EQ(handles(), 2);
    const Arg named(c);
    EXPECT_EQ(handles(), 2) << "like a reference";
    const Arg kept(Tensor{c});
    EXPECT_EQ(handles(), 3);
  }
  EXPECT_EQ(handles(), 1);
}

TEST_F(TensorPlatformTest, PrintsAsTensorFlowWithoutItsPrefix) {
  const Tensor t = constant(Array::from({1.f, 2.f, 3.f, 4.f}, {2, 2}));
  std::ostringstream out;
  out << t;
  EXPECT_EQ(out.str(),
            "Tensor(\n[[1. 2.]\n [3. 4.]], shape=(2, 2), dtype=float32)");
  EXPECT_EQ((t + 1).to_string(),
            "Tensor(\n[[2. 3.]\n [4. 5.]], shape=(2, 2), dtype=float32)");
  EXPECT_EQ(constant(Array::scalar(3)).to_string(),
            "Tensor(\n3, shape=(), dtype=int32)");
  EXPECT_EQ(Tensor().to_string(), "Tensor()");
}

TEST_F(TensorPlatformTest, SymbolicOnesPrintWithoutValues) {
  const Tensor t(Ref{make_parameter({DType::float32, Shape{2, 3}}, 0), 0});
  EXPECT_EQ(t.to_string(), "Tensor(symbolic, shape=(2, 3), dtype=float32)");
  EXPECT_EQ(message_of<ValueError>([&] { (void)(t + 1).numpy(); }),
            "Tensor: expected a value that can be computed, got a symbolic "
            "one, made by Input or inside a loop body\n"
            "  hint: call the model with data, or read the value after the "
            "loop");
  uint32_t line = 0;
  const std::string what = message_of<ValueError>([&] {
    line = std::source_location::current().line() + 1;
    t.numpy();
  });
  EXPECT_EQ(what,
            "Tensor.numpy: the Tensor is symbolic: it has a shape but no "
            "value\n"
            "  tensor: float32[2, 3]\n"
            "  hint: call the model with data to get values\n"
            "  at: tensor_platform_test.cc:" +
                std::to_string(line));
}

TEST_F(TensorPlatformTest, UndefinedOnesAreRefused) {
  const Tensor none;
  EXPECT_FALSE(none.is_defined());
  const std::string wanted =
      "Tensor: expected a Tensor that holds a value, got an undefined one "
      "(Tensor())";
  EXPECT_EQ(message_of<ValueError>([&] { none.spec(); }), wanted);
  EXPECT_EQ(message_of<ValueError>([&] { none.numpy(); }), wanted);
  EXPECT_EQ(message_of<ValueError>([&] { none.device(); }), wanted);
  uint32_t line = 0;
  const std::string op = message_of<ValueError>([&] {
    line = std::source_location::current().line() + 1;
    exp(none);
  });
  EXPECT_THAT(op, HasSubstr("got an undefined one (Tensor())"));
}

TEST_F(TensorPlatformTest, ScalarsAdaptToTheOtherOperand) {
  EXPECT_EQ(Arg(2).dtype(), DType::int32);
  EXPECT_EQ(Arg(2.0).dtype(), DType::float32);
  EXPECT_EQ(Arg(true).dtype(), DType::boolean);
  EXPECT_EQ(Arg(2).tensor(DType::float64).item<double>(), 2.0);
  EXPECT_EQ(Arg(int64_t{-3}).tensor(DType::int8).item<int>(), -3);
  EXPECT_EQ(Arg(2.5).tensor(DType::float16).item<float>(), 2.5f);
  const Tensor half = cast(vector({1, 2}), DType::bfloat16);
  EXPECT_EQ((half / 255.f).dtype(), DType::bfloat16);
  EXPECT_EQ((constant(Array::from({1, 2})) * 0.5f).dtype(), DType::float32);
}

TEST_F(TensorPlatformTest, ScalarTensorsCanBeReadAndPrinted) {
  const Tensor two = Arg(2.5f).tensor();
  EXPECT_EQ(two.item<float>(), 2.5f);
  EXPECT_EQ(two.to_string(), "Tensor(\n2.5, shape=(), dtype=float32)");
  EXPECT_EQ(two.device(), "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_EQ((two + vector({1})).item<float>(), 3.5f) << "still a scalar";
}

TEST_F(TensorPlatformTest, ArgRemembersWhereItWasWritten) {
  const uint32_t line = std::source_location::current().line() + 1;
  const Arg arg = vector({1});
  EXPECT_EQ(arg.where().line(), line);
  const std::string what = message_of<ShapeError>([&] {
    (void)(vector({1, 2}) + vector({1, 2, 3}));
  });
  EXPECT_THAT(what, HasSubstr("at: tensor_platform_test.cc:" +
                              std::to_string(line + 3)));
}

TEST_F(TensorPlatformTest, ValueOfALoopBodyReadAfterTheLoop) {
  Tensor leaked;
  for_loop(2, [&](const Tensor& i) { leaked = i * 2; });
  uint32_t line = 0;
  const std::string what = message_of<ValueError>([&] {
    line = std::source_location::current().line() + 1;
    leaked.numpy();
  });
  EXPECT_EQ(what,
            "Tensor.numpy: the Tensor was made inside a loop body: it has "
            "another value each time round\n"
            "  tensor: int32[]\n"
            "  hint: return it from the loop, or assign it to a Variable\n"
            "  at: tensor_platform_test.cc:" +
                std::to_string(line));
  EXPECT_THROW((leaked + 1).numpy(), ValueError);
}

}  // namespace
}  // namespace systolic::internal::graph
