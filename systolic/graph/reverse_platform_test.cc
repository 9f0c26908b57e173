// The reverse walk: values of gradients, whatever happens in between.
#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <sstream>

#include "systolic/graph/op.h"
#include "systolic/graph/test_fixture.h"
#include "systolic/runtime/memory.h"
#include "systolic/testing/environment_guard.h"

namespace systolic::internal::graph {
namespace {

using ::testing::HasSubstr;
using ReversePlatformTest = GraphTest;
using Floats = std::vector<float>;

TEST_F(ReversePlatformTest, BroadcastOperandsGetSums) {
  const Tensor x = constant(Array::from({1.f, 2.f, 3.f, 4.f}, {2, 2}));
  const Tensor row = vector({10, 20});
  const Tensor column = constant(Array::from({1.f, 2.f}, {2, 1}));
  const Tensor scalar = constant(Array::scalar(3.f));
  GradientTape tape;
  for (const Tensor& t : {x, row, column, scalar}) tape.watch(t);
  const Tensor y = sum(x * row + column * scalar - row);
  const auto g = tape.gradient(y, {x, row, column, scalar});
  EXPECT_EQ(floats(g[0]), (Floats{10, 20, 10, 20}));
  EXPECT_EQ(floats(g[1]), (Floats{1 + 3 - 2, 2 + 4 - 2}));
  EXPECT_EQ(g[2].shape(), (Shape{2, 1}));
  EXPECT_EQ(floats(g[2]), (Floats{6, 6}));
  EXPECT_EQ(g[3].shape(), Shape::scalar());
  EXPECT_EQ(g[3].item<float>(), 6.f);
}

TEST_F(ReversePlatformTest, NonScalarTargetIsSummed) {
  const Tensor x = vector({1, 2, 3});
  GradientTape tape;
  tape.watch(x);
  EXPECT_EQ(floats(tape.gradient(x * x, {x})[0]), (Floats{2, 4, 6}));
}

TEST_F(ReversePlatformTest, TargetThatIsASource) {
  const Tensor x = vector({1, 2, 3});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = x * 1.f;
  EXPECT_EQ(floats(tape.gradient(y, {y})[0]), (Floats{1, 1, 1}));
}

TEST_F(ReversePlatformTest, VariableThatIsReadSeveralTimes) {
  Variable w(vector({1, 2}));
  GradientTape tape;
  const Tensor y = sum(w * w.value() + 3.f * w);
  EXPECT_EQ(floats(tape.gradient(y, {w, w})[1]), (Floats{5, 7}));
}

TEST_F(ReversePlatformTest, PathsAddUp) {
  Variable w(vector({2}));
  GradientTape tape;
  const Tensor a = w * 3.f;
  const Tensor b = a * a;
  const Tensor c = a + b;
  EXPECT_EQ(tape.gradient(b + c, {w})[0].item<float>(), 3 + 2 * 2 * 9 * 2);
}

TEST_F(ReversePlatformTest, IntermediateValuesAreSourcesToo) {
  Variable w(vector({2, 3}));
  GradientTape tape;
  const Tensor h = w * w;
  const Tensor y = sum(h * h);
  const auto g = tape.gradient(y, {h});
  EXPECT_EQ(floats(g[0]), (Floats{8, 18}));
}

TEST_F(ReversePlatformTest, CastsKeepTheDtypeOfTheInput) {
  Variable w(constant(cast(Array::from({1.f, 2.f}), DType::bfloat16)));
  GradientTape tape;
  const Tensor y = sum(cast(w, DType::float32) * 2.f);
  const Tensor g = tape.gradient(y, {w})[0];
  EXPECT_EQ(g.dtype(), DType::bfloat16);
  EXPECT_EQ(floats(cast(g, DType::float32)), (Floats{2, 2}));
}

TEST_F(ReversePlatformTest, IntegersCarryNoGradient) {
  Variable w(vector({1.5f, 2.5f}));
  GradientTape tape;
  const Tensor whole = cast(cast(w, DType::int32), DType::float32);
  const Tensor y = sum(w * whole);
  EXPECT_EQ(floats(tape.gradient(y, {w})[0]), (Floats{1, 2}));
}

// Two results; the gradient rule must see zeros for the one nobody used.
struct Halves {
  template <class V>
  void visit(V&&) const {}
};
constexpr Op<Halves> kHalves{
    .name = "halves",
    .infer =
        [](Infer& in, const Halves&) {
          const TensorSpec half{in.dtype(0), {in.shape(0)[0] / 2}};
          return Specs(std::vector{half, half});
        },
    .lower =
        [](Lower& l, const Halves&) {
          const int64_t n = l.result().shape[0], stride = 1;
          const int64_t zero = 0, end = 2 * n;
          return Values{l.e.slice(l[0], std::span(&zero, 1), std::span(&n, 1),
                                  std::span(&stride, 1)),
                        l.e.slice(l[0], std::span(&n, 1), std::span(&end, 1),
                                  std::span(&stride, 1))};
        },
    .vjp =
        [](Vjp& v, const Halves&) {
          return Grads{concatenate({v.gradient(0), v.gradient(1)}, 0)};
        },
    .residuals = {0, 0}};

std::vector<Tensor> halves(const Tensor& x) {
  return record_all<kHalves>({x.ref()}, Halves{}, SourceLocation::current());
}

TEST_F(ReversePlatformTest, ResultThatIsNotUsedHasGradientZero) {
  Variable w(vector({1, 2, 3, 4}));
  GradientTape tape({.persistent = true});
  const auto parts = halves(w * 1.f);
  EXPECT_EQ(floats(tape.gradient(sum(parts[1] * 5.f), {w})[0]),
            (Floats{0, 0, 5, 5}));
  EXPECT_EQ(floats(tape.gradient(sum(parts[0] * parts[1]), {w})[0]),
            (Floats{3, 4, 1, 2}));
}

TEST_F(ReversePlatformTest, WrongGradientRuleIsNamed) {
  constexpr static auto rule = [](Vjp& v, const NoOptions&) {
    return Grads{sum(v.gradient())};
  };
  static constexpr Op<> kWrong{
      .name = "wrong",
      .infer = [](Infer& in, const NoOptions&) { return Specs(in[0]); },
      .lower = [](Lower& l, const NoOptions&) { return Values{l[0]}; },
      .vjp = rule};
  Variable w(vector({1, 2}));
  GradientTape tape;
  const Tensor y =
      record<kWrong>({w.value().ref()}, NoOptions{}, SourceLocation::current());
  EXPECT_THAT(message_of<InternalError>([&] { tape.gradient(y, {w}); }),
              HasSubstr("wrong: its gradient rule gives float32[] for an "
                        "input of float32[2]"));
}

// A network whose loss is looked at, or not, before the gradient.

struct Network {
  std::vector<Variable> weights;
  Tensor x, labels;

