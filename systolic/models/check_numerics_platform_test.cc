// C117: the first layer that gives a value that is not finite, and the step.
#include <gtest/gtest.h>

#include "systolic/models/test_helpers.h"
#include "systolic/ops/ops.h"

namespace systolic::models {
namespace {

// Infinite where a feature is 9.
struct Breaking : layers::LayerBase {
  Tensor call(Tensor x, layers::CallContext) override {
    return where(equal(x, 9), INFINITY, x);
  }
};

struct Checking {
  Checking() { layers::enable_check_numerics(); }
  ~Checking() { layers::disable_check_numerics(); }
};

std::string fitted(int64_t steps_per_execution) {
  clear_session();
  Sequential model({layers::Dense(4, {.input_shape = {4}}),
                    layers::make<Breaking>(), layers::Dense(3)});
  model.layers()[0].set_weights({eye(4).numpy(), Array::zeros({4})});
  model.compile({.optimizer = optimizers::SGD(0.0),
                 .loss = "mse",
                 .steps_per_execution = steps_per_execution});
  auto [x, y] = labelled_rows(40);
  x.mutable_span<float>()[4 * 20 + 1] = 9;  // in the third batch of 8
  return text_of<ValueError>([&, x = x] {
    model.fit(x, Array::zeros({40, 3}),
              {.batch_size = 8, .verbose = Verbose::silent, .shuffle = false});
  });
}

TEST(CheckNumericsPlatformTest, TheFirstLayerAndTheStepAreNamed) {
  const Checking checking;
  for (const int devices : {1, 8}) {
    const distribute::Strategy strategy = replicas(devices);
    const auto scope = strategy.scope();
    const std::string text = fitted(1);
    EXPECT_TRUE(
        text.starts_with("check_numerics \"sequential/breaking\": the "
                         "result of "))
        << text;
    EXPECT_NE(text.find("has infinite values"), std::string::npos) << text;
    EXPECT_NE(text.find("\n  step: 3\n"), std::string::npos) << text;
  }
  const std::string text = fitted(4);
  EXPECT_NE(text.find("\n  step: 1 ... 4\n"), std::string::npos) << text;
}

TEST(CheckNumericsPlatformTest, NothingIsCheckedUnlessItIsAskedFor) {
  EXPECT_FALSE(layers::is_checking_numerics());
  EXPECT_EQ(layers::make<Breaking>()(constant(Array::from({9.f}, {1, 1})))
                .item<float>(),
            INFINITY);
}

}  // namespace
}  // namespace systolic::models
