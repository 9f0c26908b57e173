// The code of docs/guides/profiling.md, and that it does what the page says.
#include <gtest/gtest.h>
#include <systolic/systolic.h>

#include <chrono>
#include <sstream>
#include <thread>

namespace systolic {
namespace {

TEST(Profiling, FiguresNameTheBottleneck) {
  const Array x = Array::zeros(Shape{64, 4}, DType::float32);
  const auto slow = data::Dataset::from_tensor_slices(x, x).batch(8).map(
      [](Array image, Array label) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return std::make_tuple(image, label);
      });
  models::Sequential model({layers::Dense(4)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  std::ostringstream out;
  const auto show = [&](const runtime::Utilization& u) { out << u; };
  // [window]
  model.fit(slow, {.verbose = models::Verbose::silent});  // compiles
  const runtime::UtilizationWindow window;
  model.fit(slow, {.verbose = models::Verbose::silent});
  const runtime::Utilization u = window.read();
  show(u);
  if (u.bottleneck == runtime::Bottleneck::input) {
    model.fit(slow.cache().prefetch(data::AUTOTUNE),
              {.verbose = models::Verbose::silent});
  }
  // [window]
  EXPECT_EQ(u.bottleneck, runtime::Bottleneck::input) << u;
  EXPECT_NE(out.str().find("bottleneck: input"), std::string::npos);
}

}  // namespace
}  // namespace systolic