  Network(int64_t rows, int64_t width, int layers) {
    const auto noise = [](const Shape& shape, int seed) {
      return constant(random::normal(shape, 0, 0.2, {.seed = seed}).numpy());
    };
    x = noise({rows, width}, 1);
    labels = constant(Array::zeros({rows}, DType::int32));
    for (int i = 0; i < layers; ++i) {
      weights.emplace_back(noise({width, width}, 2 + i));
      weights.emplace_back(noise({width}, 100 + i));
    }
  }

  // `look` is called with the loss between the forward pass and the gradient.
  std::vector<Tensor> gradients(
      const std::function<void(const Tensor&)>& look) const {
    GradientTape tape;
    Tensor h = x;
    for (size_t i = 0; i < weights.size(); i += 2) {
      h = matmul(h, weights[i]) + weights[i + 1];
      h = i % 4 == 0 ? nn::relu(h) : tanh(h);
    }
    const Tensor loss = mean(nn::sparse_softmax_cross_entropy(labels, h));
    h = Tensor();
    look(loss);
    return tape.gradient(loss, weights);
  }
};

TEST_F(ReversePlatformTest, PrintingTheLossChangesNoBitOfTheGradients) {
  const Network network(16, 8, 6);
  const auto plain = network.gradients([](const Tensor&) {});
  std::ostringstream out;
  const auto looked = network.gradients([&](const Tensor& loss) {
    out << loss;
    loss.item<float>();
  });
  EXPECT_THAT(out.str(), HasSubstr("shape=(), dtype=float32)"));
  ASSERT_EQ(plain.size(), looked.size());
  evaluate(std::vector<Ref>{plain[0].ref()});
  for (size_t i = 0; i < plain.size(); ++i) {
    EXPECT_TRUE(array_equal(plain[i].numpy(), looked[i].numpy())) << i;
  }
}

constexpr char kPeakVariable[] = "SYSTOLIC_TEST_PEAK";

// In a process of its own: bytes that the forward pass and the gradient need
// at most, beyond what was there before.
int64_t peak_of(bool print) {
  const systolic::testing::EnvironmentGuard guard(kPeakVariable,
                                                  print ? "1" : "0");
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::string program =
      std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = "'" + program +
                              "' --gtest_filter=" + test->test_suite_name() +
                              "." + test->name() + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  char line[512];
  while (std::fgets(line, sizeof line, pipe) != nullptr) text += line;
  pclose(pipe);
  const size_t at = text.find("peak: ");
  if (at == std::string::npos) {
    ADD_FAILURE() << text;
    return 0;
  }
  return std::stoll(text.substr(at + 6));
}

void print_peak(bool print) {
  const Network network(1 << 16, 64, 12);
  // The first program of a process brings the compiler's own memory.
  const Network small(1 << 6, 64, 12);
  for (const Tensor& g : small.gradients([](const Tensor& t) { t.numpy(); })) {
    g.numpy();
  }
  const int64_t before = runtime::process_memory().bytes_in_use;
  const auto gradients = network.gradients([&](const Tensor& loss) {
    if (print) std::cout << loss << "\n";
  });
  std::vector<Ref> refs;
  for (const Tensor& g : gradients) refs.push_back(g.ref());
  evaluate(refs);
  for (const Tensor& g : gradients) g.numpy();
  std::cout << "peak: " << *runtime::process_memory().peak_bytes - before
            << std::endl;
}

TEST_F(ReversePlatformTest, PrintingTheLossNeedsHalfAsMuchMemoryMoreAtMost) {
  if (const char* print = std::getenv(kPeakVariable)) {
    print_peak(*print == '1');
    return;
  }
  const int64_t plain = peak_of(false), printed = peak_of(true);
  RecordProperty("plain", std::to_string(plain));
  RecordProperty("printed", std::to_string(printed));
  EXPECT_GT(plain, int64_t{100} << 20) << "too little to compare";
  EXPECT_LE(static_cast<double>(printed), 1.5 * static_cast<double>(plain));
}

}  // namespace
}  // namespace systolic::internal::graph
