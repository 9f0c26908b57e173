// The umbrella header beside the standard library, both with using namespace:
// the names that programs use stay unambiguous.
#include "systolic/systolic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace std;       // NOLINT(google-build-using-namespace)
using namespace systolic;  // NOLINT(google-build-using-namespace)

namespace {

// Functions that both have, such as max and exp, go by their arguments. Not so
// where std has a class of the name (less, any, stack): systolic::less, or <.
TEST(Umbrella, ArraysAreUsedBesideTheStandardLibrary) {
  vector<float> mine(2 * 3);
  iota(mine.begin(), mine.end(), 1.f);
  const Array table = Array::from(span(mine), {2, 3});
  const auto dataset = data::Dataset::from_tensor_slices(
      table.slice({all, Slice(0, 2)}), table.slice({all, 2}));
  float total = 0;
  for (auto [x, y] : dataset.as<Array, Array>()) {
    total += sum(x).item<float>() * y.item<float>();
  }
  EXPECT_EQ(total, 3 * 3.f + 9 * 6.f);
  EXPECT_EQ(max(table).item<float>(), max(5.f, 6.f));
  EXPECT_EQ(abs(table - 7.f).span<float>()[0], abs(-6.f));
  EXPECT_EQ(exp(table).span<float>()[0], exp(1.f));
  EXPECT_EQ(accumulate(mine.begin(), mine.end(), 0.f),
            sum(table).item<float>());
}

// Programs on devices: compiled, and run where a platform is (tests/,
// examples).
[[maybe_unused]] void evaluate(const models::Sequential& model) {
  const Tensor a = constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  const Tensor b = constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}});
  const Tensor c = matmul(a, b);
  cout << "c device: " << c.device() << "\n" << c << "\n";
  const Tensor prediction = model(a);
  const float first = prediction[{0, 0}].item<float>();
  const Array values = prediction.numpy();
  const std::span<const float> all_of_them = values.span<float>();
  cout << first + all_of_them[0] << sqrt(c) << min(c) << round(c) << 1 - c / 2.f
       << where(c > 1, c, -c) << concatenate({a, a}) << c[{0, all}];
}

[[maybe_unused]] void without_a_tpu() {
  distribute::Strategy strategy = distribute::get_strategy();
  try {
    const auto resolver = distribute::TPUClusterResolver::connect();
    strategy = distribute::TPUStrategy(resolver);
  } catch (const ValueError& error) {
    cerr << error.what() << "\n";
  }
}

}  // namespace
