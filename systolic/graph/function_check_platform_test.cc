// SYSTOLIC_CHECK_FUNCTIONS=1: each call is recorded, and compared with what was
// recorded first.
#include "systolic/graph/function.h"
#include "systolic/graph/test_fixture.h"
#include "systolic/testing/environment_guard.h"

namespace systolic::internal::graph {
namespace {

class FunctionCheckPlatformTest : public GraphTest {
 protected:
  // What the second of two calls with the same signature says.
  template <class F>
  static std::string second_call(const F& f) {
    const Tensor x = vector({1, 2});
    f(x);
    return message_of<ValueError>([&] { f(x); });
  }
  static std::string told(const std::string& what) {
    return "function \"f\": recorded again, its program is another one: " +
           what;
  }

  const testing::EnvironmentGuard checked_{"SYSTOLIC_CHECK_FUNCTIONS", "1"};
};

TEST_F(FunctionCheckPlatformTest, FunctionThatKeepsToItsArgumentsPasses) {
  Variable w(vector({1, 1}));
  int runs = 0;
  const Tensor offset = vector({1, 2});
  const auto f = function([&](Tensor x, int n) {
    ++runs;
    w.assign_add(x);
    const auto out =
        while_loop([](const std::vector<Tensor>& v) { return v[0] < 3; },
                   [&](const std::vector<Tensor>& v) {
                     return std::vector<Tensor>{v[0] + 1, v[1] * 2.f + offset};
                   },
                   {constant(0), x * n});
    return out[1] + random::uniform({2}, 0, 1, {}) * 0.f + Array::ones({2});
  });
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(floats(f(vector({1, 2}), 2)), (std::vector<float>{24, 47}));
  }
  EXPECT_EQ(runs, 4);
  EXPECT_EQ(f.experimental_get_tracing_count(), 1);
  EXPECT_EQ(floats(w), (std::vector<float>{5, 9}));
}

TEST_F(FunctionCheckPlatformTest, NumberThatChangesIsNamedWithItsLine) {
  float factor = 2;
  const auto f = function(
      [&](Tensor x) {
        factor += 1;
        return x * factor;
      },
      {.name = "f"});
  const std::string text = second_call(f);
  EXPECT_TRUE(text.starts_with(
      told("a C++ number in multiply at function_check_platform_test.cc:")))
      << text;
  EXPECT_NE(text.find(" is 4.0, 3.0 was recorded\n"), text.npos) << text;
  EXPECT_NE(text.find("SYSTOLIC_CHECK_FUNCTIONS=1"), text.npos) << text;
}

TEST_F(FunctionCheckPlatformTest, NumberInALoopBodyIsFound) {
  int limit = 3;
  const auto f = function(
      [&](Tensor x) {
        ++limit;
        return while_loop(
            [&](const std::vector<Tensor>& v) { return sum(v[0]) < limit; },
            [&](const std::vector<Tensor>& v) {
              return std::vector<Tensor>{v[0] + 1.f};
            },
            {x})[0];
      },
      {.name = "f"});
  const std::string text = second_call(f);
  EXPECT_TRUE(text.starts_with(
      told("a C++ number in compare at function_check_platform_test.cc:")))
      << text;
}

TEST_F(FunctionCheckPlatformTest, OtherOperationIsNamedWithBothLines) {
  bool first = true;
  const auto f = function(
      [&](Tensor x) {
        if (std::exchange(first, false)) return x + 1.f;
        return x * 2.f;
      },
      {.name = "f"});
  const std::string text = second_call(f);
  EXPECT_TRUE(text.starts_with(
      told("it has multiply at function_check_platform_test.cc:")))
      << text;
  EXPECT_NE(text.find(" where add at function_check_platform_test.cc:"),
            text.npos)
      << text;
}

TEST_F(FunctionCheckPlatformTest, MoreOperationsAreNamed) {
  int n = 0;
  const auto f = function(
      [&](Tensor x) {
        ++n;
        for (int i = 0; i < n; ++i) x = x + 1.f;
        return x;
      },
      {.name = "f"});
  const std::string text = second_call(f);
  EXPECT_TRUE(text.starts_with(
      told("it goes on with add at function_check_platform_test.cc:")))
      << text;
}

TEST_F(FunctionCheckPlatformTest, OptionThatChangesIsNamed) {
  int axis = 2;
  const auto f = function(
      [&](Tensor x) {
        return sum(reshape(x, {1, 2, 1}), {.axis = --axis});
      },
      {.name = "f"});
  const std::string text = second_call(f);
  EXPECT_TRUE(text.starts_with(
      told("the options of sum at function_check_platform_test.cc:")))
      << text;
}

TEST_F(FunctionCheckPlatformTest, CapturedTensorThatChangesIsNamed) {
  Tensor offset = vector({1, 1});
  const auto f = function(
      [&](Tensor x) {
        const Tensor y = x + offset;
        offset = vector({2, 2});
        return y;
      },
      {.name = "f"});
  const std::string text = second_call(f);
  EXPECT_TRUE(text.starts_with(told(
      "a captured float32[2] used by add at function_check_platform_test.cc:")))
      << text;
  EXPECT_NE(text.find(" has other elements than were recorded"), text.npos);
}

TEST_F(FunctionCheckPlatformTest, OtherVariableIsNamed) {
  Variable a(vector({1, 1}), {.name = "a"}), b(vector({1, 1}), {.name = "b"});
  const auto f = function(
      [&](Tensor x) {
        std::swap(a, b);
        return x + a;
      },
      {.name = "f"});
  const std::string text = second_call(f);
  EXPECT_TRUE(text.starts_with(told("add at function_check_platform_test.cc:")))
      << text;
  EXPECT_NE(text.find(" uses Variable \"a\" where Variable \"b\" was recorded"),
            text.npos)
      << text;
}

TEST_F(FunctionCheckPlatformTest, NothingIsAssignedWhereItThrows) {
  Variable w(vector({1, 1}));
  float factor = 1;
  const auto f = function(
      [&](Tensor x) {
        w.assign_add(x * factor);
        factor += 1;
      },
      {.name = "f"});
  const std::string text = second_call(f);
  EXPECT_TRUE(text.starts_with(told("a C++ number"))) << text;
  EXPECT_EQ(floats(w), (std::vector<float>{2, 3}));
}

}  // namespace
}  // namespace systolic::internal::graph
