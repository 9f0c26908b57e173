#include <algorithm>
#include <map>
#include <tuple>

#include "systolic/base/log.h"
#include "systolic/graph/function.h"
#include "systolic/graph/tape.h"
#include "systolic/graph/test_fixture.h"
#include "systolic/testing/environment_guard.h"

namespace systolic::internal::graph {
namespace {

using Floats = std::vector<float>;

// Without the check of functions, which runs their code at each call.
class FunctionPlatformTest : public GraphTest {
 protected:
  const testing::EnvironmentGuard unchecked_{"SYSTOLIC_CHECK_FUNCTIONS"};
  int runs_ = 0;
};

TEST_F(FunctionPlatformTest, IsRecordedOncePerSignature) {
  const auto f = function([&](Tensor x, int n) {
    ++runs_;
    return x * static_cast<float>(n);
  });
  for (int i = 1; i <= 4; ++i) {
    EXPECT_EQ(floats(f(vector({1, static_cast<float>(i)}), 3)),
              (Floats{3, 3.f * static_cast<float>(i)}));
  }
  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(f.experimental_get_tracing_count(), 1);
  EXPECT_EQ(floats(f(vector({1, 2}), 5)), (Floats{5, 10}));
  EXPECT_EQ(runs_, 2) << "a number counts by its value";
  EXPECT_EQ(floats(f(vector({1, 2, 3}), 5)), (Floats{5, 10, 15}));
  EXPECT_EQ(runs_, 3) << "a Tensor counts by its spec";
  EXPECT_EQ(floats(f(vector({2, 2}), 3)), (Floats{6, 6}));
  EXPECT_EQ(f.experimental_get_tracing_count(), 3);
}

TEST_F(FunctionPlatformTest, CallsLaunchOnceAndCompileOnce) {
  Variable w(Array::zeros({2}));
  const auto f = function([&](const Tensor& x) {
    w.assign_add(x);
    return sum(w * x);
  });
  const Tensor x = vector({1, 2});
  f(x).item<float>();
  const uint64_t compiled = compiles(), launched = launches();
  for (int i = 0; i < 10; ++i) f(x);
  EXPECT_EQ(f(x).item<float>(), 12 + 12 * 4);
  EXPECT_EQ(compiles(), compiled);
  EXPECT_EQ(launches(), launched + 11);
}

TEST_F(FunctionPlatformTest, StepCountAsATensorIsNotRecordedAgain) {
  const auto power = function([&](Tensor x, Tensor n) {
    ++runs_;
    return while_loop([&](const std::vector<Tensor>& v) { return v[0] < n; },
                      [&](const std::vector<Tensor>& v) {
                        return std::vector<Tensor>{v[0] + 1, v[1] * x};
                      },
                      {constant(0), ones_like(x)})[1];
  });
  const Tensor x = vector({2, 3});
  for (int n = 0; n < 5; ++n) {
    EXPECT_EQ(floats(power(x, constant(n)))[0], static_cast<float>(1 << n));
  }
  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(compiles(), 1u);
}

TEST_F(FunctionPlatformTest, VariablesAreOfTheCallOtherCapturesOfTheRecording) {
  Variable rate(Array::full({}, 2.f));
  float factor = 10;
  Tensor offset = vector({1, 1});
  const auto f = function([&](Tensor x) { return x * rate * factor + offset; });
  EXPECT_EQ(floats(f(vector({1, 2}))), (Floats{21, 41}));
  rate.assign(3.f);
  factor = 100;
  offset = vector({5, 5});
  EXPECT_EQ(floats(f(vector({1, 2}))), (Floats{31, 61}));
}

TEST_F(FunctionPlatformTest, AssignmentsTakeEffectAtEachCall) {
  Variable count(constant(0)), last(Array::zeros({2})), copy(Array::zeros({2}));
  const auto f = function([&](Tensor x) {
    ++runs_;
    count.assign_add(1);
    last.assign(x);
    copy.assign(last);
    copy.assign_add(1.f);
  });
  for (int i = 0; i < 5; ++i) f(vector({static_cast<float>(i), 0}));
  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(count.item<int>(), 5);
  EXPECT_EQ(floats(last), (Floats{4, 0}));
  EXPECT_EQ(floats(copy), (Floats{5, 1}));
}

TEST_F(FunctionPlatformTest, StructuresGoInAndOut) {
  using Dict = std::map<std::string, Tensor>;
  using Result = std::tuple<Dict, std::vector<Tensor>, Tensor, int>;
  const auto f = function([&](std::vector<Tensor> list,
                              std::pair<Tensor, std::string> pair,
                              std::optional<Tensor> more) -> Result {
    ++runs_;
    Tensor total = list[0];
    for (size_t i = 1; i < list.size(); ++i) total = total + list[i];
    if (more) total = total + *more;
    return {Dict{{pair.second, pair.first}, {"sum", total}}, list, Tensor(),
            static_cast<int>(list.size())};
  });
  for (int i = 0; i < 3; ++i) {
    const float k = static_cast<float>(i);
    const auto [dict, list, none, count] =
        f({vector({k}), vector({2})}, {vector({7}), "name"}, vector({10}));
    EXPECT_EQ(floats(dict.at("name")), (Floats{7}));
    EXPECT_EQ(floats(dict.at("sum")), (Floats{12 + k}));
    ASSERT_EQ(list.size(), 2u);
    EXPECT_EQ(floats(list[0]), (Floats{k}));
    EXPECT_FALSE(none.is_defined());
    EXPECT_EQ(count, 2);
  }
  EXPECT_EQ(runs_, 1);
  f({vector({1}), vector({2})}, {vector({7}), "other"}, vector({10}));
  f({vector({1})}, {vector({7}), "name"}, vector({10}));
  f({vector({1})}, {vector({7}), "name"}, {});
  EXPECT_EQ(runs_, 4);
}

TEST_F(FunctionPlatformTest, VariablesAsArgumentsCountByWhatTheyAre) {
  Variable a(vector({1})), b(vector({5}));
  const auto f = function([&](Variable v) {
    ++runs_;
    v.assign_add(1.f);
    return v * 2.f;
  });
  EXPECT_EQ(floats(f(a)), (Floats{4}));
  EXPECT_EQ(floats(f(a)), (Floats{6}));
  EXPECT_EQ(floats(f(b)), (Floats{12}));
  EXPECT_EQ(runs_, 2);
}

TEST_F(FunctionPlatformTest, FunctionsOfFunctions) {
  const auto inner = function([&](Tensor x) { return x * x; });
  const auto outer = function([&](Tensor x) {
    ++runs_;
    return inner(x) + inner(x + 1.f);
  });
  EXPECT_EQ(floats(outer(vector({1, 2}))), (Floats{5, 13}));
  EXPECT_EQ(floats(outer(vector({2, 3}))), (Floats{13, 25}));
  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(inner.experimental_get_tracing_count(), 1);
}

TEST_F(FunctionPlatformTest, GradientsGoThrough) {
  Variable w(vector({2, 3}));
  const auto loss = function([&](Tensor x) { return sum(square(w * x)); });
  const Tensor x = vector({1, 2});
  EXPECT_EQ(loss(x).item<float>(), 40);
  for (int i = 0; i < 2; ++i) {
    GradientTape tape;
    tape.watch(x);
    const Tensor value = loss(x);
    const auto g = tape.gradient(value, {w, x});
    EXPECT_EQ(floats(g[0]), (Floats{4, 24}));
    EXPECT_EQ(floats(g[1]), (Floats{8, 36}));
  }
  const auto step = function([&](Tensor in) {
    ++runs_;
    GradientTape tape;
    const Tensor value = loss(in);
    w.assign_sub(tape.gradient(value, w) * 0.25f);
    return value;
  });
  EXPECT_EQ(step(x).item<float>(), 40);
  EXPECT_EQ(floats(w), (Floats{1, -3}));
  EXPECT_EQ(step(x).item<float>(), 37);
  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(loss.experimental_get_tracing_count(), 1);
}

TEST_F(FunctionPlatformTest, RunsInsideAStepOfReplicas) {
  Variable total(vector({0}));
  const auto f = function(
      [&](Tensor x) { total.assign_add(all_reduce(ReduceOp::sum, x)); });
  {
    Step step(eight(), "strategy.run");
    f(vector({1}));
    step.commit({});
  }
  EXPECT_EQ(floats(total), (Floats{8}));
}

TEST_F(FunctionPlatformTest, UnseededNumbersAreNewAtEachCall) {
  const auto f = function([&] {
    ++runs_;
    return concatenate(
        {random::uniform({2}, 0, 1, {}), random::uniform({2}, 0, 1, {})});
  });
  const Floats first = floats(f()), second = floats(f());
  EXPECT_EQ(runs_, 1);
  EXPECT_NE(first, second);
  EXPECT_NE(Floats(first.begin(), first.begin() + 2),
            Floats(first.begin() + 2, first.end()));
  const auto fixed =
      function([&] { return random::uniform({2}, 0, 1, {.seed = 3}); });
  EXPECT_EQ(floats(fixed()), floats(fixed()));
}

TEST_F(FunctionPlatformTest, RunsWhereTheScopeSays) {
  const auto f = function([&](Tensor x) {
    ++runs_;
    return x + 1.f;
  });
  const PlacementGuard guard(Placement::single(client().device(3)));
  EXPECT_EQ(floats(f(vector({1}))), (Floats{2}));
  EXPECT_EQ(f(vector({1})).device(),
            "/job:localhost/replica:0/task:0/device:CPU:3");
  const PlacementGuard other(Placement::single(client().device(4)));
  EXPECT_EQ(floats(f(vector({1}))), (Floats{2}));
  EXPECT_EQ(f.experimental_get_tracing_count(), 1);
}

TEST_F(FunctionPlatformTest, WhatThrowsLeavesAllAsItWas) {
  Variable w(vector({1}));
  bool fails = true;
  const auto f = function([&](Tensor x) {
    w.assign_add(x);
    if (fails) throw ValueError("not now");
    return x + 0.f;
  });
  EXPECT_THROW(f(vector({1})), ValueError);
  EXPECT_EQ(floats(w), (Floats{1}));
  fails = false;
  f(vector({1}));
  EXPECT_EQ(floats(w), (Floats{2}));
}

TEST_F(FunctionPlatformTest, InputSignatureIsKept) {
  const auto f = function(
      [](Tensor x, int n) { return x * n; },
      {.name = "scaled", .input_signature = {{DType::float32, Shape{-1, 2}}}});
  EXPECT_EQ(floats(f(constant({{1.0, 2.0}}), 2)), (Floats{2, 4}));
  EXPECT_EQ(message_of<ShapeError>([&] {
              f(vector({1, 2, 3}), 1);
            }),
            "function \"scaled\": expected argument 1 to be float32[None, 2], "
            "got float32[3]\n"
            "  hint: cast or reshape it, or change the input_signature");
  EXPECT_EQ(message_of<TypeError>([&] {
              f(constant({{1, 2}}), 1);
            }),
            "function \"scaled\": expected argument 1 to be float32[None, 2], "
            "got int32[1, 2]\n"
            "  hint: cast or reshape it, or change the input_signature");
}

TEST_F(FunctionPlatformTest, ReadingAValueInsideNamesTheLine) {
  const auto f = function([](Tensor x) { return x.item<float>() > 0 ? x : -x; },
                          {.name = "absolute"});
  const std::string text =
      message_of<ValueError>([&] { f(constant(Array::scalar(1.f))); });
  EXPECT_TRUE(
      text.starts_with("Tensor.numpy: a value can not be read inside absolute"))
      << text;
  EXPECT_NE(text.find("at: function_platform_test.cc:"), text.npos) << text;
}

TEST_F(FunctionPlatformTest, ValueThatIsKeptOutsideIsRecordedAtEachCall) {
  std::vector<std::string> lines;
  const LogSink before = set_log_sink(
      [&](LogLevel, std::string_view text) { lines.emplace_back(text); });
  std::vector<Tensor> kept;
  const auto f = function([&](Tensor x) {
    ++runs_;
    kept.push_back(x * 2.f);
    return x + 1.f;
  });
  f(vector({1}));
  EXPECT_EQ(floats(f(vector({5}))), (Floats{6}));
  set_log_sink(before);
  EXPECT_EQ(runs_, 2);
  EXPECT_EQ(floats(kept[0]), (Floats{2}));
  EXPECT_EQ(floats(kept[1]), (Floats{10}));
  ASSERT_FALSE(lines.empty());
  EXPECT_TRUE(
      lines[0].starts_with("function \"function\": the value of "
                           "multiply at function_platform_test.cc:"))
      << lines[0];
}

TEST_F(FunctionPlatformTest, ReasonsOfRecordingAgainAreLogged) {
  std::vector<std::string> lines;
  const LogLevel level = log_level();
  set_log_level(LogLevel::debug);
  const LogSink before = set_log_sink([&](LogLevel at, std::string_view text) {
    if (text.starts_with("function")) {
      lines.push_back(std::string(name(at)) + " " + std::string(text));
    }
  });
  const auto f = function([](Tensor x, int n) { return x * n; }, {.name = "f"});
  f(vector({1}), 1);
  f(vector({1}), 2);
  f(vector({1, 2}), 2);
  EXPECT_EQ(lines, (std::vector<std::string>{
                       "debug function \"f\": recorded again: argument 2 is 2 "
                       "that was 1",
                       "debug function \"f\": recorded again: argument 1 is "
                       "float32[2] that was float32[1]"}));
  for (int n = 3; n < 9; ++n) f(vector({1}), n);
  set_log_sink(before);
  set_log_level(level);
  EXPECT_EQ(std::ranges::count_if(
                lines, [](auto& l) { return l.starts_with("warning"); }),
            1);
}

TEST_F(FunctionPlatformTest, VariablesOfBeforeAReinitialisationAreNamed) {
  runtime::Client& own = runtime::Client::open({.device_count = 5});
  const PlacementGuard guard(Placement::single(own.device(0)));
  Variable w(vector({1}), {.name = "w"});
  const auto f = function([&](Tensor x) { return x + w; });
  f(vector({1}));
  forget_variables(own);
  EXPECT_TRUE(message_of<ValueError>([&] {
                f(vector({1}));
              }).starts_with("Variable \"w\": its memory was freed"));
}

}  // namespace
}  // namespace systolic::internal::graph
